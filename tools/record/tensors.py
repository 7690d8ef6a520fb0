"""Behaviour of MindSpore's Tensor, Parameter and dtypes, and indexing: rows of Python source."""

import copy
import math
import pickle

import numpy as np

VALUES = [
    "1", "1.5", "True", "1j", "2**40", "2**63", "-1", "[1]", "[1.0]", "[True]", "[1j]", "[1, 2.5]",
    "[True, 2]", "[True, 1.5]", "[1, 1j]", "[2**63]", "(1, 2)", "((1, 2), (3.5, 4))", "[]",
    "[[], []]", "np.float64(1)", "np.float32(1)", "np.int32(1)", "np.bool_(1)", "np.complex64(1)",
    "np.ones(2)", "np.ones(2, np.float16)", "np.ones(2, np.uint16)", "np.ones((2, 0), np.int8)",
    "np.array(3)", "[np.float64(1)]", "[np.float32(1)]", "[np.int32(1)]", "[np.uint8(1)]",
    "[np.bool_(1)]", "[np.complex64(1)]", "[np.ones(2)]", "[np.ones(2, np.int32)]",
    "[np.ones(2, np.float16)]", "[np.array(1.5)]", "[Tensor(1.0), Tensor(2.0)]",
    "[Tensor([1.0]), [2]]", "[Tensor([1], ms.int32)]", "[Tensor(1, ms.float16)]",
    "[Tensor(1, ms.float64)]", "[Tensor(True)]", "Tensor(2.5)", "Tensor([1], ms.int8)",
    "Parameter(2.5)", "[[1, 2], [3]]", "'abc'", "None", "{}", "{1}",
    "np.array(['a', None], object)", "[None]",
]  # fmt: skip
CASTS = [
    ("[1.7, -1.7]", "int32"), ("Tensor([1.7])", "int32"), ("[-1]", "uint8"), ("[300]", "uint8"),
    ("[1]", "float16"), ("[0.1]", "float64"), ("np.array([0.1])", "float32"),
    ("[1e300]", "float32"), ("[0, 2]", "bool_"), ("[1]", "complex64"), ("[1.00390625]", "bfloat16"),
    ("1", "float32"), ("Tensor([2**40])", "int32"), ("[1.0]", "tensor_type"), ("[1.0]", "number"),
]  # fmt: skip
X = "Tensor(np.arange(6).reshape(2, 3), ms.float32)"
OTHERS = [
    f"{X}.{what}" for what in (
        "shape", "dtype", "ndim", "size", "itemsize", "nbytes", "strides", "stride()", "dim()",
        "numel()", "tolist()", "has_init", "is_contiguous()", "T.shape", "get_bytes()",
        "ndimension()", "nelement()",
        "data", "contiguous()", "asnumpy()", "asnumpy().flags.writeable",
    )
] + [
    "ms.tensor([1.0])", "ms.tensor(1, dtype=ms.float16)", "ms.tensor(Tensor([1]))",
    "ms.is_tensor(Tensor(1)), ms.is_tensor(Parameter(1.0)), ms.is_tensor(1)",
    "Tensor([1, 2], shape=(2,))", "Tensor(shape=(2,), dtype=ms.float32)", "Tensor()",
    "Tensor(1.5).item(), Tensor([[3]]).item(), Tensor(True).item()",
    "Tensor(1.5, ms.bfloat16).item()",
    "Tensor([1, 2]).item()", "Tensor(1.5).tolist(), Tensor([[True]]).tolist()",
    "float(Tensor([1.5])), int(Tensor(1.9)), bool(Tensor([0.0])), bool(Parameter(1.0))",
    "float(Tensor([1.0, 2.0]))", "bool(Tensor([1, 2]))", "bool(Tensor([]))",
    "len(Tensor([[1, 2]]))",
    "len(Tensor(1))", "[5, 6, 7][Tensor(1)]", "[5, 6, 7][Tensor(1.0)]", "list(range(Tensor(2)))",
    "complex(Tensor(1.5))", "Tensor(1) == None, Tensor(1) != None, Tensor(1) == 'a'",
    "Tensor([1]) is None", "{t: 1}[t]", "hash(t) == id(t)", "t in [t]", "Tensor(1) and Tensor(2)",
    "np.array(t), np.asarray(t, np.float32)", "np.array([Tensor(1.5), Tensor(2.5)])",
    "float(np.float32(Tensor(1.5)))", "math.sqrt(Tensor(4.0))", "sum([Tensor(2.0), Tensor(1.0)])",
    "max(Tensor(1.0), Tensor(2.0))", "sorted([Tensor(2.0), Tensor(1.0)])",
    "copy.copy(t), copy.deepcopy(t), pickle.loads(pickle.dumps(t))",
    "pickle.loads(pickle.dumps(Tensor([1.5], ms.bfloat16)))", "Tensor.from_numpy(np.ones(2))",
    "Tensor.from_numpy([1])", "Tensor([1, 2]).assign_value(Tensor([3, 4]))",
    "Tensor([1, 2]).set_dtype(ms.float32)", "type(Kind([1.0])).__name__",
    "(Kind([1.0]) + 1).__class__.__name__",
    # parameters
    "[type(Parameter(x, name='a').value()).__name__ for x in (1, 1.5, np.ones(2), [1])]",
    "[Parameter(x, name='a').dtype for x in (1, 1.5, np.ones(2), [1])]",
    "Parameter(1.0, name=' a b ').name", "Parameter(1.0, name=3)",
    "Parameter(1.0, name='a' * 2000)",
    "Parameter('a')", "Parameter(None)", "Parameter(1.0, requires_grad=1)",
    "Parameter(1.0, layerwise_parallel=1)", "setattr(Parameter(1.0), 'requires_grad', None)",
    "p.name, p.requires_grad, p.layerwise_parallel, p.parallel_optimizer, p.has_init, p.unique",
    "p.comm_fusion, p.sliced, p.cache_enable, p.key, p.parallel_optimizer_comm_recompute",
    "p.set_data(Tensor([5.0, 6.0])) is p, p.asnumpy()", "p.set_data(Tensor([5, 6])).dtype",
    "p.set_data(Tensor([1, 2], ms.float64)).dtype",
    "p.set_data(Parameter(Tensor([7.0, 8.0]))).asnumpy()",
    "p.set_data('a')", "p.value()", "Tensor(p)", "p + 1", "p.init_data() is p",
    "isinstance(p, Tensor)",
    "setattr(p, 'data', Tensor([7.0, 8.0])), p.asnumpy()", "setattr(p, 'name', 'new'), p.name",
    "[q.name for q in (p.clone(),)], p.clone().requires_grad, p.clone().asnumpy()",
    "p.clone('zeros').init_data().asnumpy(), p.clone(3).init_data().asnumpy()",
    "[(q.name, q.requires_grad, q.asnumpy()) for q in (copy.copy(p), copy.deepcopy(p))]",
    "[(q.name, q.requires_grad, q.asnumpy()) for q in (pickle.loads(pickle.dumps(p)),)]",
    "[(q.name, q.asnumpy()) for q in ParameterTuple([p]).clone('pre')]",
    "[q.init_data().asnumpy() for q in ParameterTuple([p]).clone(prefix='x', init='zeros')]",
    "ParameterTuple([p]).clone(3)", "ParameterTuple([1])", "ParameterTuple(p)",
    "ParameterTuple({'a': p})",
    "ParameterTuple([p, Parameter(2.0, name='w')])", "len(ParameterTuple([p, p]))",
    "ParameterTuple(())",
    "len({q.name for q in ParameterTuple([Parameter(1.0), Parameter(2.0)])})",
    # dtypes
    "[ms.dtype_to_pytype(d) for d in (ms.float16, ms.int8, ms.bool_, ms.complex64)]",
    "[ms.dtype_to_nptype(d).__name__ for d in (ms.float32, ms.int8, ms.bfloat16)]",
    "[ms.pytype_to_dtype(t) for t in (int, float, bool, complex, str, list, tuple, np.float32)]",
    "[ms.get_py_obj_dtype(x) for x in (1, 1.5, True, 'a', (1,), [1])]", "ms.pytype_to_dtype(set)",
    "[ms.dtype._issubclass_(a, b) for a in (ms.float32, ms.bool_, ms.int8, ms.uint8, ms.number)"
    " for b in (ms.number, ms.float_, ms.int_, ms.uint, ms.float32)]",
    "ms.float32 == 'float32', ms.float32 == np.float32",
    "ms.int64 == ms.int_, ms.float32 == ms.float_",
    "ms.float32 in (ms.float16, ms.float32), hash(copy.deepcopy(ms.int8)) == hash(ms.int8)",
    "pickle.loads(pickle.dumps([ms.float32, ms.number])) == [ms.float32, ms.number]",
    "isinstance(ms.float32, ms.dtype.Type), ms.float32.itemsize, ms.bool_.itemsize",
    "[d.is_floating_point for d in (ms.float32, ms.int8, ms.bfloat16)]",
    "[d.is_complex for d in (ms.float32, ms.complex64)]",
    "[d.is_signed for d in (ms.int8, ms.uint8, ms.float32)]",
]  # fmt: skip
GETS = [
    "0", "-1", "2", "-3", "(0, 3)", "(0, -1, 2)", "(-1, -1, -1)", "()", "...", "None", "True",
    "slice(1, None)", "slice(None, None, -1)", "slice(2, 0, -1)", "slice(2, 1)", "slice(-2, None)",
    "slice(0, 2)", "slice(1, 100)", "slice(-100, 2)", "(slice(None), slice(1, 3))",
    "(slice(None, None, 2), slice(None, None, -2))", "(slice(1, 3), 0)", "(0, slice(3, 0, -2))",
    "(..., 0)", "(0, ...)", "(..., slice(1, 3), 0)", "(None, 0)", "(0, None)", "(..., None)",
    "(None, ..., None, 1)", "(slice(None), None, slice(None), 2)", "(0, True)", "(True, 0)",
    "[0, 2]", "[2, -3]", "[[0, 1], [1, 2]]", "([0, 1], [1, 2])", "[True, False, True]",
    "((0, 1),)", "([0, 1], [1, 2], [-1, 0])", "[Tensor(0), Tensor(1)]", "[slice(0, 1)]",
    "Tensor(1)", "Tensor(-1)", "Tensor([0, -1])", "Tensor([[0, 1], [2, 0]])",
    "Tensor([0, 1], int32)", "Tensor([0, 1], int16)", "(Tensor([0, 1]), Tensor([[0], [3]]))",
    "(slice(None), Tensor([0, 3]))", "(Tensor([0, 1]), slice(1, 3))", "(0, slice(None), [0, 1])",
    "(slice(None), 0, [0, 1])", "([0, 1], slice(None), [0, 1])", "([0, 1], None, [0, 1])",
    "(..., [0, 4])", "(slice(0, 2), [0, 1], 0)", "(None, [0, 1], slice(None, None, 2))",
    "(slice(None), [[0, 1], [2, 3]], slice(1, 3))", "(slice(None, None, -1), [0, 1])",
    "(Tensor(1), slice(None), 2)", "(1, Tensor([0, 1]))", "slice(Tensor(1), None)",
    "Tensor(mask)", "(Tensor(mask),)", "Tensor([True, False, True])",
    "(slice(None), Tensor([True, False, True, True]))", "Tensor(mask[:, :, 0])",
    "(0, Tensor(mask[0]))", "(slice(None), Tensor(mask[0]))", "(Tensor(mask[:, :, 0]), 1)",
    "(Tensor([True, False, True]), slice(None), Tensor([0, 1]))", "(..., Tensor(mask[0, 0]))",
    "3", "-4", "(0, 4)", "(0, 0, 0, 0)", "slice(None, None, 0)", "Tensor([1.0])", "1.5", "'a'",
    "(..., ...)", "Tensor([True, False])", "[5]", "slice(1.0, None)",
]  # fmt: skip
SETS = [
    ("float32", "0", "5"), ("float32", "0", "5.5"), ("float32", "-1", "[1, 2, 3, 4]"),
    ("float32", "slice(0, 2)", "1.5"), ("float32", "slice(0, 2)", "Tensor([1.0, 2.0, 3.0, 4.0])"),
    ("float32", "(slice(None), 1)", "Tensor([1.0, 2.0, 3.0])"), ("float32", "(0, 1)", "Tensor(3)"),
    ("float32", "(slice(None), slice(0, 4, 2))", "7"), ("float32", "...", "4"),
    ("float32", "None", "4"), ("float32", "True", "4"), ("float32", "False", "4"),
    ("float32", "slice(None)", "Tensor([[1.0], [2.0], [3.0]])"), ("float32", "slice(2, 1)", "5"),
    ("float32", "0", "(1, 2, 3, 4)"), ("float32", "0", "True"), ("float32", "(..., 0)", "9"),
    ("float32", "0", "[Tensor(1.0), 2, 3, 4]"), ("float32", "0", "Tensor([1, 2, 3, 4], int64)"),
    ("float32", "0", "Tensor([1, 2, 3, 4], float64)"), ("float32", "[0, 2]", "9"),
    ("float32", "Tensor([0, 2])", "Tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])"),
    ("float32", "Tensor([0, 0])", "Tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])"),
    ("float32", "(Tensor([0, 1]), Tensor([1, 2]))", "8"), ("float32", "Tensor(1)", "3"),
    ("float32", "(Tensor([0, 1]), slice(1, 3))", "Tensor([[1.0], [2.0]])"),
    ("float32", "Tensor(mask)", "-1"), ("float32", "Tensor(mask)", "Tensor([1.0, 2, 3, 4, 5, 6])"),
    ("float32", "Tensor([True, False, True])", "7"),
    ("float32", "Tensor([True, False, True])", "Tensor([1.0, 2.0, 3.0, 4.0])"),
    ("float32", "(slice(None), Tensor([True, False, True, True]))", "7"),
    ("float32", "(slice(None), Tensor([True, False, True, True]))", "Tensor([[1], [2], [3]])"),
    ("float32", "(0, Tensor([True, False, True, True]))", "Tensor([1.0, 2.0, 3.0])"),
    ("float16", "0", "Tensor([1.7, 2.0, 3.0, 4.0])"), ("float64", "(0, 0)", "0.1"),
    ("int32", "0", "1.7"), ("int32", "0", "Tensor([1.7, -2.5, 3.0, 4.0])"),
    ("int32", "0", "1099511627776"), ("int32", "Tensor(mask)", "1.7"), ("uint8", "0", "-1"),
    ("bool_", "0", "2"), ("bool_", "slice(None)", "False"), ("bfloat16", "0", "0.1"),
]  # fmt: skip
WRITES = [
    "x[0][1] = 9", "x[0, 1][2:] = 9", "x[0] += 9", "y = x[1]; y[0] = 9; y[1] = 8",
    "y = x[None]; y[0, 0] = 9", "y = x[..., 0]; y[0] = 9", "y = x[:, ::2]; y[0] = 9",
    "y = list(x)[1]; y[0] = 9", "y = x[0]; z = y[1]; z[0] = 9", "y = x[[0, 1]]; y[0] = 9",
    "y = x[0]; y += 1", "y = x; y += 1",
]  # fmt: skip


