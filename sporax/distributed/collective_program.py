"""`CollectiveProgram`: a trace with collectives, which all ranks of a group run at once."""

import jax
import numpy as np

from sporax.core.jax_internals import RanksProgram, device_array, equations
from sporax.distributed import processes
from sporax.engine.program import Program

AXIS = "rank"
_EVERYWHERE = jax.sharding.PartitionSpec()


class CollectiveProgram(Program):
    """A `Program` over a mesh of one device for each rank.

    To JAX the arrays are whole on every device; what lies there is each rank's own. So local arrays
    come and go without a copy, and nothing but the collectives depends on other ranks.
    """

    __slots__ = (
        "device", "function", "group", "has_one_device", "program", "sharding", "text", "who",
    )  # fmt: skip

    def __init__(self, group, function, avals, alive, dead):
        super().__init__(function, avals, alive, dead)
        self.group, self.text, self.program = group, "", None
        self.who = " ".join(dict.fromkeys(
            [op.name for op, _, refs in function.steps if op.collective and refs is not None]
        ))  # fmt: skip
        self.device = group.mesh.devices[group.rank]
        self.has_one_device = jax.default_backend() == "cpu" and jax.local_device_count() == 1
        self.sharding = jax.sharding.NamedSharding(group.mesh, _EVERYWHERE)
        run = jax.shard_map(
            self.compiled.__wrapped__, mesh=group.mesh, in_specs=_EVERYWHERE,
            out_specs=_EVERYWHERE, check_vma=False,
        )  # fmt: skip
        self.function = jax.jit(run, donate_argnums=(2,), keep_unused=True)
        self.compiled = self._launch

    def _launch(self, reals, integers, donated, kept):
        arrays = [x for x in (reals, integers) if len(x)] + donated + kept
        arrays = [device_array(x) if x.__class__ is np.ndarray else x for x in arrays]
        if not self.has_one_device:
            arrays = [jax.device_put(x, self.device) if x.device != self.device else x
                      for x in arrays]  # fmt: skip
        if self.program is None:
            self._compile((reals, integers, donated, kept))
        self.group.compare(self.who, self.text)
        self.group.running = (self,)
        self.group.launches += 1
        try:
            return self.program(arrays)
        except (ValueError, jax.errors.JaxRuntimeError) as error:
            if "Gloo" not in str(error):
                raise
            what = "did not come" if "Timed out" in str(error) else "has ended, or did not come"
            raise RuntimeError(
                f"For '{self.who}', all {self.group} must call it within {processes.timeout()} s "
                f"(op_timeout), but {self.group.absent()} {what}. ({error})"
            ) from None
        finally:
            self.group.running = None

    def _compile(self, pools):
        """Trace the program, note its collectives in the order in which they are called, with
        shapes and dtypes, and compile it."""

        def spec(x):
            return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=self.sharding)

        traced = self.function.trace(*jax.tree.map(spec, pools))
        self.text = ", ".join(filter(None, map(_described, equations(traced.jaxpr.jaxpr))))
        self.program = RanksProgram(traced)


def _described(equation):
    params = equation.params
    if AXIS not in (*_names(params.get("axes")), *_names(params.get("axis_name"))):
        return None
    if equation.primitive.name == "axis_index":
        return None
    shown = {k: v for k, v in params.items() if k in _SHOWN}
    details = "".join(f" {k}={v}" for k, v in shown.items())
    avals = " ".join(v.aval.str_short() for v in equation.invars)
    return f"{equation.primitive.name}{details} {avals}"


_SHOWN = "perm", "split_axis", "concat_axis", "all_gather_dimension", "scatter_dimension"


def _names(value):
    return value if isinstance(value, tuple) else (value,)
