"""What the calibrators that scale logits share: what was fitted, by its usual names."""

from typing import ClassVar, cast

from sklearn.utils.validation import check_is_fitted

from truing.multiclass.class_map import ScaledLogits
from truing.multiclass.multiclass_calibrator import MulticlassCalibrator
from truing.numerics.arrays import FloatArray


class ScalingCalibrator(MulticlassCalibrator):
    """A calibrator whose answer is softmax(W z + c).

    ``priors`` names the options that are spreads of its priors, in the order in which the fitted
    scaling tells them.
    """

    priors: ClassVar[tuple[str, ...]] = ("spread",)

    @property
    def coef_(self) -> FloatArray:
        """The matrix W by which logits are multiplied; a class's own slope is on its diagonal."""
        return self._scaled.coef_

    @property
    def intercept_(self) -> FloatArray:
        """The constants c that are added."""
        return self._scaled.intercept_

    @property
    def _scaled(self) -> ScaledLogits:
        check_is_fitted(self, "map_")
        return cast("ScaledLogits", self.map_)
