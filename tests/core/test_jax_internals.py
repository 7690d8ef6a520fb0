"""The private names of JAX in use: one file has them, a row says what breaks without each."""

import ast
import operator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import compilation_cache
from jax.export import SymbolicScope

from sporax._src.core import jax_internals as internals

ROOT = Path(__file__).parents[2] / "sporax"
PRIVATE = ("jax._src", "jax.extend", "jax.interpreters", "jaxlib")
TRACED = jax.make_jaxpr(lambda x, y: (x + 1.0) * 2.0)(jnp.ones(2), jnp.ones(3))


def dims():
    return internals.compared_dims(["m", "n"], SymbolicScope(["m >= 2"]))


def jaxpr_types():
    assert isinstance(TRACED, internals.ClosedJaxpr)
    (step, _) = TRACED.jaxpr.eqns
    assert isinstance(step.invars[1], internals.Literal)
    assert step.invars[1].val == 1.0


def jaxpr_as_function():
    (out,) = internals.jaxpr_as_fun(TRACED)(jnp.ones(2), jnp.ones(3))
    assert out.tolist() == [4.0, 4.0]


def calls_of_jaxprs():
    def program(x, y):
        return internals.call(TRACED, [x, y])

    assert len(jax.make_jaxpr(program)(jnp.ones(2), jnp.ones(3)).eqns) == 1
    (out,) = jax.jit(program)(jnp.ones(2), jnp.ones(3))
    assert out.tolist() == [4.0, 4.0]
    seen = []
    logged = jax.make_jaxpr(lambda x: (jax.debug.callback(seen.append, x), x + 1)[1])(1.0)
    (out,) = jax.jit(lambda x: internals.call(logged, [x]))(1.0)
    jax.effects_barrier()
    assert (float(out), len(seen)) == (2.0, 1)


def interpretation():
    inner = jax.jit(lambda x: x * 3)
    traced = jax.make_jaxpr(lambda x, y: (inner(x) + y, 2.0))(1.0, 1.0).jaxpr

    def text(equation, operands):
        call = internals.called(equation)
        if call is not None:
            return internals.interpret(*call, operands, text, lambda atom: str(atom.val))
        return [f"{equation.primitive.name}({', '.join(operands)})"]

    results = internals.interpret(traced, (), ["x", "y"], text, lambda atom: str(atom.val))
    assert results == ["add(mul(x, 3.0), y)", "2.0"]


def counts_of_scans():
    def run(offset, first, xs):
        return jax.lax.scan(lambda c, x: ((c[0] + x, c[1] * offset), c[0]), (first, first), xs)

    traced = jax.make_jaxpr(run)(2.0, 1.0, jnp.ones(3))
    (params,) = [e.params for e in traced.eqns if e.primitive.name == "scan"]
    assert internals.scan_counts(params) == (1, 2)


def primitives_of_expansions():
    traced = jax.make_jaxpr(jnp.searchsorted)(jnp.ones(4), jnp.ones(2))
    made = internals.primitive_jaxpr(traced)
    names = {equation.primitive.name for equation in internals.equations(made.jaxpr)}
    assert "call_hi_primitive" not in names
    assert internals.primitive_jaxpr(made) is made


def dead_code():
    assert internals.used_inputs(TRACED.jaxpr) == [True, False]


def texts_of_programs():
    exported = jax.export.export(jax.jit(jnp.sin))(jnp.ones(2))
    text = internals.module_text(exported.mlir_module_serialized)
    module, artifact = internals.parsed_module(text)
    assert "stablehlo.sine" in text and str(module) == text
    assert internals.module_text(artifact()) == text


def barriers():
    first, second = TRACED.jaxpr.eqns
    variable, equation = internals.barrier(second.invars[0], beside=first)
    second = second.replace(invars=[variable, *second.invars[1:]])
    jaxpr = TRACED.jaxpr.replace(eqns=[first, equation, second])
    run = jax.jit(internals.jaxpr_as_fun(internals.ClosedJaxpr(jaxpr, TRACED.consts)))
    lowered = run.lower(jnp.ones(2), jnp.ones(3))
    assert "optimization_barrier" in lowered.as_text()
    assert lowered.compile()(jnp.ones(2), jnp.ones(3))[0].tolist() == [4.0, 4.0]


def products_with_zero():
    first, second = jax.make_jaxpr(lambda x: (x + 1.0) * 2.0)(-3.0).jaxpr.eqns
    variable, equation = internals.times_zero(second.invars[0], beside=first)
    assert equation.invars[0] is second.invars[0] and equation.outvars == [variable]
    ((result,),) = [internals.evaluated(equation, [-2.0, equation.invars[1].val])]
    assert str(result) == "-0.0"


