"""`RankFunction`: a function on each rank's own arrays, with collectives of one group."""

import contextlib
import contextvars
import re
from typing import Any

import jax
import numpy as np

from sporax._src.core.jax_internals import RanksProgram, device_array, equations
from sporax._src.devices.distributed import processes
from sporax._src.devices.distributed.collective_order import in_order
from sporax._src.diagnosis.rules import message, rejection, require

_EVERYWHERE = jax.sharding.PartitionSpec()
_axis = contextvars.ContextVar("axis")


def axis_name():
    """Return the name of the rank axis of the collective that is being traced."""
    return _axis.get()


class along:
    """A context in which `axis_name` returns a group's axis."""

    def __init__(self, group):
        self.name = group.axis_name

    def __enter__(self):
        self.token = _axis.set(self.name)

    def __exit__(self, *_):
        _axis.reset(self.token)


class RankFunction:
    """A function over a mesh of one device for each rank of a group, compiled at its first call.

    For JAX, the arrays are replicated on all devices; their contents differ between ranks. So local
    arrays are passed without a copy, and only the collectives depend on other ranks. `who`: the
    names of the operations with collectives. `donated`: the indices of donated arguments.
    """

    def __init__(self, group, who, function, donated):
        self.group, self.who, self.text = group, who, ""
        self.program: Any = None
        self.device = group.mesh.devices[group.rank]
        self.has_one_device = jax.default_backend() == "cpu" and jax.local_device_count() == 1
        self.sharding = jax.sharding.NamedSharding(group.mesh, _EVERYWHERE)
        run = jax.shard_map(
            in_order(function, _is_collective, self._note), mesh=group.mesh, in_specs=_EVERYWHERE,
            out_specs=_EVERYWHERE, check_vma=False,
        )  # fmt: skip
        donated = [i + 1 for i in donated]
        self.function = jax.jit(run, donate_argnums=donated, keep_unused=True)
        self.zero = np.zeros((), np.int32)  # see `in_order`

    def __call__(self, *args):
        """Return the results as a list."""
        args = self.zero, *args
        arrays = [
            device_array(x) if x.__class__ is np.ndarray else x for x in jax.tree.leaves(args)
        ]
        is_own = self.program is not None or all(x.is_fully_addressable for x in arrays)
        require(is_own, "tensors-rank-s-own", self.who)
        if not self.has_one_device:
            arrays = [jax.device_put(x, self.device) if x.device != self.device else x
                      for x in arrays]  # fmt: skip
        if self.program is None:
            self._compile(args)
            self.zero = arrays[0]
        self.group.compare(self.who, self.text)
        self.group.running = (self,)
        self.group.launches += 1
        try:
            return self.program(arrays)[:-1]  # type: ignore[reportOptionalCall]  # compiled above
        except (ValueError, jax.errors.JaxRuntimeError) as error:
            if "Gloo" not in str(error):
                raise
            what = message("did-not-come" if "Timed out" in str(error) else "has-ended")
            fields = {"timeout": processes.timeout(), "absent": self.group.absent(), "what": what}
            group, who = self.group, self.who
            raise rejection("all-call-within-s", who, group=group, cause=error, **fields) from None
        finally:
            self.group.running = None

    def _compile(self, args):
        """Trace, which calls `_note`, and compile."""

        def spec(x):
            return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=self.sharding)

        self.program = RanksProgram(self.function.trace(*jax.tree.map(spec, args)))

    def _note(self, jaxpr):
        """Record the collectives in the order in which they are called, with shapes and dtypes."""
        self.text = ", ".join(map(_described, filter(_is_collective, equations(jaxpr))))


def _is_collective(equation):
    return axis_name_of(equation) is not None and equation.primitive.name != "axis_index"


def _described(equation):
    shown = {k: v for k, v in equation.params.items() if k in _SHOWN}
    details = "".join(f" {k}={v}" for k, v in shown.items())
    avals = " ".join(v.aval.str_short() for v in equation.invars)
    same = "".join(f" {x}" for x in _AGREED.findall(str(equation.source_info.name_stack)))
    return f"{equation.primitive.name}{details} {avals}{same}"


_MARK = "agreed:"
_AGREED = re.compile(rf"{_MARK}(\w+=[\w,]+)")


def agreed(attributes):
    """Return a context in which equations carry attributes that are not in their parameters but on
    which ranks must agree, such as the root of a broadcast."""
    text = " ".join(f"{_MARK}{k}={_plain(v)}" for k, v in attributes.items())
    return jax.named_scope(text) if text else contextlib.nullcontext()


def _plain(value):
    return re.sub(r"[^\w,]", "", str(value))


_SHOWN = "perm", "split_axis", "concat_axis", "all_gather_dimension", "scatter_dimension"


def axis_name_of(equation):
    """Return the name of an equation's group axis; None if it is not a collective."""
    params = equation.params
    names = (*_names(params.get("axes")), *_names(params.get("axis_name")))
    return next((n for n in names if isinstance(n, str) and n.startswith(PREFIX)), None)


PREFIX = "ranks "


def _names(value):
    return value if isinstance(value, tuple) else (value,)
