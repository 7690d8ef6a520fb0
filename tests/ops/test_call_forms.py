"""One declaration, many faces: function, method, class and mint give the same."""

import numpy as np
import pytest

from sporax import mint, ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of

pytestmark = pytest.mark.usefixtures("on_numpy")

X = np.array([[0.5, -1.25, 2.0], [3.0, 0.75, -0.5]], np.float32)
Y = np.array([[1.5, 0.25, -2.0], [0.5, 2.75, 1.0]], np.float32)
AT = np.array([[2, 0, 1], [1, 1, 0]])
MASK = X > 0

# every way of calling that is to give the same as the first; x, y, at, mask are the tensors above
SAME = """
ops.add(x, y) | x + y | x.add(y) | ops.Add()(x, y) | mint.add(x, y) | y.__radd__(x)
ops.sub(x, y) | x - y | x.sub(y) | ops.Sub()(x, y) | mint.sub(x, y) | ops.subtract(x, y)
ops.mul(x, y) | x * y | x.mul(y) | ops.Mul()(x, y) | mint.mul(x, y) | x.multiply(y)
ops.div(x, y) | x / y | x.div(y) | ops.Div()(x, y) | ops.RealDiv()(x, y) | mint.div(x, y)
    | x.true_divide(y)
ops.floor_divide(x, y) | x // y | ops.floor_div(x, y) | ops.FloorDiv()(x, y)
    | mint.floor_divide(x, y)
ops.floor_mod(x, y) | x % y | x.remainder(y) | ops.FloorMod()(x, y) | mint.remainder(x, y)
ops.fmod(x, y) | ops.Mod()(x, y) | x.fmod(y)
ops.pow(x, 2) | x ** 2 | x ** 2.0 | x.pow(2) | ops.Pow()(x, 2) | mint.pow(x, 2) | ops.square(x)
    | x * x
2.0 ** x | ops.pow(2.0, x) | ops.exp2(x)
1 - x | ops.sub(1, x) | 1.0 - x
3 / x | ops.div(3, x)
x.add(y, alpha=2) | mint.add(x, y, alpha=2) | x + 2 * y
ops.maximum(x, y) | x.maximum(y) | ops.Maximum()(x, y) | mint.maximum(x, y) | mint.max(x, y)
-x | ops.neg(x) | x.neg() | ops.Neg()(x) | mint.neg(x) | x.negative()
abs(x) | ops.abs(x) | x.absolute() | ops.Abs()(x) | mint.abs(x)
x == y | ops.equal(x, y) | x.eq(y) | ops.Equal()(x, y) | mint.eq(x, y)
x < y | ops.less(x, y) | ops.lt(x, y) | x.lt(y) | y > x | ops.Greater()(y, x) | mint.less(x, y)
x >= 0.5 | ops.ge(x, 0.5) | ops.GreaterEqual()(x, 0.5) | ops.logical_not(x < 0.5) | ~(x < 0.5)
mask & (x > y) | ops.logical_and(mask, x > y) | ops.bitwise_and(mask, x > y)
    | ops.LogicalAnd()(mask, x > y)
ops.exp(x) | x.exp() | ops.Exp()(x) | mint.exp(x)
ops.sqrt(abs(x)) | abs(x).sqrt() | ops.Sqrt()(abs(x)) | mint.sqrt(abs(x)) | abs(x) ** 0.5
ops.sigmoid(x) | x.sigmoid() | ops.Sigmoid()(x) | mint.nn.functional.sigmoid(x)
ops.tanh(x) | x.tanh() | ops.Tanh()(x) | mint.nn.functional.tanh(x)
ops.clamp(x, 0, 1) | x.clip(0, 1) | ops.clip_by_value(x, 0, 1) | mint.clamp(x, 0, 1)
    | x.clamp(min=0).clamp(max=1)
ops.sum(x, 1) | x.sum(1) | x.sum(axis=1) | x.sum(dim=1) | ops.ReduceSum()(x, 1)
    | mint.sum(x, dim=1) | x.sum((1,))
ops.sum(x, 1, True) | x.sum(1, True) | x.sum(axis=1, keepdims=True) | x.sum(-1, keepdim=True)
    | ops.ReduceSum(True)(x, 1)
ops.mean(x, 0) | x.mean(0) | x.mean(axis=0) | x.mean(dim=0) | ops.ReduceMean()(x, 0)
    | mint.mean(x, 0) | ops.reduce_mean(x, 0)
x.mean() | ops.mean(x) | ops.ReduceMean()(x) | x.mean((0, 1)) | x.mean(axis=None, keep_dims=False)
ops.max(x, 1) | x.max(1) | x.max(dim=1) | x.max(axis=1, return_indices=True) | mint.max(x, 1)
    | ops.ArgMaxWithValue(1)(x)[::-1]
ops.max(ops.where(mask, ops.maximum(x, 0.25), 0.25), 1) | ops.max(x, 1, initial=0.25, where=mask)
ops.min(ops.where(mask, ops.minimum(x, 1), 1), 0, True)
    | ops.min(x, 0, True, initial=Tensor(1), where=mask)
x.max() | ops.max(x)[0] | ops.amax(x) | mint.max(x) | ops.ReduceMax()(x) | x.max(axis=(0, 1))
x.min(axis=1) | ops.min(x, 1)[0] | x.min(1)[0] | mint.min(x, 1)[0] | ops.ReduceMin()(x, 1)
x.argmax(1) | ops.argmax(x, 1) | x.argmax(axis=1) | x.argmax(dim=1) | mint.argmax(x, 1)
x.std(1, 1) | ops.std(x, 1, 1) | x.std(axis=1, ddof=1) | mint.std(x, 1) | x.var(1, 1) ** 0.5
x.norm() | ops.norm(x) | mint.norm(x) | mint.linalg.norm(x) | (x * x).sum().sqrt()
x.prod(axis=1) | ops.prod(x, 1) | x.prod(1) | mint.prod(x, 1) | ops.ReduceProd()(x, 1)
x.cumsum(1) | ops.cumsum(x, 1) | x.cumsum(axis=1) | x.cumsum(dim=1) | ops.CumSum()(x, 1)
    | mint.cumsum(x, 1)
mask.all(1) | ops.all(mask, 1) | mask.all(axis=1) | mask.all(dim=1) | ops.ReduceAll()(mask, 1)
    | mint.all(mask, 1)
x.reshape(3, 2) | x.reshape((3, -1)) | x.view(3, 2) | ops.reshape(x, (3, 2))
    | ops.Reshape()(x, (3, 2)) | mint.reshape(x, (3, 2))
x.T | x.transpose() | x.transpose(1, 0) | x.transpose((1, 0)) | x.transpose(0, 1)
    | ops.transpose(x, (1, 0)) | ops.Transpose()(x, (1, 0)) | x.permute(1, 0)
    | ops.permute(x, (1, 0)) | x.swapaxes(0, 1) | mint.transpose(x, 0, 1)
    | mint.permute(x, (1, 0)) | x.t() | x.mT
x.expand_dims(1) | ops.expand_dims(x, 1) | x.unsqueeze(1) | ops.ExpandDims()(x, 1)
    | ops.unsqueeze(x, 1) | mint.unsqueeze(x, 1)
x | x.expand_dims(0).squeeze(0) | ops.squeeze(x.unsqueeze(-1), -1) | ops.Squeeze()(x.unsqueeze(1))
    | x.squeeze(0) | x.copy() | x.clone() | +x | ops.Identity()(x) | x.astype(x.dtype)
    | x.to(x.dtype)
ops.concat((x, y), 1) | ops.cat([x, y], 1) | ops.Concat(1)((x, y)) | mint.cat((x, y), dim=1)
    | ops.hstack((x, y))
ops.stack((x, y)) | ops.Stack()([x, y]) | mint.stack((x, y), 0) | ops.concat((x[None], y[None]))
ops.split(x, 1) | x.split(1) | ops.Split(0, 2)(x) | ops.chunk(x, 2) | x.split([1, 1])
    | mint.split(x, 1)
ops.unstack(x) | x.unbind() | ops.Unstack()(x) | mint.unbind(x) | ops.unbind(x, 0)
ops.tile(x, (2, 1)) | x.tile((2, 1)) | ops.Tile()(x, (2, 1)) | x.repeat(2, 1) | ops.concat((x, x))
ops.broadcast_to(x, (2, 2, 3)) | x.broadcast_to((2, 2, 3)) | ops.BroadcastTo((2, -1, 3))(x)
    | x.expand(2, 2, 3) | ops.stack((x, x))
x.flatten() | x.ravel() | x.reshape(-1) | mint.flatten(x) | ops.flatten(x, start_dim=0)
x.flip(0) | ops.flip(x, (0,)) | ops.ReverseV2([0])(x) | mint.flip(x, (0,))
ops.gather(x, at[0], 1) | x.gather(at[0], 1) | ops.Gather()(x, at[0], 1)
    | x.index_select(1, at[0]) | x.take(at[0], axis=1) | mint.index_select(x, 1, at[0])
ops.gather_elements(x, 1, at) | x.gather(1, at) | ops.gather_d(x, 1, at) | ops.GatherD()(x, 1, at)
    | mint.gather(x, 1, at)
ops.where(mask, x, 0) | x.select(mask, y * 0) | x.select(condition=mask, y=y * 0)
    | ops.select(mask, x, 0.0) | ops.Select()(mask, x, y * 0) | x.where(mask, 0)
    | x.masked_fill(~mask, 0.0) | mint.where(mask, x, 0.0) | ops.MaskedFill()(x, ~mask, 0.0)
ops.masked_select(x, mask) | x.masked_select(mask) | mint.masked_select(x, mask)
ops.one_hot(at, 3) | mint.nn.functional.one_hot(at) | ops.OneHot()(at, 3, 1, 0)
x.astype("float16") | x.half() | ops.cast(x, np.float16) | ops.Cast()(x, dtypes.float16)
    | x.to(dtypes.float16) | x.type(dtypes.float16)
x.bool() | x.astype(bool) | x != 0
ops.zeros((2, 3)) | ops.zeros_like(x) | ops.Zeros()((2, 3), dtypes.float32) | ops.ZerosLike()(x)
    | mint.zeros((2, 3)) | x.new_zeros((2, 3)) | ops.full((2, 3), 0.0) | ops.full_like(x, 0)
    | ops.fill(dtypes.float32, (2, 3), 0)
ops.arange(0, 6, 2) | ops.range(0, 6, 2) | mint.arange(0, 6, 2) | ops.arange(3) * 2
ops.tril(x) | x.tril() | ops.Tril()(x) | mint.tril(x)
x @ y.T | ops.matmul(x, y.T) | x.matmul(y.T) | ops.MatMul(transpose_b=True)(x, y)
    | ops.BatchMatMul(False, True)(x, y) | mint.matmul(x, y.T) | ops.mm(x, y.T) | x.mm(y.T)
    | ops.dot(x, y.T) | ops.einsum("ij,kj->ik", x, y) | ops.inner(x, y)
    | ops.bmm(x[None], y.T[None])[0] | ops.tensor_dot(x, y, ((1,), (1,)))
ops.addmm(x @ y.T, x, y.T, beta=2, alpha=0.5) | x @ y.T * 2.5
    | (x @ y.T).addmm(x, y.T, beta=2, alpha=0.5)
ops.sort(x) | x.sort() | ops.Sort()(x) | x.sort(dim=1) | x.topk(3, largest=False)
ops.topk(x, 2) | x.topk(2) | ops.TopK()(x, 2) | x.topk(2, dim=1)
ops.addn((x, y, x)) | ops.AddN()([x, y, x]) | x + y + x
ops.tensor_scatter_elements(x, at[:, :1], y[:, :1], 1) | x.scatter(1, at[:, :1], y[:, :1])
    | ops.scatter(x, 1, at[:, :1], y[:, :1])
ops.nansum(x, 1, True) | x.nansum(1, True) | x.nansum(dim=1, keepdim=True)
    | mint.nansum(x, 1, True) | x.nansum(axis=1, keepdims=True) | x.sum(1, True)
ops.matmul(x, y.T) | ops.bmm(x, y.T) | x.bmm(y.T) | ops.BatchMatMul()(x, y.T)
    | ops.baddbmm(x[:, :2] * 0, x, y.T) | ops.einsum("ij,kj->ik", x, y)
    | ops.einsum(x, [0, 1], y, [2, 1], [0, 2]) | mint.einsum(x, [..., 1], y.T, [1, 2], [..., 2])
x.repeat(1, 2) | x.repeat((1, 2)) | x.repeat(repeats=(1, 2)) | ops.tile(x, (1, 2))
ops.repeat_interleave(x, 2, 1) | x.repeat_interleave(repeats=2, dim=1, output_size=6)
    | mint.repeat_interleave(x, 2, dim=1, output_size=None)
"""


