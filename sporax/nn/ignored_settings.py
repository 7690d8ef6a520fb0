"""Settings of Cells for other backends, accepted without effect."""

from sporax._src.devices.sharding.calls import shard
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell_state import CellState

_BOOSTS = ("less_bn",)


class IgnoredSettings(CellState):
    """Mixin of `Cell` with settings for other compilers and multiple devices."""

    def set_jit_config(self, jit_config):
        """Accepted without effect: there is only one compiler."""
        self._cell_flags["jit_config"] = jit_config

    def set_inputs(self, *inputs, **kwargs):
        """Declare which input dimensions vary: the None entries of a `Tensor(shape=[None, 16],
        dtype=...)`. A captured Cell then shares one recording and a few programs among them."""
        self.__dict__["_inputs"] = inputs or kwargs

    @property
    def _dynamic_shape_inputs(self):
        return self.__dict__.get("_inputs")

    def get_inputs(self):
        """Return the arguments of the last `set_inputs`."""
        return self.__dict__.get("_inputs")

    def set_comm_fusion(self, fusion_type, recurse=True):
        """Accepted: XLA fuses communication itself. Returns the cell."""
        return self

    def set_broadcast_flag(self, mode=True):
        """Accepted: parameters are the same on every device. Returns the cell."""
        return self

    def set_data_parallel(self):
        """Accepted on one device."""

    def set_boost(self, boost_type):
        """Accepted: 'less_bn' makes fewer kernels of norms, which XLA does anyway."""
        kinds.one_of(*_BOOSTS)("set_boost", boost_type=boost_type)
        return self.add_flags_recursive(**{boost_type: True})

    def offload(self, backward_prefetch="Auto"):
        """Accepted: memory is unified and managed by XLA. `backward_prefetch`: 'Auto' or the number
        of operations to prefetch ahead."""
        is_type = not isinstance(backward_prefetch, (float, bool, type(None)))
        require(is_type, "auto-int", "offload", backward_prefetch=backward_prefetch)
        is_count = isinstance(backward_prefetch, int) and backward_prefetch >= 0
        fits = backward_prefetch == "Auto" or is_count
        require(fits, "auto-int-at-least-0", "offload", backward_prefetch=backward_prefetch)

    def shard(self, in_strategy, out_strategy=None, parameter_plan=None):
        """Return the Cell as a function whose Tensors are placed on the active Mesh; see
        `sporax.parallel.shard`."""
        return shard(self, in_strategy, out_strategy, parameter_plan)
