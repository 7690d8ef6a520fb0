"""`CollectiveProgram`: a trace with collectives, which all ranks of a group run at once."""

import jax

from sporax.core.jax_internals import array_of_ranks, device_array, equations
from sporax.engine.program import Program

AXIS = "rank"
_EVERYWHERE = jax.sharding.PartitionSpec()


class CollectiveProgram(Program):
    """A `Program` over a mesh of one device for each rank.

    To JAX the arrays are whole on every device; what lies there is each rank's own. So local arrays
    come and go without a copy, and nothing but the collectives depends on other ranks.
    """

    __slots__ = ("device", "group", "program", "sharding", "text", "who")

    def __init__(self, group, function, avals, alive, dead):
        super().__init__(function, avals, alive, dead)
        self.group, self.text = group, None
        self.who = " ".join(dict.fromkeys(
            [op.name for op, _, refs in function.steps if op.collective and refs is not None]
        ))  # fmt: skip
        self.device = group.mesh.devices[group.rank]
        self.sharding = jax.sharding.NamedSharding(group.mesh, _EVERYWHERE)
        run = jax.shard_map(
            self.compiled.__wrapped__, mesh=group.mesh, in_specs=_EVERYWHERE,
            out_specs=_EVERYWHERE, check_vma=False,
        )  # fmt: skip
        self.program = jax.jit(run, donate_argnums=(2,))
        self.compiled = self._launch

    def _launch(self, *pools):
        pools = [[self._placed(x) for x in pool] if isinstance(pool, (list, tuple))
                 else self._placed(pool) for pool in pools]  # fmt: skip
        if self.text is None:
            self.text = self._collectives(pools)
        self.group.compare(self.who, self.text)
        self.group.running = (self,)
        try:
            results = self.program(*pools)
        except (ValueError, jax.errors.JaxRuntimeError) as error:
            if "Gloo" not in str(error):
                raise
            late = "Timed out" in str(error)
            what = "some did not" if late else "another one has ended"
            raise RuntimeError(
                f"For '{self.who}', all {self.group} must call it within op_timeout, but {what}. "
                f"({error})"
            ) from None
        finally:
            self.group.running = None
        return [x.addressable_data(0) for x in results]

    def _placed(self, x):
        """A local array as one of the mesh."""
        if not isinstance(x, jax.Array):
            x = device_array(x)
        if x.device != self.device:
            x = jax.device_put(x, self.device)
        return array_of_ranks(x, self.sharding)

    def _collectives(self, pools):
        """The collectives in the order in which they are called, with shapes and dtypes."""
        jaxpr = self.program.trace(*pools).jaxpr.jaxpr
        return ", ".join(filter(None, map(_described, equations(jaxpr))))


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