def cache_is_exchanged():
    before = compilation_cache.get_file_cache
    try:
        internals.set_compilation_cache("folder", "cache")
        assert compilation_cache.get_file_cache("folder") == ("cache", "folder")
    finally:
        compilation_cache.get_file_cache = before


def programs_for_once():
    with internals.compiled_for_once():
        assert jax.config.jax_persistent_cache_min_compile_time_secs == float("inf")
    assert jax.config.jax_persistent_cache_min_compile_time_secs < float("inf")


def terms_of_sizes():
    m, n = dims()
    assert internals.terms_of(m * m * n * 3 - n + 4) == [
        (3, [("m", 2), ("n", 1)]), (-1, [("n", 1)]), (4, []),
    ]  # fmt: skip
    assert internals.terms_of(m // 2) is None
    size = (m * m * 3 + n // 2) % 7 + m
    numbers = {"m": 5, "n": 9}
    found = internals.fold_size(size, numbers.get, int, _computed)
    assert found == (25 * 3 + 9 // 2) % 7 + 5


def _computed(operation, one, other):
    return getattr(operator, operation)(one, other)


def comparisons_of_sizes():
    m, n = dims()
    seen = []
    token = internals.on_comparison.set(lambda one, other: seen.append((str(one), str(other))))
    try:
        assert not (m + 1 == 8 or m * 2 == n)
        assert m + n == n + m
        hash(m)
    finally:
        internals.on_comparison.reset(token)
    assert seen == [("m + 1", "8"), ("2*m", "n"), ("m", "None")]
    assert m != n
    assert len(seen) == 3


def arithmetic_of_sizes():
    m, n = dims()
    binary = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod)
    sizes = [f(m, 3) for f in binary] + [f(7, m) for f in binary] + [f(m, n) for f in binary[:3]]
    sizes += [-m, m**2, *divmod(m, 2), m.max(4), m.min(n)]
    assert {type(size) for size in sizes} == {internals.ComparedDim}


def sizes_in_shapes():
    m, n = dims()
    spec = jax.ShapeDtypeStruct((m, n), np.float32)
    out = jax.eval_shape(lambda x: jnp.concatenate([x, x]).reshape(-1), spec)
    assert internals.terms_of(out.shape[0]) == [(2, [("m", 1), ("n", 1)])]


def values_of_sizes():
    m, n = dims()
    assert internals.is_symbolic(m)
    assert not internals.is_symbolic(3)
    assert internals.evaluate_size(m * 2 // 3, {"m": 4}) == 2
    assert internals.evaluate_size(m + 1, {"m": n}) == n + 1
    assert type(internals.evaluate_size(m - 1, {"m": 4})) is int
    assert internals.evaluate_size(3, {}) == 3


def arrays_on_a_device():
    source = np.arange(6.0).reshape(2, 3)
    out = internals.device_array(source)
    assert (out.dtype, out.tolist()) == (np.float64, source.tolist())
    assert out.devices() == jax.device_put(source).devices()
    assert not out.committed


def programs_of_ranks():
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("rank",))
    whole = jax.sharding.PartitionSpec()
    run = jax.shard_map(
        lambda x, y: (jax.lax.psum(x, "rank") + 1, x[:1]), mesh=mesh, in_specs=whole,
        out_specs=whole, check_vma=False,
    )  # fmt: skip
    arrays = [internals.device_array(np.arange(3.0)), internals.device_array(np.ones(2))]
    sharding = jax.sharding.NamedSharding(mesh, whole)
    specs = [jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding) for x in arrays]
    traced = jax.jit(run, donate_argnums=(0,), keep_unused=True).trace(*specs)
    outs = internals.RanksProgram(traced)(arrays)
    assert [x.tolist() for x in outs] == [[1.0, 2.0, 3.0], [0.0]]
    assert [x.is_deleted() for x in arrays] == [True, False]
    assert outs[0].sharding == jax.sharding.SingleDeviceSharding(jax.devices()[0])


def axes_of_ranks():
    with internals.axis_environment({"rank": 2}):
        traced = jax.make_jaxpr(lambda x: jax.jit(lambda x: jax.lax.psum(x, "rank"))(x))(1.0)
    names = [equation.primitive.name for equation in internals.equations(traced.jaxpr)]
    assert names[0] in internals.CALLS and names[-1].startswith("psum")


def collectives_of_cpus():
    parameters = internals._jax.make_gloo_tcp_collectives.__doc__
    assert "distributed_client" in parameters and "hostname" in parameters
    assert internals.register_backend_factory and internals.make_cpu_client


def stores_of_coordinators():
    assert internals.coordinator() is None  # this process is alone


def addresses_of_clusters():
    slurm = {
        "SLURM_JOB_ID": "7", "SLURM_STEP_NODELIST": "a[1-2]", "SLURM_NTASKS": "2",
        "SLURM_PROCID": "1", "SLURM_LOCALID": "0",
    }  # fmt: skip
    assert internals.cluster_address("slurm") is None
    with pytest.MonkeyPatch.context() as patch:
        for name, value in slurm.items():
            patch.setenv(name, value)
        assert internals.cluster_address("slurm") == f"a1:{7 + 65535 - 2**12 + 1}"
        patch.setenv("OMPI_MCA_orte_hnp_uri", "4096.0;tcp://10.0.0.1:34911")
        assert internals.cluster_address("ompi") == f"10.0.0.1:{1 + 65535 - 2**12 + 1}"


def started_backends():
    jax.devices()
    assert internals.backends_are_initialized() is True


def primitives_with_rules():
    primitive = internals.Primitive("tripled")
    primitive.def_impl(lambda x: 3 * x)
    primitive.def_abstract_eval(lambda x: x)
    lowering = internals.mlir.lower_fun(lambda x: 3 * x, multiple_results=False)
    internals.mlir.register_lowering(primitive, lowering)
    internals.batching.primitive_batchers[primitive] = lambda xs, axes: (
        primitive.bind(*xs),
        axes[0],
    )

    def jvp(primals, tangents):
        return primitive.bind(*primals), primitive.bind(*map(ad.instantiate_zeros, tangents))

    def transposed(cotangent, x):
        assert ad.is_undefined_primal(x)
        return (primitive.bind(cotangent),)

    ad = internals.ad
    ad.primitive_jvps[primitive], ad.primitive_transposes[primitive] = jvp, transposed
    x = jnp.arange(2.0)
    assert jax.jit(primitive.bind)(x).tolist() == [0.0, 3.0]
    assert jax.vmap(jax.value_and_grad(primitive.bind))(x)[1].tolist() == [3.0, 3.0]


# (what is in use, what breaks if it goes, a check of it)
ROWS = [
    ("execute_sharded", "collectives on each rank's own arrays", programs_of_ranks),
    ("make_gloo_tcp_collectives", "ranks listen on loopback", collectives_of_cpus),
    ("distributed", "what ranks tell each other", stores_of_coordinators),
    ("extend_axis_env_nd", "shapes of collectives", axes_of_ranks),
    ("OmpiCluster", "mpirun on several hosts", addresses_of_clusters),
    ("SlurmCluster", "srun", addresses_of_clusters),
    ("backends_are_initialized", "the warning about flags that come too late", started_backends),
    ("batched_device_put", "what the interpreter returns", arrays_on_a_device),
    ("ClosedJaxpr, Literal", "interpreting jaxprs: NumPy, padding, barriers", jaxpr_types),
    ("JaxprEqn.params of calls", "the same: what is called has no rule", interpretation),
    ("jaxpr_as_fun", "programs with barriers", jaxpr_as_function),
    ("closed_call_p", "programs for a CPU, each traced once", calls_of_jaxprs),
    ("Var, JaxprEqn.replace", "barriers between constants", barriers),
    ("Var, JaxprEqn.replace of products", "zero for denormal constants", products_with_zero),
    ("Primitive, ad, batching, mlir", "recurrent layers: their primitives", primitives_with_rules),
    ("num_carry or ft_in of a scan", "scans on NumPy, with barriers, in ONNX", counts_of_scans),
    ("lower_jaxpr2", "searches and nonzero on NumPy", primitives_of_expansions),
    ("dce_jaxpr", "which operands saved_tensors_hooks pack; checks of indices", dead_code),
    ("compilation_cache", "the bound of the folder of compiled programs", cache_is_exchanged),
    ("persistent_cache_min_compile_time_secs", "profiles by Cell", programs_for_once),
    ("portable artifacts", "graph files", texts_of_programs),
    ("_sorted_terms, _factors", "dynamic shapes: padding, buckets", terms_of_sizes),
    ("_DimExpr._evaluate", "plans for all sizes", values_of_sizes),
    ("_DimExpr.__eq__", "dynamic shapes: code that compares a size", comparisons_of_sizes),
    ("_DimExpr.__add__", "dynamic shapes: code that compares with a sum", arithmetic_of_sizes),
    ("subclass of _DimExpr", "dynamic shapes: all", sizes_in_shapes),
]


@pytest.mark.parametrize(("name", "breaks", "works"), ROWS, ids=[row[0] for row in ROWS])
def test_jax_still_has_it(name, breaks, works):
    works()


def test_one_file_has_them_all():
    result = set()
    for path in ROOT.rglob("*.py"):
        text = path.read_text("utf8")
        if "jax" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            names = [module or ""]
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif module == "jax":
                names = [f"jax.{alias.name}" for alias in node.names]
            if any(name.startswith(PRIVATE) for name in names):
                result.add(path.relative_to(ROOT).as_posix())
    of_version = "_src/versions.py"
    assert result == {"_src/core/jax_internals.py", of_version}
