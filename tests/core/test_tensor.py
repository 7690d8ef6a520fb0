"""What a Tensor, a Parameter and the dtypes are, against MindSpore's results."""

import copy
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import sporax._src.initializers
import sporax.ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, is_tensor, tensor
from sporax._src.transforms.autodiff.grad import grad
from sporax.nn.parameter_tuple import ParameterTuple
from tests import records
from tools.record.tensors import answers

ROWS = [tuple(row) for row in records.read("tensor")]


class Kind(Tensor):
    """A subclass."""


FUNCTIONS = ("dtype_to_pytype", "dtype_to_nptype", "pytype_to_dtype", "get_py_obj_dtype")
MS = SimpleNamespace(**dtypes.NAMES, dtype=dtypes, tensor=tensor, is_tensor=is_tensor)
for _name in FUNCTIONS:
    setattr(MS, _name, getattr(dtypes, _name))
NAMES = {
    "ms": MS, "np": np, "Kind": Kind, "copy": copy, "math": math, "pickle": pickle,
    "Tensor": Tensor, "Parameter": Parameter, "ParameterTuple": ParameterTuple,
}  # fmt: skip

# Where we differ, on purpose.
OURS = {
    "[5, 6, 7][Tensor(1.0)]": "TypeError",  # as Python says of what is no index
    "Tensor.from_numpy(np.ones(2))": repr(Tensor(np.ones(2))),
    "ms.pytype_to_dtype(set)": "TypeError",
    "pickle.loads(pickle.dumps([ms.float32, ms.number])) == [ms.float32, ms.number]": "True",
}


@pytest.mark.parametrize(
    ("expected", "result"),
    list(zip(ROWS, answers(NAMES, Parameter), strict=True)),
    ids=[row[0] for row in ROWS],
)
def test_it_is_mindspores(expected, result):
    source, text = expected
    assert result == (source, OURS.get(source, text).replace(", dtype=int64", ""))


# names of dtypes ----------------------------------------------------------------------------

SAME = [
    ("float32", [dtypes.float32, np.float32, np.dtype("float32"), "float32", "single"]),
    ("float64", [dtypes.double, float, np.float64]),
    ("int64", [dtypes.int_, int, dtypes.long, "int64"]),
    ("bool", [dtypes.bool_, bool, np.bool_]),
    ("bfloat16", [dtypes.bfloat16, "bfloat16"]),
]


@pytest.mark.parametrize(("name", "aliases"), SAME)
def test_dtypes_go_by_many_names(name, aliases):
    for alias in aliases:
        assert Tensor([1], alias).asnumpy().dtype.name == name


def test_integers_from_numbers_that_do_not_fit_warn_of_nothing():
    assert Tensor([np.nan, 1e30], dtypes.int32).dtype == dtypes.int32


# copies -------------------------------------------------------------------------------------


def test_copies_go_their_own_way():
    p = Parameter(Tensor([1.0, 2.0]), name="p", requires_grad=False)
    for copied in (copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p)), p.clone()):
        copied[0] = 9.0
        assert (type(copied), copied.name, copied.requires_grad) == (Parameter, "p", False)
        assert copied.param_info is copied
    assert p.asnumpy().tolist() == [1.0, 2.0]


def test_a_copy_made_inside_a_derivative_carries_it_on():
    x = Tensor([2.0, 3.0])
    assert grad(lambda x: (copy.deepcopy(x) * x).sum())(x).asnumpy().tolist() == [4.0, 6.0]


def test_what_asnumpy_gives_is_its_own():
    x = Tensor([1.0, 2.0])
    array = x.asnumpy()
    array[0] = 9
    assert x.asnumpy().tolist() == [1.0, 2.0]
    source = np.ones(2)
    x = Tensor.from_numpy(source)
    source[0] = 9
    assert x.asnumpy().tolist() == [1.0, 1.0]


def test_bytes_and_back():
    x = Tensor([[1.5, 2.5]], dtypes.bfloat16)
    again = Tensor.convert_bytes_to_tensor(x.get_bytes(), (1, 2), dtypes.bfloat16)
    assert repr(again) == repr(x)


def test_subclasses_keep_their_attributes():
    x = Kind([1.0, 2.0])
    x.note = "kept"
    for copied in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert (type(copied), copied.note) == (Kind, "kept")


# numbers under jit --------------------------------------------------------------------------