def sources():
    """The rows' Python source."""
    yield from (f"Tensor({value})" for value in VALUES)
    yield from (f"Tensor({value}, ms.{dtype})" for value, dtype in CASTS)
    yield from OTHERS


def answers(names, parameter):
    """[source, result] for each row; `t` and `p` are created anew for each."""
    tensor = names["Tensor"]
    for source in sources():
        new = {"t": tensor([1, 2]), "p": parameter(tensor([1.0, 2.0]), name="w")}
        try:
            yield source, str(eval(f"repr(({source}))", {**names, **new}))
        except Exception as error:  # noqa: BLE001
            yield source, type(error).__name__


def tensor(ms):
    """Return `repr` of each row's value, or the class of the error that it raises."""
    names = {"ms": ms, "np": np, "Kind": type("Kind", (ms.Tensor,), {})}
    names |= {"copy": copy, "math": math, "pickle": pickle}
    names |= {n: getattr(ms, n) for n in ("Tensor", "Parameter", "ParameterTuple")}
    return {"tensor.json": [*answers(names, ms.Parameter)]}


def indexing(ms):
    """Return `get` rows: [index, dtype, shape, numbers] or [index, error]; `set` rows: [dtype of x,
    index, value, numbers of x afterwards], null where MindSpore fails; `writes` rows: [statements,
    numbers of x afterwards]. `x` counts up from 0, with the shape (3, 4, 5), under `set` (3, 4).
    """
    names = {**vars(ms), "np": np, "mask": np.arange(60).reshape(3, 4, 5) % 7 == 0}
    whole = np.arange(60).reshape(3, 4, 5)
    found = {"get": [_got(ms, source, names, whole) for source in GETS], "set": [], "writes": []}
    names["mask"] = np.arange(12).reshape(3, 4) % 2 == 0
    for dtype, index, value in SETS:
        x = ms.Tensor(whole.ravel()[:12].reshape(3, 4), names[dtype])
        try:
            x[eval(index, dict(names))] = eval(value, dict(names))
            found["set"].append([dtype, index, value, _numbers(x, ms)])
        except Exception:  # noqa: BLE001
            found["set"].append([dtype, index, value, None])
    for statements in WRITES:
        x = ms.Tensor(whole, ms.int32)
        exec(statements, {**names, "x": x})
        found["writes"].append([statements, _numbers(x, ms)])
    return {"indexing.json": found}


def _got(ms, source, names, whole):
    try:
        out = ms.Tensor(whole, ms.int32)[eval(source, dict(names))]
        return [source, str(out.dtype), out.shape, _numbers(out, ms)]
    except Exception as error:  # noqa: BLE001
        return [source, type(error).__name__]


def _numbers(tensor, ms):
    return (tensor.astype(ms.float32) if tensor.dtype == ms.bfloat16 else tensor).asnumpy().tolist()
