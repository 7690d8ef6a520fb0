"""From a function to an `Exported`: recorded once, and lowered by `jax.export`."""

import re
import traceback

import jax
from jax import export as stablehlo
from jax.errors import InconclusiveDimensionOperation

from sporax._src.capture.graph_capture.export.exported_graph import Exported, Spec, structure
from sporax._src.capture.graph_capture.graph_text import Listing
from sporax._src.core.errors import is_users, warn
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import Aval, UnknownShape, Value, thread
from sporax._src.diagnosis.rules import message, rejection, require

_scope = stablehlo.SymbolicScope()  # shared, so that equal names are equal sizes
_LIBRARIES = {"jax", "jaxlib", "numpy"}
_SIZE_ERRORS = (
    TypeError,
    ValueError,
    IndexError,
    NotImplementedError,
    InconclusiveDimensionOperation,
)


def exported(name, function, inputs):
    """Return the `Exported` of `function(*inputs)`. Unknown sizes (`Tensor(shape=[None, 3],
    dtype=...)`) stay symbolic: on axis 0 all share the size `batch`, others are independent."""
    listing, program = lowered(name, function, inputs, by_jax)
    input_specs = [Spec.from_aval(i.name, i.aval) for i in listing.inputs if i.kind == "argument"]
    arrays = [(i.kind, i.name, i.read()) for i in listing.inputs if i.kind != "argument"]
    output_specs = [
        Spec.from_aval(f"output{i}", t._value.aval)
        for i, t in enumerate(tensors_of(listing.result))
    ]
    result = structure("export", listing.result, [])
    return Exported(
        name, structure("export", inputs, []), input_specs, result, output_specs, arrays, program
    )


def lowered(name, function, inputs, lower):
    """Return (the `Listing` of `function(*inputs)`, the result of `lower(listing, run, specs)`).
    `run` maps the arrays of `listing.inputs`; `specs` are their shapes and dtypes."""
    require(thread.recorder.tracer is None, "no-function-around-captured", "export")
    tensors = []
    structure("export", inputs, tensors)
    unsized = [t for t in tensors if isinstance(t._value, UnknownShape)]
    require(not any(t.shape == (-2,) for t in unsized), "number-axes-input-known", "export")
    try:
        listing = Listing("export", name, function, inputs, {}, _described)
        program = lower(listing, *_program(listing))
    except _SIZE_ERRORS as cause:
        if unsized:
            raise _refusal(cause) from cause
        raise
    _refuse_writes(listing)
    if listing.prints:
        warn(
            f"For 'export', '{name}' prints, which is Python's work: the file computes the same "
            "and prints nothing. Return what is to be seen.",
        )
    return listing, program


def by_jax(_, run, specs):
    """Export the function as a StableHLO program."""
    return stablehlo.export(jax.jit(run))(*specs)


def _program(listing):
    """Return (the recorded operations as a function of arrays, the specs of the arrays)."""
    run = listing.trace.on_arrays(listing.reals, listing.integers, listing.outputs)
    avals = [i.aval for i in listing.inputs]
    return run, [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]


def _described(name, value):
    """Return an input's Value, with names for unknown sizes."""
    if not isinstance(value, UnknownShape):
        return value
    shape = value.aval.shape
    prefix = re.sub(r"\W+", "_", name).strip("_")
    names = [n if n >= 0 else f"{prefix}_{k}" if k else "batch" for k, n in enumerate(shape)]
    sizes = stablehlo.symbolic_shape(", ".join(map(str, names)) + ",", scope=_scope)
    return Value(Aval.intern(tuple(sizes), value.aval.dtype), None)


def _refuse_writes(listing):
    written = [*map(repr, listing.written)]
    require(not written, "change-nothing-writes", "export", argument=listing.name, names=written)


def _refusal(cause):
    """Return the error for a function that needs the unknown sizes."""
    where = ""
    for frame, line in traceback.walk_tb(cause.__traceback__):
        module = frame.f_globals.get("__name__") or ""
        library = module.split(".")[0] in _LIBRARIES
        if is_users(frame) and not library:
            where = message("at-line", file=frame.f_code.co_filename, line=line)
    reason = str(cause).strip().split("\n")[0].rstrip(".")
    return rejection("function-do-without-sizes", "export", where=where, reason=reason)