@pytest.mark.parametrize("read", [float, lambda t: t.asnumpy()[()], lambda t: t.item(), str])
def test_reading_an_argument_ends_the_capture(read):
    @jit
    def scaled(x, y):
        return x * float(read(y))

    with pytest.warns(RuntimeWarning, match="needs a number"):
        assert float(scaled(Tensor(2.0), Tensor(3.0))) == 6.0
    assert float(scaled(Tensor(2.0), Tensor(4.0))) == 8.0


def test_numbers_made_inside_may_be_read_under_jit():
    @jit
    def scaled(x):
        return x * float(Tensor(3.0))

    assert [float(scaled(Tensor(2.0))), float(scaled(Tensor(5.0)))] == [6.0, 15.0]
    assert scaled.captures == 1


# in place -----------------------------------------------------------------------------------


def test_assigning_takes_over_shape_and_dtype():
    x = same = Tensor([1, 2])
    assert x.assign_value(Tensor([[1.5]])) is same
    assert (x.shape, x.dtype) == ((1, 1), dtypes.float32)
    x.set_dtype(dtypes.float16)
    assert x.dtype == dtypes.float16


def test_unnamed_parameters_take_the_name_they_are_kept_under():
    p = Parameter(1.0)
    assert p.name.startswith("Parameter#")
    assert p.name == p.name
    p._keep_under("w")
    p._keep_under("v")
    assert p.name == "w"
    p.name = None
    assert p.name.startswith("Parameter#")


REFUSALS = [
    (lambda: Tensor([[1], [2, 3]]), TypeError, ("For 'Tensor'", "equally long", "[2, 3]")),
    (lambda: Tensor("abc"), TypeError, ("For 'Tensor'", "str")),
    (lambda: Tensor(2**70), RuntimeError, ("For 'Tensor'", "64 bits")),
    (lambda: Tensor([1], "float31"), TypeError, ("'dtype'", "Float32", "float31")),
    (lambda: Tensor([1], dtypes.number), TypeError, ("'dtype'", "mindspore.number")),
    (lambda: Tensor([1], shape=(1,)), ValueError, ("'shape'", "(1,)")),
    (lambda: Tensor(np.longdouble(1)), TypeError, ("'dtype'", "Float64")),
    (lambda: Tensor([1, 2]).item(), ValueError, ("one element", "(2,)")),
    (lambda: bool(Tensor([1, 2])), ValueError, ("'bool'", "(2,)", "any")),
    (lambda: Parameter(1.0, name=3), ValueError, ("'name'", "int")),
    (lambda: Parameter(1.0, requires_grad=None), TypeError, ("'requires_grad'", "got None")),
    (lambda: Parameter([1.0, 2.0]).set_data(Tensor([1.0])), ValueError, ("(2,)", "(1,)")),
    (lambda: Parameter([1, 2]).set_data(Tensor([1.5, 2])), TypeError, ("Float32", "Int64")),
    (lambda: ParameterTuple([Parameter(1.0), 2]), TypeError, ("Parameter", "int")),
    (lambda: ParameterTuple(3), TypeError, ("Parameter", "int")),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "says"), REFUSALS)
def test_bad_input_is_refused_in_one_voice(call, error, says):
    with pytest.raises(error) as caught:
        call()
    for part in says:
        assert part in str(caught.value)


def test_a_tensor_of_unknown_sizes_describes_inputs_and_has_no_numbers():
    described = Tensor(shape=[None, 3], dtype=sporax.float32)
    assert (described.shape, described.ndim) == ((-1, 3), 2)
    assert Tensor(dtype=sporax.int32).shape == (-2,)
    assert repr(described) == "Tensor(shape=[-1, 3], dtype=Float32, value=\n)"
    line = Tensor(shape=[None], dtype=sporax.int8)
    assert repr(line) == "Tensor(shape=[-1], dtype=Int8, value= )"
    for use in (described.asnumpy, lambda: described + 1, lambda: jit(lambda x: x * 2)(described)):
        with pytest.raises(ValueError, match="'shape' must be known"):
            use()


@pytest.mark.parametrize(
    "call",
    [
        *(np.all, np.any, np.max, np.mean, np.min, np.prod, np.std, np.sum, np.var),
        lambda x: np.mean(a=x, axis=0),
        lambda x: np.sum(np.ones((2, 2)) - x, axis=1, keepdims=True),
        lambda x: np.reshape(x, (4,)),
        lambda x: np.concatenate([x, x]),
        lambda x: np.where(x > 2, x, 0),
        np.argmax,
        np.shape,
    ],
)
def test_numpy_computes_with_the_elements(call):
    x = np.array([[1, 2], [3, 4]], np.float32)
    result, expected = call(Tensor(x)), call(x)
    assert type(result) is type(expected) and np.array_equal(result, expected)
