"""Results of calls that are rows of source: numbers, dtypes and errors under MindSpore."""

import importlib.util
import inspect
import operator
import sys
import tempfile
from pathlib import Path

import numpy as np

DTYPES = (
    "bool_ uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 bfloat16 float32 float64"
    " complex64 complex128"
)
NUMBERS = {"bool": True, "int": 2, "float": 2.5}
SET_ITEM = """
import mindspore as ms
from mindspore import mint, ops

def set_item(x, index, value):
    x[index] = value
    return x
"""


def expressions(ms):
    """Return `repr`s: of PyNative mode; if that fails, of graph mode; otherwise the first error."""
    from tests.ops import expression_cases as cases

    answers = {}
    for expression in cases.EXPRESSIONS:
        names = cases.scope(ms)
        answer = cases.answer(expression, names)
        if answer.startswith("! RuntimeError") and "Tensor(" not in expression:
            again = _compiled(ms, expression, names)
            answer = answer if again.startswith("!") else again
        answers[expression] = answer
    return {"expressions.json": answers}


def _compiled(ms, expression, names):
    """The result in graph mode."""
    module = _module(f"def run():\n    return {expression}\n", names)
    try:
        return repr(ms.jit(module.run)())
    except Exception as error:  # noqa: BLE001 (its kind is the answer)
        return f"! {type(error).__name__}"


def _module(source, names=()):
    """A module of that source, in a file, from which MindSpore's compiler reads it."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(source)
    name = Path(file.name).stem
    spec = importlib.util.spec_from_file_location(name, file.name)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    vars(module).update(names)
    spec.loader.exec_module(module)
    return module


def numpy(ms):
    """Return signatures of `mindspore.numpy`, and of rows shape, dtype and numbers or error."""
    from tests.numpy import numpy_cases

    mnp, signatures = ms.numpy, {}
    for name in sorted({*mnp.__all__, "around", "copy", "matrix_power"}):
        if inspect.isfunction(getattr(mnp, name)):
            signatures[name] = str(inspect.signature(getattr(mnp, name)))
    scope = {name: ms.Tensor(array) for name, array in numpy_cases.ARRAYS.items()} | {"np": mnp}
    rows = {row: _answer(row.partition(" | ")[0], scope) for row in numpy_cases.ROWS}
    return {"numpy.json": {"signatures": signatures, "rows": rows}}


def _answer(call, scope):
    try:
        return _described(eval(call, dict(scope)))
    except (TypeError, ValueError, RuntimeError, AttributeError, IndexError) as error:
        return {"raises": type(error).__name__, "says": str(error).split("\n")[0][:80]}


def _described(result):
    """A result as JSON: a Tensor by shape, dtype and numbers."""
    if isinstance(result, tuple | list):
        return [_described(r) for r in result]
    if not hasattr(result, "asnumpy"):
        return result
    flat = result.asnumpy().reshape(-1).tolist()
    flat = [round(n, 7) if isinstance(n, float) else n for n in flat]
    return {"shape": result.shape, "dtype": str(result.dtype), "numbers": flat}


def numpy_scalars(ms):
    """Return by mode and row, for each dtype of tensor, a letter for each kind of number."""
    from tests.core import numpy_scalar_calls as calls

    source = [f"def f{i}(x, s):\n    return {row}\n" for i, row in enumerate(calls.ROWS)]
    module = _module(SET_ITEM + "\n".join(source))
    captured = {row: ms.jit(getattr(module, f"f{i}")) for i, row in enumerate(calls.ROWS)}
    # the compiler falls back to dynamic mode for arrays, three seconds each
    kinds = [kind for kind in calls.NUMBERS if not kind.startswith("array")]
    results = {
        "dynamic": _letters(ms, calls, calls.functions(ms), calls.NUMBERS),
        "jit": _letters(ms, calls, captured, kinds),
    }
    return {"numpy_scalars.json": results}


def _letters(ms, calls, functions, kinds):
    return {
        row: " ".join("".join(_letter(ms, calls, f, d, k) for k in kinds) for d in calls.TENSORS)
        for row, f in functions.items()
    }


def _letter(ms, calls, function, dtype, kind):
    try:
        out = function(ms.Tensor([1, 2], getattr(ms, dtype)), calls.NUMBERS[kind])
        if isinstance(out, ms.Tensor):
            (out.astype(ms.float32) if out.dtype == ms.bfloat16 else out).asnumpy()
            return calls.LETTERS[str(out.dtype)]
    except (TypeError, ValueError, RuntimeError, AttributeError, IndexError):  # no kernel, often
        return calls.LETTERS["refused"]
    return calls.LETTERS["array"]


def primitive_calls(ms):
    from tests.ops import primitive_calls as calls

    return {"primitive_calls.json": _called(ms, calls, ms.ops.functional)}


def private_calls(ms):
    from tests.ops import private_calls as calls

    return {"private_calls.json": _called(ms, calls, ms.ops.function.array_func)}


def _called(ms, calls, functions):
    """Results of a table's calls of Primitives."""
    from mindspore.ops.operations import _grad_ops, _inner_ops, _sequence_ops, nn_ops, sparse_ops

    from tests.ops import result_json

    names = {
        "ms": ms, "ops": ms.ops, "P": ms.ops.operations, "F": functions,
        "G": _grad_ops, "A": ms.ops.auto_generate,
        "I": _inner_ops, "Q": _sequence_ops, "S": sparse_ops, "L": nn_ops,
        "T": lambda values, dtype="i4": ms.Tensor(np.array(values, dtype)),
    }  # fmt: skip
    recorded = {}
    for call in calls.CALLS:
        arrays = {name: ms.Tensor(array) for name, array in calls.ARRAYS.items()}
        try:
            recorded[call] = result_json.described(eval(call, {**names, **arrays}))
        except Exception as error:  # noqa: BLE001
            print(call, type(error).__name__, str(error)[:300], file=sys.stderr)
    return recorded


def promotion(ms):
    """Return `core/promotion.csv`: of each left dtype the result of `left + right` for every dtype
    and Python number. Where there is no sum, the dtype of the product, or else of the quotient; `-`
    if all three raise an error."""
    tensors = {str(getattr(ms, n)): ms.Tensor([1, 1], getattr(ms, n)) for n in DTYPES.split()}
    others = [*tensors.values(), *NUMBERS.values()]
    rows = [["left", *tensors, *NUMBERS]]
    for name, left in tensors.items():
        rows.append([name, *(_promoted(ms, left, right) for right in others)])
    return {"../../sporax/_src/core/promotion.csv": [",".join(row) for row in rows]}


def _promoted(ms, left, right):
    for function in (operator.add, operator.mul, operator.truediv):
        try:
            out = function(left, right)
            (out.astype(ms.float32) if out.dtype == ms.bfloat16 else out).asnumpy()
        except (TypeError, ValueError, RuntimeError):
            continue
        return str(out.dtype)
    return "-"
