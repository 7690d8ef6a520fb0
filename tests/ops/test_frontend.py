"""Functions of MindSpore's compiler on Python's values: branches, environments, pullbacks, and the
registries and conversions that scripts import. Their results: `tests/ops/test_expressions.py`."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, jit, nn, ops
from sporax._src.core.dtype import Type
from sporax._src.mindspore.compat import arg_dtype_cast, arg_handler, generated_functions

pytestmark = pytest.mark.usefixtures("on_numpy")

X = Tensor([-1.0, 2.0])
LAYERS = nn.ReLU(), nn.Tanh(), nn.Sigmoid()


class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([*LAYERS])

    def construct(self, index, x):
        return ops.switch_layer(index, self.layers)(x)


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize(("index", "layer"), [(0, 0), (1, 1), (2, 2), (-1, 2), (-3, 0)])
def test_switch_layer_chooses_by_index(index, layer, captured):
    net = Layers()
    run = jit(net) if captured else net
    result = run(Tensor(index), X).asnumpy()
    np.testing.assert_allclose(result, LAYERS[layer](X).asnumpy())


@pytest.mark.parametrize("holds", [False, True])
def test_switch_of_values_and_of_functions(holds):
    @jit
    def chosen(cond, x):
        of_functions = ops.switch(cond, lambda x: x + 1, lambda x: x * 10)(x)
        return ops.switch(cond, x, -x), of_functions

    value, result = chosen(Tensor(holds), X)
    assert value.asnumpy().tolist() == ([-1, 2] if holds else [1, -2])
    assert result.asnumpy().tolist() == ([0, 3] if holds else [-10, 20])
    assert ops.merge(ops.geswitch(X, Tensor(holds)))[1].item() == holds
    assert ops.Merge()(ops.GeSwitch()(X, holds))[0] is X


class Affine(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([3.0, 4.0]), name="weight")

    def construct(self, x):
        return self.weight * x


def test_j_gives_value_and_pullback_of_a_function_and_of_a_cell():
    (product, total), back = ops.J(lambda x, y: (x * y, x + y))(X, X)
    assert (product.asnumpy().tolist(), total.asnumpy().tolist()) == ([1, 4], [-2, 4])
    env, by_x, by_y = back((Tensor([1.0, 1.0]), Tensor([10.0, 10.0])))
    assert by_x.asnumpy().tolist() == by_y.asnumpy().tolist() == [9, 12]
    assert len(env) == 0
    cell = Affine()
    _, back = ops.J(cell)(X)
    env, by_x = back(Tensor([1.0, 1.0]))
    assert by_x.asnumpy().tolist() == [3, 4]
    assert ops.env_get(env, cell.weight).asnumpy().tolist() == [-1, 2]
    both = ops.environ_add(env, env)
    assert ops.env_get(both, cell.weight).asnumpy().tolist() == [-2, 4]
    other = Parameter(Tensor([7.0]), name="other")
    assert ops.env_get(env, other).asnumpy().tolist() == [0]
    changed = ops.environ_set(env, ops.ref_to_embed(other), X)
    assert ops.environ_get(changed, ops.embed(other), None) is X and len(env) == 1


@jit
def in_a_captured_function(x, n):
    value, back = ops.J(lambda x: x * x)(x)
    kinds = ops.isconstant(x), ops.isconstant(3), ops.hastype(x, ms.tensor_type)
    pairs = ops.zip_operation((1, 2), (x, n))
    return ops.scalar_add(n, 1), back(value)[1], kinds, pairs, ops.tuple_getitem((x, n), 1)


def test_functions_of_python_values_are_captured():
    for n in (1, 5, 7):
        total, gradient, kinds, pairs, item = in_a_captured_function(X, n)
        assert (total, item, pairs[1]) == (n + 1, n, (2, n))
        assert gradient.asnumpy().tolist() == [-2, 16] and kinds == (False, True, True)


def test_transforms_as_objects():
    def f(x, y):
        return x * y, y

    x, y = Tensor([3.0]), Tensor([5.0])
    assert ops._Grad()(lambda x: x * x)(x).item() == 6
    by_x, by_y = ops._Grad(get_all=True)(lambda x, y: x * y)(x, y)
    assert (by_x.item(), by_y.item()) == (5, 3)
    assert ops._Grad(get_by_position=True)(lambda x, y: x * y, None, 1)(x, y).item() == 3
    gradient, rest = ops._Grad(get_by_position=True, has_aux=True)(f)(x, y)
    assert gradient.item() == 5 and rest[0].item() == 5
    value, gradient = ops._Grad(get_by_position=True, get_value=True)(lambda x: x * x)(x)
    assert (value.item(), gradient.item()) == (9, 6)
    assert ops._Vmap()(lambda x: x.sum(), 1, 0)(Tensor([[1.0, 2.0]])).asnumpy().tolist() == [1, 2]
    assert ms.grad(ops.recompute_block(lambda x: x * x))(x).item() == 6


def test_python_code_of_primitives_is_found_and_run():
    @ops.vm_impl_registry.register("OnlyInThisTest")
    def implementation(self):
        return lambda x: x * len(self.name)

    assert ops.get_vm_impl_fn("OnlyInThisTest") is implementation
    prim = ops.Primitive("OnlyInThisTest")
    assert prim(X).asnumpy().tolist() == [-14, 28] and ops.get_vm_impl_fn(prim) is implementation
    assert ops.get_vm_impl_fn("Absent") is None
    with pytest.raises(NotImplementedError, match="'Absent'"):
        ops.Primitive("Absent")(X)
    with pytest.raises(TypeError, match="'prim' must be"):
        ops.get_vm_impl_fn(3)


def test_registries_signatures_and_generated_names_lead_to_functions():
    registry = ops.tensor_operator_registry
    assert registry.get("add") is ops.add and registry.get("ReduceSum") is ops.ReduceSum
    assert registry.get("clamp_") is ops.clamp_ and registry.get("is_signed") is Tensor.is_signed
    registry.own = len
    assert registry.get("own") is len
    with pytest.raises(AttributeError, match="'nope'"):
        registry.get("nope")
    with pytest.raises(TypeError, match="must be a str"):
        registry.get(3)
    sig = ops.signature
    made = sig.make_sig("x", sig.sig_rw.RW_WRITE, dtype=sig.sig_dtype.T1)
    assert (made.name, made.rw, made.dtype) == ("x", 1, 1)
    assert generated_functions.softmax_impl is ops.softmax
    assert generated_functions.ConcatPrim_ is ops.Concat
    assert generated_functions.op_args_default_value["Softmax"] == {"axis": -1}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("to_pair('op', 'x', 3)", (3, 3)), ("to_kernel_size('op', 'x', (1, 1, 2, 3))", (2, 3)),
        ("to_strides('op', 'x', 2)", (2, 2)), ("to_2d_paddings('op', 'x', 1)", (1, 1)),
        ("str_to_enum('op', 'x', 'NHWC')", 1), ("str_to_enum('op', 'x', None)", None),
        ("_normalize_int_sequence('op', 'x', [1, Tensor(2)])", [1, 2]),
        ("_scalar_tensor_to_int('op', 'x', Tensor(3))", 3), ("_scalar_tensor_to_int('', '', 4)", 4),
        ("generator_handler('op', 'x', (1, 'a'))[1]", "a"),
        ("dtype_to_type_id('', '', ms.int8)", 32),
        ("cast.type_it('op', 'x', 3, cast.DT_INT_VAL, cast.DT_TUPLE_INT_VAL)", (3,)),
        ("cast.type_it('op', 'x', [3], cast.DT_LIST_INT_VAL, cast.DT_TUPLE_INT_VAL)", (3,)),
        ("cast.type_it('op', 'x', Tensor([3]), cast.DT_TENSOR_VAL, cast.DT_TUPLE_INT_VAL)", (3,)),
        ("cast.type_it('op', 'x', Tensor(3), cast.DT_TENSOR_VAL, cast.DT_FLOAT_VAL)", 3.0),
        ("cast.type_it('op', 'x', 2, cast.DT_INT_VAL, cast.DT_TENSOR_VAL).dtype", ms.int32),
        ("cast.type_it('op', 'x', None, cast.DT_INT_VAL, cast.DT_TENSOR_VAL)", None),
        ("(cast.DT_TENSOR_VAL, cast.DT_LIST_ANY_VAL, cast.DT_TYPE_VAL)", (5, 21, 22)),
    ],
)  # fmt: skip
def test_conversions_of_arguments(call, expected):
    names = {**vars(arg_handler), "cast": arg_dtype_cast, "Tensor": Tensor, "ms": ms}
    assert eval(call, names) == expected


WRONG = [
    (lambda: arg_handler.to_pair("op", "x", "a"), ValueError, "'x' is invalid"),
    (lambda: arg_handler.str_to_enum("op", "x", "nope"), ValueError, "'nope'"),
    (lambda: arg_dtype_cast.type_it("op", "x", "a", 2, 8), TypeError, "DT_INT_VAL"),
    (lambda: ops.switch_layer(3, LAYERS), IndexError, r"\[-3, 3\)"),
    (lambda: ops.environ_set({}, 1, 2), TypeError, "environ_create"),
    (lambda: ops.ref_to_embed(X), TypeError, "Parameter"),
    (lambda: ops.ms_next(()), IndexError, "ms_hasnext"),
    (lambda: ops.merge((None,)), ValueError, "not None"),
    (lambda: ops._Grad(get_all=1), TypeError, "'get_all' must be a bool"),
    (lambda: ops.tuple_div((4, 7), (2, 3)), ValueError, "multiple"),
    (lambda: ops.tuple_div((4, 7), (2, 0)), ValueError, "multiple"),
    (lambda: ops.tuple_div((4,), (2, 2)), ValueError, "as many ints"),
    (lambda: ops.broadcast_gradient_args((2, 3), (4,)), ValueError, "broadcast together"),
    (lambda: ops.op_info_register({"op_name": "x"}), ValueError, "imply_type"),
    (lambda: ops.all_gather_matmul(X, X, "g", 2), ValueError, "'group' must be the name"),
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG, ids=range(len(WRONG)))
def test_wrong_arguments_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_products_across_a_group_of_one():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(4, 3)
    group = "hccl_world_group"
    product, gathered = ops.all_gather_matmul(Tensor(a), Tensor(b), group, 1, trans_x2=True)
    np.testing.assert_allclose(product.asnumpy(), a @ b.T)
    np.testing.assert_allclose(gathered.asnumpy(), a)
    part = ops.matmul_reduce_scatter(
        Tensor(a.T), Tensor(b), group, 1, trans_input=True, trans_x2=True
    )
    np.testing.assert_allclose(part.asnumpy(), a @ b.T)
    empty = ops.all_gather_matmul(Tensor(a), Tensor(b.T), group, 1, gather_output=False)[1]
    assert empty.shape == (0,)


def test_in_place_functions_write_to_their_argument():
    for call, expected in [
        ("clamp_(x, 0.5, 2)", [0.5, 0.5]), ("zero_(x)", [0, 0]), ("tanh_(x)", np.tanh([0.5, -0.5])),
        ("inplace_sigmoid(x)", 1 / (1 + np.exp([-0.5, 0.5]))),
        ("erfinv_(x)", [0.476936, -0.476936]),
        ("put_(x, Tensor([1]), Tensor([9.0]))", [0.5, 9]),
    ]:  # fmt: skip
        x = Tensor([0.5, -0.5])
        eval(call, {**vars(ops), "x": x, "Tensor": Tensor})
        np.testing.assert_allclose(x.asnumpy(), expected, rtol=1e-5)
    assert ops.fills(X, 3).asnumpy().tolist() == [3, 3]
    pooled = ops.adaptive_avg_pool2d_ext(Tensor(np.arange(16.0).reshape(1, 1, 4, 4)), (2, 2))
    assert pooled.asnumpy().ravel().tolist() == [2.5, 4.5, 10.5, 12.5]
    assert ops.mse_loss_ext(X, Tensor([0.0, 0.0])).item() == 2.5


def test_attributes_and_layouts_of_other_devices_change_nothing():
    doubled = ops._add_attr(lambda x: x * 2, recompute=True)
    assert doubled(X).asnumpy().tolist() == [-2, 4] and doubled.attrs == {"recompute": True}
    with pytest.raises(TypeError, match="no Primitive"):
        ops._add_attr(ops.ReLU())
    assert ops.Reshard(None, None, None)(X) is X and ops.reshard(X, None) is X


def test_environments_and_bools():
    env = ops.environ_set(ops.environ_create(), "a", X)
    assert ops.environ_get(env, "a", None) is X and ops.environ_get(env, "b", 3) == 3
    assert (ops.bool_not(True), ops.bool_not(False)) == (False, True)


def test_arrays_reduced_and_distributed():
    x = np.arange(24.0).reshape(2, 3, 4)
    for shape, axes in [((3, 4), 0), ((1, 4), (0, 1)), ((2, 1, 4), 1), ((), (0, 1, 2))]:
        reduced = ops.array_reduce(ops.maximum, Tensor(x), shape)
        np.testing.assert_allclose(reduced.asnumpy(), x.max(axes).reshape(shape))
    assert ops.distribute(Tensor([[1.0], [2.0]]), (2, 3)).asnumpy().tolist() == [[1] * 3, [2] * 3]
    with pytest.raises(ValueError, match="'shape' must broadcast"):
        ops.array_reduce(ops.add, Tensor(x), (5,))


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("ignore", [False, True])
def test_the_class_median(keep, ignore):
    x = np.array([[3.0, 1, 2, 7], [np.nan, 5, 4, 9], [8, 6, 0, 2]])
    compute = np.nanpercentile if ignore else np.percentile
    for axis in (0, 1):
        values, at = ops.Median(False, axis, keep, ignore)(Tensor(x))
        expected = compute(x, 50, axis=axis, keepdims=keep, method="lower")
        np.testing.assert_allclose(values.asnumpy(), expected)
        at = at.asnumpy() if keep else np.expand_dims(at.asnumpy(), axis)
        values = values.asnumpy() if keep else np.expand_dims(values.asnumpy(), axis)
        np.testing.assert_array_equal(np.take_along_axis(x, at, axis), values)
    value, at = ops.Median(True, ignore_nan=ignore)(Tensor(x))
    np.testing.assert_allclose(value.asnumpy(), compute(x, 50, method="lower"))
    assert at.item() == 0
    with pytest.raises(TypeError, match="'global_median' must be a bool"):
        ops.Median(global_median=1)(Tensor(x))


def test_tensor_types_are_types():
    kind = ms.TensorType(ms.float32)
    assert str(kind) == "Tensor[Float32]" and kind.element_type() == ms.float32
    assert kind == ops.typeof(X) and isinstance(kind, Type)
    assert ops.array_to_scalar(Tensor(3)) == 3 and ops.iter_converter({"a": 1}) == ("a",)
    assert ops.ms_hasnext((1,)) and ops.ms_next((1, 2)) == (1, (2,))
