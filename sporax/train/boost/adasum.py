"""Adaptive summation of the updates of device groups (Maleki et al., 2020), for one group."""

from sporax import ops
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell


class AdaSum(Cell):
    """Sets each parameter to its old value minus the combined update of all device groups.

    `rank`, `device_number`: this device and the devices per group; `group_number`: must be 1, since
    there is one process. `parameter_tuple`: the parameters. Called with the updates, the parameters
    and their old values; returns the parameters.

    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> (out,) = AdaSum(0, 1, 1, (p,))((Tensor([0.25]),), (p,), (Tensor([1.0]),))
    >>> p.asnumpy()
    array([0.75], dtype=float32)
    """

    def __init__(self, rank, device_number, group_number, parameter_tuple):
        super().__init__()
        kinds.COUNT("AdaSum", rank=rank)
        kinds.POSITIVE_INT("AdaSum", device_number=device_number, group_number=group_number)
        fits = group_number == 1
        require(fits, "sporax-no-training-several", other="group_number", value=group_number)
        self.rank, self.device_number, self.group_number = rank, device_number, group_number
        self.parameter_tuple = parameter_tuple

    def construct(self, delta_weights, parameters, old_parameters):
        for delta, p, old in zip(delta_weights, parameters, old_parameters, strict=True):
            ops.assign(p, old - delta.reshape(p.shape))
        return parameters