ROWS = SAME.replace("\n    |", " |").strip().splitlines()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split(" | ")[0])
def test_all_ways_of_calling_give_the_same(row):
    first, *others = row.split(" | ")
    expected = tensors_of(evaluate(first))
    assert expected
    for text in others:
        outs = tensors_of(evaluate(text))
        assert len(outs) == len(expected), text
        for out, ref in zip(outs, expected, strict=True):
            assert out.shape == ref.shape, text
            assert out.dtype == ref.dtype or out.dtype in INDICES, text
            np.testing.assert_allclose(out.asnumpy(), ref.asnumpy(), 1e-6, 1e-6, err_msg=text)


INDICES = (dtypes.int32, dtypes.int64)  # which of them an index has differs from face to face


def evaluate(text):
    x, y, at, mask = Tensor(X), Tensor(Y), Tensor(AT), Tensor(MASK)
    names = {
        "x": x,
        "y": y,
        "at": at,
        "mask": mask,
        "np": np,
        "ops": ops,
        "mint": mint,
        "Tensor": Tensor,
    }
    return eval(text, names | {"dtypes": dtypes})


IN_PLACE = """
x.add_(y) | x + y
x.mul_(2) | x * 2
x.exp_() | x.exp()
x.clamp_(0, 1) | x.clamp(0, 1)
x.fill_(3) | x * 0 + 3
x.zero_() | x * 0
x.masked_fill_(mask, 9.0) | x.masked_fill(mask, 9.0)
x.copy_(y) | y
x.scatter_(1, at[:, :1], y[:, :1]) | x.scatter(1, at[:, :1], y[:, :1])
x.scatter_(1, at[:, :1], 3.0, reduce="multiply") | ops.where(mint.arange(3) == at[:, :1], x * 3, x)
ops.assign(x, y) | y
ops.Assign()(x, y) | y
ops.assign_add(x, 2) | x + 2
ops.AssignSub()(x, y) | x - y
ops.scatter_nd_update(x, at[:, 1:], y[:, 0]) | ops.tensor_scatter_update(x, at[:, 1:], y[:, 0])
"""


