"""What MindSpore's Cells take for other backends, kept for those who ask."""


class Accepted:
    """The part of `Cell` that steers what is not there: other compilers and many devices."""

    def set_jit_config(self, jit_config):
        """Accepted: there is one compiler."""
        self._flags["jit_config"] = jit_config

    def set_inputs(self, *inputs, **kwargs):
        """Accepted: shapes are taken from the inputs of each call."""
        self.__dict__["_inputs"] = inputs or kwargs

    def get_inputs(self):
        """What `set_inputs` was given last."""
        return self.__dict__.get("_inputs")

    def set_comm_fusion(self, fusion_type, recurse=True):
        """Accepted: XLA fuses communication itself. Returns the cell."""
        return self

    def set_broadcast_flag(self, mode=True):
        """Accepted: parameters are the same on every device. Returns the cell."""
        return self

    def set_data_parallel(self):
        """Accepted on one device."""
