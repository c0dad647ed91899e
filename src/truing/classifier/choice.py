"""Which calibrator a classifier uses, for two classes and for more."""

from typing import Any

from sklearn.base import clone

from truing.calibrators import BlendCalibrator, Calibrator
from truing.classifier.recipe import AnyCalibrator
from truing.errors import OptionError
from truing.multiclass import MulticlassBlendCalibrator, MulticlassCalibrator, OneVsRestCalibrator
from truing.table import door
from truing.table.door import AnyArray


def choose_calibrator(given: AnyCalibrator | None, classes: AnyArray) -> AnyCalibrator:
    """Return the calibrator to be cloned for these classes; None stands for the recommended one."""
    labels = classes.tolist()
    if given is None:
        default: AnyCalibrator = (
            BlendCalibrator() if len(labels) == 2 else MulticlassBlendCalibrator()
        )
        return _told_classes(default, labels)
    if isinstance(given, Calibrator) and len(labels) > 2:
        return _told_classes(_class_by_class(given), labels)
    return _told_classes(given, labels)


def _class_by_class(calibrator: Calibrator) -> MulticlassCalibrator:
    """Return what uses a calibrator of one-dimensional scores for each class against the rest."""
    if calibrator.pos_label is not None:
        raise OptionError(
            f"The calibrator's pos_label is {calibrator.pos_label!r}; it is for two classes, and y "
            "holds more."
        )
    if calibrator.prior is not None:
        raise OptionError(
            f"The calibrator's prior is {calibrator.prior!r}; y holds more than two classes. Say "
            "OneVsRestCalibrator(..., prior=[...]), with the share of each."
        )
    each = clone(calibrator).set_params(missing="error")
    return OneVsRestCalibrator(each, missing=calibrator.missing)


def _told_classes(calibrator: AnyCalibrator, labels: list[Any]) -> AnyCalibrator:
    """Return a calibrator that knows every class, also those that its evidence may lack."""
    if isinstance(calibrator, Calibrator):
        return calibrator
    if calibrator.classes is not None and door.as_classes(calibrator.classes).tolist() != labels:
        raise OptionError(
            f"The calibrator's classes are {door.shown(calibrator.classes)}; those of the data are "
            f"{door.shown(labels)}. Leave them out: the classifier tells them."
        )
    told: AnyCalibrator = clone(calibrator).set_params(classes=labels)
    return told
