"""The JAX names in use that may change; `tests/core/test_jax_internals.py` tests each.

`jax.extend.core` may change. The others are private, since JAX has no public way to read a symbolic
dimension or observe its comparisons, to replace the compilation cache, to tell which inputs a
jaxpr's results depend on or whether a backend has started, or to put arrays on a device quickly.
"""

import contextlib
import functools
import os
import pickle
from contextvars import ContextVar
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import distributed
from jax._src.clusters.ompi_cluster import OmpiCluster
from jax._src.clusters.slurm_cluster import SlurmCluster
from jax._src.config import persistent_cache_min_compile_time_secs
from jax._src.core import eval_context, extend_axis_env_nd
from jax._src.interpreters.partial_eval import lower_jaxpr2
from jax._src.interpreters.pxla import batched_device_put
from jax._src.lib import _jax  # pyright: ignore[reportPrivateImportUsage]
from jax._src.xla_bridge import (
    backends_are_initialized,
    make_cpu_client,
    register_backend_factory,
)
from jax.core import ShapedArray
from jax.experimental import serialize_executable
from jax.export import symbolic_shape
from jax.extend.core import (
    ClosedJaxpr,  # pyright: ignore[reportPrivateImportUsage]
    Jaxpr,
    Literal,
    Primitive,
    Var,
    jaxpr_as_fun,
)
from jax.extend.core.primitives import closed_call_p
from jax.interpreters import ad, batching, mlir
from jax.interpreters.partial_eval import dce_jaxpr
from jaxlib import lapack
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo as hlo

from sporax._src.core.memory_limits import budget, memory_error

__all__ = (
    "CALLS", "ELEMENTWISE", "ClosedJaxpr", "ComparedDim", "Jaxpr", "Literal", "Primitive",
    "RanksProgram", "Var", "ad", "axis_environment", "backends_are_initialized", "barrier",
    "batching", "bind_collectives", "call", "called", "cluster_address", "compared_dims",
    "compiled_for_once", "coordinator", "default_device", "default_platform", "device_array",
    "equations", "eval_context", "evaluate_size", "evaluated", "fold_size", "initialize_lapack",
    "interpret", "is_symbolic", "jaxpr_as_fun", "loaded_executable", "mlir", "module_text",
    "on_comparison", "parsed_module", "portable_artifact", "primitive_jaxpr", "program_bytes",
    "scan_counts", "serialized_executable", "set_compilation_cache", "stablehlo_version",
    "terms_of", "times_zero", "used_inputs", "with_jaxprs", "within",
)  # fmt: skip


# arrays -----------------------------------------------------------------------------------------


@functools.cache
def _placement(default):
    is_platform = default is None or isinstance(default, str)
    device = jax.local_devices(backend=default)[0] if is_platform else default
    return jax.sharding.SingleDeviceSharding(device), [device]


def default_device() -> Any:
    """Return the device that programs run on: of `set_device`, else JAX's default."""
    return _placement(_config.jax_default_device)[1][0]


def default_platform():
    """Return the platform of that device: 'cpu', 'gpu', 'tpu'. `jax.default_backend` is still 'gpu'
    after `set_device("CPU")` on a machine with a GPU."""
    default = _config.jax_default_device
    return jax.default_backend() if default is None else default_device().platform


_shaped = functools.lru_cache(1024)(ShapedArray)
_config: Any = jax.config


def device_array(array):
    """`jax.device_put` of a NumPy array, in 4 us instead of 50."""
    sharding, devices = _placement(_config.jax_default_device)
    try:
        budget.spend(array.nbytes)
        return batched_device_put(
            _shaped(array.shape, array.dtype), sharding, [array], devices, committed=False
        )
    except (jax.errors.JaxRuntimeError, MemoryError) as error:
        raise memory_error(error, array, "elements-of-a-tensor") from error


