"""`build_train_network`: build a training step from network, loss, scale and optimizer."""

from sporax import nn
from sporax._src.amp.loss_scale_manager import DynamicLossScaleManager, LossScaleManager
from sporax._src.amp.mixed_precision import FloatLossCell, auto_mixed_precision, keep_in_float32
from sporax._src.core import dtype as dtypes
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.optim.optimizer import OPTIMIZER

# level -> (the dtype of the network, True to keep batch norms in float32)
_LEVELS = {
    "O0": (dtypes.float32, False),
    "O1": (dtypes.float32, False),
    "O2": (dtypes.float16, True),
    "O3": (dtypes.float16, False),
    "auto": (dtypes.float32, False),
}
_CASTS = dtypes.float16, dtypes.float32
_MANAGER = kinds.optional(kinds.instance(LossScaleManager, "a-lossscalemanager"))
_OPTIONS = ("cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager")


def build_train_network(network, optimizer, loss_fn=None, level="O0", boost_level="O0", **kwargs):
    """Return the Cell of a training step: `network`, then `loss_fn`, gradients, `optimizer`.

    `level`: see `auto_mixed_precision`. `kwargs` override the level: `cast_model_type` (float16 or
    float32), `keep_batchnorm_fp32` (True for 'O2'), and `loss_scale_manager` (for 'O2' a
    `DynamicLossScaleManager`; None for no scaling). Losses are computed in float32.

    Called with the network's inputs (data and label, with `loss_fn`), it returns the loss; if steps
    that overflow are skipped, (loss, overflow flag, scale).

    >>> net = nn.Dense(2, 1)
    >>> step = build_train_network(net, nn.SGD(net.trainable_params(), 0.1), nn.MSELoss(), "O3")
    >>> step(Tensor([[1.0, 2.0]]), Tensor([[1.0]])).dtype
    mindspore.float32
    """
    who = "build_train_network"
    OPTIMIZER(who, optimizer=optimizer)
    kinds.STR(who, level=level)
    kinds.one_of(*_LEVELS)(who, level=level)
    require(boost_level == "O0", "sporax-no-yet", value="boost_level", value2="build_train_network")
    _check_options(who, kwargs)
    dtype, keeps = _LEVELS[level]
    dtype = kwargs.get("cast_model_type", dtype)
    keeps = kwargs.get("keep_batchnorm_fp32", keeps)
    network = _in_precision(network, level, dtype, keeps)
    if loss_fn is not None:
        halves = dtype == dtypes.float16 or getattr(network, "_amp_level", "O0") in (
            "O2", "O3", "auto"
        )  # fmt: skip
        network = (FloatLossCell if halves else nn.WithLossCell)(network, loss_fn)
    if "loss_scale_manager" in kwargs:
        manager = kwargs["loss_scale_manager"]
    else:
        manager = DynamicLossScaleManager() if level == "O2" else None
    if manager is None:
        return nn.TrainOneStepCell(network, optimizer).set_train()
    rule = manager.get_update_cell()
    if rule is None:
        return nn.TrainOneStepCell(network, optimizer, manager.get_loss_scale()).set_train()
    return nn.TrainOneStepWithLossScaleCell(network, optimizer, rule).set_train()


def _check_options(who, options):
    for name in options:
        require(name in _OPTIONS, "other-arguments-among", who, options=list(_OPTIONS), got=name)
    dtype = options.get("cast_model_type", dtypes.float32)
    fields = {"cast_model_type": dtype, "dtypes": _CASTS}
    require(dtype in _CASTS, "float-dtype-one-of", who, TypeError, **fields)
    kinds.BOOL(who, keep_batchnorm_fp32=options.get("keep_batchnorm_fp32", False))
    _MANAGER(who, loss_scale_manager=options.get("loss_scale_manager"))


def _in_precision(network, level, dtype, keeps):
    if dtype == dtypes.float16:
        network.to_float(dtype)
        if keeps:
            keep_in_float32(network, dtype)
        return network
    if level in ("O2", "O3"):
        return network
    return auto_mixed_precision(network, level)


__all__ = ["build_train_network"]
