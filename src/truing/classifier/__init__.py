"""A model and a calibrator in one estimator, and who scores the cases that calibrate it."""

from truing.classifier.calibrated_classifier import CalibratedClassifier

__all__ = ["CalibratedClassifier"]