class RanksProgram:
    """A `jax.jit` function over devices of several processes, compiled for arguments of these
    avals. Takes and returns the process' local arrays: global ones cost 5 us each."""

    def __init__(self, traced):
        self.compiled = traced.lower().compile()
        self.executable: Any = self.compiled.runtime_executable()

    def __call__(self, arrays):
        """Return the local results for the local arguments, a flat list."""
        results = self.executable.execute_sharded(arrays)
        return [x for (x,) in results.disassemble_into_single_device_arrays()]


@contextlib.contextmanager
def _starting_batch_threads():
    """Make threads started in the block not preempt others when they are woken.

    Gloo's thread polls for messages while another thread holds the connection. If it has preempted
    that thread, both lose a tick of the scheduler, 4 ms.
    """
    if not hasattr(os, "SCHED_BATCH") or (policy := os.sched_getscheduler(0)) != os.SCHED_OTHER:
        yield
        return
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, os.sched_param(0))


def axis_environment(sizes):
    """Return a context to trace functions that use mapped axes; `sizes`: {name: size}."""
    return extend_axis_env_nd(list(sizes.items()))


def coordinator() -> Any:
    """Return the connection to the coordinator of the processes."""
    return distributed.global_state.client


def bind_collectives(host):
    """Make the CPU collectives, which are not started yet, listen at this address; None: the
    address of this host's name."""

    def make():
        with _starting_batch_threads():
            collectives = _jax.make_gloo_tcp_collectives(coordinator(), hostname=host)
        return make_cpu_client(collectives)

    register_backend_factory("cpu", make, priority=0, fail_quietly=False)


def cluster_address(name):
    """Return the host and port of the coordinator of an MPI or Slurm job ('ompi', 'slurm'); None
    if the job does not specify it."""
    cluster: Any = {"ompi": OmpiCluster, "slurm": SlurmCluster}[name]
    return cluster.get_coordinator_address(None, None) if cluster.is_env_present() else None


# jaxprs -----------------------------------------------------------------------------------------

# primitives whose results have the shape of their operands, or of the operands that are not scalars
ELEMENTWISE = (
    "abs", "acos", "acosh", "add", "add_any", "and", "asin", "asinh", "atan", "atan2", "atanh",
    "bessel_i0e", "bessel_i1e", "bitcast_convert_type", "cbrt", "ceil", "clamp", "clz", "complex",
    "conj", "convert_element_type", "copy", "copy_p", "cos", "cosh", "digamma", "div", "eq", "erf",
    "erf_inv", "erfc", "exp", "exp2", "expm1", "floor", "ge", "gt", "igamma", "igamma_grad_a",
    "igammac", "imag", "integer_pow", "is_finite", "le", "lgamma", "log", "log1p", "log2",
    "logistic", "lt", "max", "min", "mul", "ne", "neg", "nextafter", "not", "one_minus_square",
    "or", "polygamma", "polynomial", "population_count", "pow", "real", "reduce_precision",
    "regularized_incomplete_beta", "rem", "round", "rsqrt", "select_n", "shift_left",
    "shift_right_arithmetic", "shift_right_logical", "sign", "sin", "sinh", "sqrt", "square",
    "stop_gradient", "sub", "tan", "tanh", "threefry2x32", "xor", "zeta",
)  # fmt: skip
# operations that call a jaxpr -> the parameter that holds it
CALLS = {
    "jit": "jaxpr", "pjit": "jaxpr", "remat": "jaxpr", "remat2": "jaxpr", "checkpoint": "jaxpr",
    "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "eval_jaxpr": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
    "custom_vjp_call_jaxpr": "fun_jaxpr",
}  # fmt: skip


def called(equation):
    """Return (jaxpr, constants) that an equation calls; None if it is not a call."""
    name = CALLS.get(equation.primitive.name)
    if name is None:
        return None
    callee = equation.params[name]
    return getattr(callee, "jaxpr", callee), getattr(callee, "consts", ())


def primitive_jaxpr(closed):
    """Return the closed jaxpr with the operations that JAX expands before it compiles, such as a
    search in a sorted array, lowered to primitives."""
    return lower_jaxpr2(closed) if getattr(closed, "is_high", False) else closed


