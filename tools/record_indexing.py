"""Record MindSpore's indexing; run it where MindSpore 2.10 is installed.

    python tools/record_indexing.py > tests/recorded/indexing.json

`get` rows: [index, dtype, shape, numbers], or [index, error]. `set` rows: [dtype of x, index,
value, numbers of x after `x[index] = value`], null where MindSpore fails. `writes` rows:
[statements, numbers of x after them]. Indices and values are Python source; `x` counts up from 0
and has the shape (3, 4, 5), under `set` (3, 4).
"""

import json

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


def numbers(tensor, mindspore):
    if tensor.dtype == mindspore.bfloat16:
        tensor = tensor.astype(mindspore.float32)
    return tensor.asnumpy().tolist()


if __name__ == "__main__":
    import mindspore
    import numpy as np

    mindspore.set_context(pynative_synchronize=True)
    names = {**vars(mindspore), "np": np, "mask": np.arange(60).reshape(3, 4, 5) % 7 == 0}
    gets, sets, writes = [], [], []
    for source in GETS:
        x = mindspore.Tensor(np.arange(60).reshape(3, 4, 5), mindspore.int32)
        try:
            out = x[eval(source, dict(names))]
            gets.append([source, str(out.dtype), out.shape, numbers(out, mindspore)])
        except Exception as error:  # noqa: BLE001
            gets.append([source, type(error).__name__])
    names["mask"] = np.arange(12).reshape(3, 4) % 2 == 0
    for dtype, index, value in SETS:
        x = mindspore.Tensor(np.arange(12).reshape(3, 4), names[dtype])
        try:
            x[eval(index, dict(names))] = eval(value, dict(names))
            sets.append([dtype, index, value, numbers(x, mindspore)])
        except Exception:  # noqa: BLE001
            sets.append([dtype, index, value, None])
    for statements in WRITES:
        x = mindspore.Tensor(np.arange(60).reshape(3, 4, 5), mindspore.int32)
        exec(statements, {**names, "x": x})
        writes.append([statements, numbers(x, mindspore)])
    print(json.dumps({"get": gets, "set": sets, "writes": writes}).replace('], ["', '],\n["'))
