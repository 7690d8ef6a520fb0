"""`ModelThor`: a Model whose steps schedule the factor inversions of the optimizer `thor`."""

from typing import Any

from sporax._src.optim.thor import Thor
from sporax.nn.training_cells import TrainOneStepCell
from sporax.train.model import Model


class ModelThor(Model):
    """`Model` for the optimizer `thor`: one step in every `frequency` collects and inverts the
    Kronecker factors, in captured steps too. Arguments: see `Model`."""

    def __init__(self, network, loss_fn=None, optimizer=None, *args, **kwargs):
        super().__init__(network, loss_fn, optimizer, *args, **kwargs)
        inside: Any = network.optimizer if isinstance(network, TrainOneStepCell) else optimizer
        self._second_order, self._frequency = inside, inside.get_frequency()
        self._steps = None

    def _step(self, element, run, context, events):
        if self._steps is None:
            self._steps = int(self._second_order.global_step.asnumpy()[0])
        self._second_order.choose(self._steps)
        self._steps += 1
        super()._step(element, run, context, events)


class ConvertModelUtils:
    """Converts a Model for the optimizer `thor`.

    >>> net = nn.SequentialCell(nn.Dense(2, 1))
    >>> optimizer = nn.thor(net, Tensor(0.1), Tensor(0.1), momentum=0.9, frequency=10)
    >>> model = Model(net, nn.MSELoss(), optimizer)
    >>> convert = ms.train.ConvertModelUtils.convert_to_thor_model
    >>> type(convert(model, net, nn.MSELoss(), optimizer)).__name__
    'ModelThor'
    """

    @staticmethod
    def convert_to_thor_model(
        model, network, loss_fn=None, optimizer=None, metrics=None, amp_level="O0",
        loss_scale_manager=None, keep_batchnorm_fp32=False,
    ):  # fmt: skip
        """Return a Model with these arguments that schedules the factor inversions of `optimizer`,
        a `thor`; `model` itself for any other optimizer."""
        inside: Any = network.optimizer if isinstance(network, TrainOneStepCell) else optimizer
        if not isinstance(inside, Thor):
            return model
        if isinstance(network, TrainOneStepCell):
            return ModelThor(network)
        return ModelThor(
            network, loss_fn, optimizer, metrics, amp_level=amp_level,
            loss_scale_manager=loss_scale_manager, keep_batchnorm_fp32=keep_batchnorm_fp32,
        )  # fmt: skip


__all__ = ["ConvertModelUtils", "ModelThor"]