def scan_counts(params):
    """Return (number of constants, number of carried values) of the operands of a scan."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    constants, carried, _ = params["ft_in"].unpack()  # since 0.12
    return len(constants), len(carried)


def with_jaxprs(function, value):
    """Return a parameter of an equation, with `function` applied to each jaxpr in it."""
    if isinstance(value, (Jaxpr, ClosedJaxpr)):
        return function(value)
    if isinstance(value, tuple) and any(isinstance(x, (Jaxpr, ClosedJaxpr)) for x in value):
        items = [with_jaxprs(function, x) for x in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def interpret(jaxpr, constants, inputs, evaluate, literal):
    """Evaluate a jaxpr on values of any type, such as layouts or names of other variables.

    `evaluate(equation, operands)`: the values of an equation's results. `literal(atom)`: the value
    of a literal.
    """
    known = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *inputs], strict=True))

    def read(atom):
        return literal(atom) if isinstance(atom, Literal) else known[atom]

    for equation in jaxpr.eqns:
        results = evaluate(equation, [read(atom) for atom in equation.invars])
        known.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def evaluated(equation, operands):
    """Return the list of results of an equation."""
    params = equation.primitive.get_bind_params(equation.params)
    results = equation.primitive.bind(*operands, **params)
    return results if equation.primitive.multiple_results else [results]


def call(closed, arrays):
    """Return the list of results of a `ClosedJaxpr` for traced arrays: the trace gets one equation
    if it has no effects, else all of its equations, which takes JAX longer."""
    if closed.effects:
        return jaxpr_as_fun(closed)(*arrays)
    params = closed_call_p.get_bind_params({"call_jaxpr": closed})
    return closed_call_p.bind(*arrays, **params)


def equations(jaxpr):
    """Yield all equations of a jaxpr and of the jaxprs in them, in order."""
    for equation in jaxpr.eqns:
        yield from within(equation)


def within(equation):
    """Yield an equation and all equations of the jaxprs in it, in order."""
    yield equation
    for inner in jaxprs_in(equation.params):
        yield from equations(inner)


def jaxprs_in(params):
    """Yield the jaxprs among the parameters of an equation, without their constants."""
    for value in params.values():
        for item in value if isinstance(value, tuple) else (value,):
            item = getattr(item, "jaxpr", item)
            if isinstance(item, Jaxpr):
                yield item


class ProgramBytes(NamedTuple):
    """The memory of a compiled program: `arguments`; `results`, without those that replace
    arguments; and `temporaries`."""

    arguments: int
    results: int
    temporaries: int


def program_bytes(compiled):
    """Return the `ProgramBytes` of a compiled program, as XLA plans them."""
    sizes = compiled.memory_analysis()
    results = sizes.output_size_in_bytes - sizes.alias_size_in_bytes
    return ProgramBytes(sizes.argument_size_in_bytes, results, sizes.temp_size_in_bytes)


def used_inputs(jaxpr, outputs=None):
    """Return, for each input of a jaxpr, whether its results (or these `outputs`, indices) depend
    on it."""
    wanted = [outputs is None or i in outputs for i in range(len(jaxpr.outvars))]
    return dce_jaxpr(jaxpr, wanted)[1]


def barrier(variable, beside, is_constant=True):
    """Return (a new variable, the equation that defines it as `variable` behind a barrier), with
    the source info of the equation `beside`.

    From jaxlib 0.12 on, XLA:CPU keeps an optimization barrier until it has fused operations, so
    that arrays on both sides of it are written to memory. So for real numbers, unless XLA knows
    them (`is_constant`), it is a `reduce_precision` to more bits than the dtype has: the simplifier
    does not know that it changes nothing, and no instruction is emitted for it. A TPU's compiler
    has not been tried."""
    dtype = variable.aval.dtype
    is_real = dtype.itemsize > 1 and jnp.issubdtype(dtype, np.floating)
    is_known = is_constant or default_platform() == "tpu"
    equation = _precise(dtype) if is_real and not is_known else _barrier()
    return _applied(equation, variable, beside)


def times_zero(variable, beside):
    """Return (a new variable, the equation that defines it as `variable` times 0), with the source
    info of the equation `beside`, for a 0-d array."""
    aval = variable.aval
    [product] = jax.make_jaxpr(lambda x: lax.mul(x, aval.dtype.type(0)))(aval).eqns
    return _applied(product, variable, beside)


def _applied(equation, variable, beside):
    """Return (a new variable of the same aval, `equation` with `variable` as its first operand)."""
    new = Var(variable.aval)
    names = {"invars": [variable, *equation.invars[1:]], "outvars": [new]}
    return new, equation.replace(**names, source_info=beside.source_info, ctx=beside.ctx)


@functools.cache
def _precise(dtype):
    info = jnp.finfo(dtype)
    widened = functools.partial(
        lax.reduce_precision, exponent_bits=info.nexp, mantissa_bits=info.nmant + 1
    )
    return jax.make_jaxpr(widened)(jax.ShapeDtypeStruct((1,), dtype)).eqns[0]


@functools.cache
def _barrier():
    return jax.make_jaxpr(lax.optimization_barrier)(np.float32(0)).eqns[0]


# the compilation cache --------------------------------------------------------------------------


def set_compilation_cache(path, cache):
    """Make JAX use `cache`, with methods `get` and `put`, for its cache directory `path`.

    Raises ImportError or AttributeError if this JAX opens its cache in another way."""
    from jax._src import compilation_cache  # the caller can do without it

    open_default = compilation_cache.get_file_cache

    def open_cache(opened):
        return (cache, opened) if opened == path else open_default(opened)

    compilation_cache.get_file_cache = open_cache


@contextlib.contextmanager
def compiled_for_once():
    """Keep programs compiled in the block out of the persistent cache."""
    with persistent_cache_min_compile_time_secs(float("inf")):
        yield


# programs in files ------------------------------------------------------------------------------


def serialized_executable(compiled):
    """Return a `jax.stages.Compiled` as bytes; None for one that calls back into Python, or whose
    constants are arguments."""
    try:
        return serialize_executable.serialize(compiled)[0]
    except (AttributeError, NotImplementedError, TypeError, ValueError, pickle.PicklingError):
        return None
    except jax.errors.JaxRuntimeError:  # this XLA cannot serialize it
        return None


def loaded_executable(content, arguments, n_results, device):
    """Return the function of such bytes. They are trusted: JAX unpickles them, and they are code.
    `arguments`: a tree like its arguments; it returns a list."""
    trees = jax.tree.structure((arguments, {})), jax.tree.structure([0] * n_results)
    return serialize_executable.deserialize_and_load(
        bytes(content), *trees, backend=device.client, execution_devices=[device]
    )


def initialize_lapack():
    """Find the functions of LAPACK, as JAX does when it lowers a program that calls them."""
    lapack._lapack.initialize()  # pyright: ignore[reportPrivateImportUsage]


def module_text(artifact):
    """Return the text of a StableHLO artifact's MLIR module. Only for bytes that JAX wrote: MLIR's
    reader trusts them, and corrupts memory if they were modified."""
    with mlir.make_ir_context():
        return str(_jax.mlir.deserialize_portable_artifact(artifact))


def stablehlo_version():
    """Return the StableHLO version of this jaxlib, as text."""
    return hlo.get_current_version()


def portable_artifact(text, oldest):
    """Return (the StableHLO artifact of a module's text, its version): `oldest` if that version can
    represent the module, else this jaxlib's version."""
    _, artifact = parsed_module(text)
    here = stablehlo_version()
    version = hlo.get_smaller_version(here, oldest)
    try:
        return artifact(version), version
    except (RuntimeError, ValueError):
        return artifact(here), here


def parsed_module(text):
    """Return (the verified MLIR module of a text, a function that returns its StableHLO artifact).
    Raises the parser's errors, and ValueError if the module is invalid."""
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        if not module.operation.verify():
            raise ValueError("its operations do not fit together")

    def artifact(version=None):
        with module.context:
            version = version or hlo.get_current_version()
            return _jax.mlir.serialize_portable_artifact(module, version, True)

    return module, artifact


# symbolic dimensions ----------------------------------------------------------------------------

_DimExpr: Any = type(symbolic_shape("n")[0])

# (one, other or None) -> None, called when a `ComparedDim` compares unequal to another size, or is
# hashed (None)
on_comparison: ContextVar[Any] = ContextVar("on_comparison", default=None)


class ComparedDim(_DimExpr):
    """A symbolic dimension whose comparisons can be observed: JAX treats two sizes as unequal
    whenever they may differ."""

    __slots__ = ()

    def __eq__(self, other):
        if isinstance(other, _DimExpr):
            same = self.scope is other.scope and self._eq(other)
        else:
            same = _DimExpr.__eq__(self, other)
        observe = on_comparison.get()
        if observe is not None and not same and isinstance(other, (int, _DimExpr)):
            observe(self, other)
        return same

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        observe = on_comparison.get()
        if observe is not None:
            observe(self, None)
        return _DimExpr.__hash__(self)


def _compared(size):
    """Return the size as a `ComparedDim`; numbers and arrays unchanged."""
    if isinstance(size, tuple):
        return tuple(map(_compared, size))
    return ComparedDim(size._sorted_terms, size.scope) if type(size) is _DimExpr else size


def _arithmetic(method):
    def run(*operands):
        return _compared(method(*operands))

    return run


for _name in (
    "add", "radd", "sub", "rsub", "neg", "mul", "rmul", "pow", "floordiv", "rfloordiv", "mod",
    "rmod", "divmod", "rdivmod",
):  # fmt: skip
    setattr(ComparedDim, f"__{_name}__", _arithmetic(getattr(_DimExpr, f"__{_name}__")))
for _name in ("max", "rmax", "min", "rmin"):
    setattr(ComparedDim, _name, _arithmetic(getattr(_DimExpr, _name)))


def compared_dims(names, scope):
    """Return a symbolic dimension for each name."""
    return _compared(symbolic_shape(", ".join(names), scope=scope))


def is_symbolic(size):
    """Return True if a size is a symbolic dimension."""
    return isinstance(size, _DimExpr)


def evaluate_size(size, symbols):
    """Evaluate a size; `symbols`: the symbols' values, ints or symbolic dimensions."""
    if not isinstance(size, _DimExpr):
        return size
    value: Any = size._evaluate(symbols)
    return value if isinstance(value, _DimExpr) else int(value)


def fold_size(size, symbol, number, apply):
    """Compute a size from its parts: `symbol(name)`, `number(int)`, and `apply(operation, a, b)`
    for 'add', 'mul', 'floordiv', 'mod', 'max' and 'min'."""
    if not isinstance(size, _DimExpr):
        return number(size)

    def of_factor(factor):
        if factor.var is not None:
            return symbol(factor.var)
        parts = [fold_size(part, symbol, number, apply) for part in factor.operands]
        return apply(factor.operation, *parts)

    def of_term(term, coefficient):
        powers = () if term.is_constant else term._factors
        factors = [of_factor(factor) for factor, exponent in powers for _ in range(exponent)]
        if coefficient != 1 or not factors:
            factors.append(number(int(coefficient)))
        return functools.reduce(functools.partial(apply, "mul"), factors)

    terms = [of_term(*pair) for pair in size._sorted_terms]
    return functools.reduce(functools.partial(apply, "add"), terms)


def terms_of(size) -> list[tuple[int, Any]] | None:
    """Return a symbolic dimension as a sum: (coefficient, ((name, exponent), ...)) for each term,
    or None if it is not a polynomial (a quotient, a remainder, a maximum)."""
    terms = []
    for term, coefficient in size._sorted_terms:
        powers = () if term.is_constant else term._factors
        if any(factor.var is None for factor, _ in powers):
            return None
        powers = sorted([(factor.var, exponent) for factor, exponent in powers])
        terms.append((coefficient, powers))
    return terms
