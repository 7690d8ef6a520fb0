"""Base classes of transforms."""

import logging

from sporax.core.signature_errors import Fitting
from sporax.data.constructor_calls import RecordsCall

_log = logging.getLogger("sporax")


class _Operation(RecordsCall, Fitting, accept=None, methods=("__call__",)):
    """Base of callables that apply `_execute_py`, which a subclass defines, to values of a row."""

    implementation = None

    def __call__(self, *values):
        return self._execute_py(*values)

    def _execute_py(self, *values):
        raise NotImplementedError(
            f"For '{type(self).__name__}', the method '_execute_py' must be defined."
        )

    def device(self, device_target="CPU"):
        """Return the transform itself. It runs on the CPU; for 'Ascend', this is logged."""
        if device_target not in ("CPU", "Ascend"):
            raise ValueError(
                f"For '{type(self).__name__}', 'device_target' must be 'CPU' or 'Ascend', but got "
                f"{device_target!r}. Leave it out."
            )
        if device_target == "Ascend":
            _log.warning("'%s' runs on the CPU: transforms have no Ascend.", type(self).__name__)
        return self


class TensorOperation(_Operation):
    """Base of transforms."""


class PyTensorOperation(_Operation):
    """Base of transforms written in Python."""


__all__ = ["PyTensorOperation", "TensorOperation"]