@pytest.mark.parametrize("row", IN_PLACE.strip().splitlines())
def test_in_place_operations_keep_the_handle(row):
    statement, expected = row.split(" | ")
    x = Tensor(X)
    names = {"x": x, "y": Tensor(Y), "at": Tensor(AT), "mask": Tensor(MASK), "ops": ops}
    exec(statement, names)
    assert names["x"] is x
    np.testing.assert_allclose(x.asnumpy(), evaluate(expected).asnumpy(), 1e-6)


def test_mint_equal_is_one_bool():
    x = Tensor(X)
    assert mint.equal(x, Tensor(X)) is True and mint.equal(x, x[:1]) is False
    assert mint.equal(x, Tensor(Y)) is False


def test_comparison_with_what_is_no_number():
    x = Tensor(X)
    assert (x == None) is False and (x != None) is True  # noqa: E711
    assert (x == "a") is False and (x != "a") is True
    assert (x == [1.0]) is False
    assert x in [x] and len({x, x, Tensor(X)}) == 2


# dtypes ---------------------------------------------------------------------------------------

# operation on Bool, UInt8, Int32, Int64, Float16, Float32 tensors -> MindSpore 2.10's dtypes
UNARY = {
    "x.sum()": "Int64 Int64 Int64 Int64 Float16 Float32",
    "ops.ReduceSum()(x)": "Bool UInt8 Int32 Int64 Float16 Float32",
    "x.mean()": "- UInt8 Int32 Int64 Float16 Float32",
    "x.prod()": "Int64 Int64 Int64 Int64 Float16 Float32",
    "x.max()": "- UInt8 Int32 Int64 Float16 Float32",
    "ops.max(x, 0)[1]": "- Int64 Int64 Int64 Int64 Int64",
    "ops.ArgMaxWithValue()(x)[0]": "- Int64 Int64 Int64 Int64 Int64",
    "x.argmax()": "Int64 Int64 Int64 Int64 Int64 Int64",
    "ops.Argmax()(x)": "- Int32 Int32 Int32 Int32 Int32",
    "x.argmin()": "- Int32 Int32 Int32 Int32 Int32",
    "x.std()": "- Float32 Float32 Float32 Float16 Float32",
    "ops.cumsum(x, 0)": "- UInt8 Int32 Int64 Float16 Float32",
    "x.cumsum(0)": "Int32 Int32 Int32 Int64 Float16 Float32",
    "ops.cumprod(x, 0)": "Int64 Int64 Int64 Int64 Float16 Float32",
    "ops.norm(x)": "- Float32 Float32 Float32 Float16 Float32",
    "x.all()": "Bool Bool Bool Bool Bool Bool",
    "ops.sort(x)[1]": "- Int32 Int32 Int32 Int32 Int32",
    "ops.argsort(x)": "- Int32 Int32 Int32 Int32 Int32",
    "ops.topk(x, 1)[1]": "- Int32 Int32 Int32 Int32 Int32",
    "ops.count_nonzero(x)": "- Int32 Int32 Int32 Int32 Int32",
    "ops.sqrt(x)": "Float32 Float32 Float32 Float32 Float16 Float32",
    "ops.exp(x)": "- - - - Float16 Float32",
    "ops.reciprocal(x)": "Float32 Float32 Float32 Float32 Float16 Float32",
    "abs(x)": "Bool UInt8 Int32 Int64 Float16 Float32",
    "-x": "- UInt8 Int32 Int64 Float16 Float32",
    "ops.square(x)": "- UInt8 Int32 Int64 Float16 Float32",
    "ops.floor(x)": "- - - - Float16 Float32",
    "ops.isnan(x)": "Bool Bool Bool Bool Bool Bool",
    "~x": "Bool Bool Bool Bool Bool Bool",
    "x.matmul(x)": "- UInt8 Int32 Int64 Float16 Float32",
    "ops.nonzero(x)": "Int64 Int64 Int64 Int64 Int64 Int64",
    "ops.clip(x, 1.5, 3)": "- - Float32 - - Float32",
    "ops.where(x > 0, x, 0.5)": "- - Float32 - - Float32",
    "ops.full_like(x, 2.5)": "- - Int32 - - -",
}
KINDS = ["bool", "uint8", "int32", "int64", "float16", "float32"]


