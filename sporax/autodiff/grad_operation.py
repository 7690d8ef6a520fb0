"""`GradOperation`: derivatives asked for by flags."""

import functools
from collections.abc import Callable

from sporax.autodiff.grad import Derivative, parameters_of
from sporax.core.parameter import Parameter


class GradOperation:
    """A maker of gradient functions.

    `get_all`: gradients of all inputs, else of the first. `get_by_list`: of the weights.
    `sens_param`: the last argument of the call is the gradient of the output.

    >>> double = ops.GradOperation(sens_param=True)(lambda x: x * x)
    >>> double(Tensor([3.0]), Tensor([2.0])).asnumpy()
    array([12.], dtype=float32)
    """

    def __init__(self, get_all=False, get_by_list=False, sens_param=False):
        for name, flag in [
            ("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)
        ]:  # fmt: skip
            if not isinstance(flag, bool):
                raise TypeError(
                    f"For 'GradOperation', '{name}' must be a bool, but got {type(flag).__name__}."
                )
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn, weights=None) -> Callable:
        both = self.with_value(fn, weights)

        @functools.wraps(fn, updated=())
        def gradient(*args, **kwargs):
            return both(*args, **kwargs)[1]

        return gradient

    def with_value(self, fn, weights=None):
        """The function that returns (outputs, gradients)."""
        parameters = []
        if self.get_by_list:
            if weights is None and hasattr(fn, "trainable_params"):
                weights = fn.trainable_params()
            parameters = parameters_of("GradOperation", weights)
        positions = "all" if self.get_all else () if self.get_by_list else (0,)
        derivative = Derivative("GradOperation", fn, positions, parameters, sens=self.sens_param)

        def both(*args, **kwargs):
            result, inputs, by_weight = derivative(args, kwargs)
            by_weight = by_weight[0] if isinstance(weights, Parameter) else tuple(by_weight)
            inputs = tuple(inputs) if self.get_all or self.get_by_list else inputs[0]
            if not self.get_by_list:
                return result, inputs
            return result, (inputs, by_weight) if self.get_all else by_weight

        return both
