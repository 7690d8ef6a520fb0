"""Base classes of transforms."""

import logging

from sporax._src.core.signature_errors import Fitting
from sporax._src.diagnosis.argument_kinds import one_of
from sporax._src.diagnosis.rules import rejection
from sporax.data.constructor_calls import RecordsCall

_log = logging.getLogger("sporax")
_TARGET = one_of("CPU", "Ascend")


class _Operation(RecordsCall, Fitting, accept=None, methods=("__call__",)):
    """Base of callables that apply `_execute_py`, which a subclass defines, to values of a row."""

    implementation = None

    def __call__(self, *values):
        return self._execute_py(*values)

    def _execute_py(self, *values):
        raise rejection("method-defined", type(self).__name__, other="_execute_py")

    def device(self, device_target="CPU"):
        """Return the transform itself. It runs on the CPU; for 'Ascend', this is logged."""
        _TARGET(type(self).__name__, device_target=device_target)
        if device_target == "Ascend":
            _log.warning("'%s' runs on the CPU: transforms have no Ascend.", type(self).__name__)
        return self


class TensorOperation(_Operation):
    """Base of transforms."""


class PyTensorOperation(_Operation):
    """Base of transforms written in Python."""


__all__ = ["PyTensorOperation", "TensorOperation"]