@pytest.mark.parametrize("text", UNARY)
def test_dtypes_of_results_are_mindspores(text):
    for kind, expected in zip(KINDS, UNARY[text].split(), strict=True):
        x = Tensor([1, 0, 2], dtypes.NAMES[kind])
        if expected != "-":
            assert str(eval(text, {"ops": ops, "x": x}).dtype) == expected, kind


CREATED = {
    "ops.zeros((2,))": "Float32", "ops.full((2,), 3)": "Int64", "ops.full((2,), 2.5)": "Float32",
    "ops.arange(3)": "Int64", "ops.arange(0, 1, 0.3)": "Float32",
    "ops.linspace(0, 1, 3)": "Float32",
    "ops.eye(2)": "Float32", "ops.one_hot(Tensor([0]), 3)": "Int64",
    "ops.one_hot(Tensor([0]), 3, Tensor(1.0), Tensor(0.0))": "Float32",
    "ops.where(Tensor([True]), 1, 0)": "Int64", "ops.where(Tensor([True]), 1.0, 0.0)": "Float32",
    "ops.add(2.0, 3)": "Float32", "ops.mul(2, 3)": "Int64", "ops.maximum(1, 2)": "Int64",
    "ops.tuple_to_array((1, 2))": "Int32", "ops.scalar_to_tensor(3)": "Float32",
    "Tensor([1]) ** 0.5": "Float32", "Tensor([1]) ** 2": "Int64", "2.0 ** Tensor([1])": "Float32",
    "Tensor([True]) ** 2": "Int64", "ops.unique(Tensor([2, 1]))[1]": "Int64",
}  # fmt: skip


@pytest.mark.parametrize("text", CREATED)
def test_dtypes_of_new_tensors_are_mindspores(text):
    assert str(eval(text, {"ops": ops, "Tensor": Tensor}).dtype) == CREATED[text]


def test_mint_refuses_what_it_lacks():
    with pytest.raises(AttributeError, match=r"sporax has no 'mindspore.mint.no_such'$"):
        _ = mint.no_such
    with pytest.raises(AttributeError, match=r"mint.nn.functional.no_such"):
        _ = mint.nn.functional.no_such
    assert "add" in dir(mint) and "sigmoid" in dir(mint.nn.functional)


def test_a_refused_operand_leaves_the_computation_as_it_was():
    x = Tensor(X)
    with pytest.raises(TypeError, match="For 'Add', 'other' must be a Tensor or a number"):
        _ = Tensor(Y) + None
    with pytest.raises(TypeError, match="For 'Mul'"):
        _ = Tensor(Y) * "two"
    np.testing.assert_array_equal((x + 1).asnumpy(), X + 1)
