"""Base classes of transforms."""


class _Operation:
    """Called with values of a row, gives what `_execute_py`, which a subclass defines, makes of
    them."""

    implementation = None

    def __call__(self, *values):
        return self._execute_py(*values)

    def _execute_py(self, *values):
        raise NotImplementedError(
            f"For '{type(self).__name__}', the method '_execute_py' must be defined."
        )

    def device(self, device_target="CPU"):
        """The transform itself: it runs on the CPU."""
        if device_target != "CPU":
            raise ValueError(
                f"For '{type(self).__name__}', 'device_target' must be 'CPU', but got "
                f"{device_target!r}. Transforms of data do not run elsewhere."
            )
        return self


class TensorOperation(_Operation):
    """Base of transforms."""


class PyTensorOperation(_Operation):
    """Base of transforms written in Python."""


__all__ = ["PyTensorOperation", "TensorOperation"]
