"""Printing by MindSpore: Python source with `np` and MindSpore's names, and its output."""

import contextlib
import io
import math

import numpy as np

SHAPES = [
    (5,), (6,), (7,), (12,), (13,), (24,), (25,), (49,), (1000,), (1001,), (1, 6), (1, 7), (1, 12),
    (1, 13), (2, 24), (2, 25), (6, 2), (7, 2), (12, 1), (13, 1), (30, 1), (7, 7), (1, 1), (2, 3, 4),
    (7, 1, 2), (1, 7, 1), (1, 1, 7), (8, 8, 8), (1, 2, 1, 2), (2, 3), (2, 1, 2), (0,), (0, 3),
    (2, 0), (2, 0, 3),
]  # fmt: skip
FEW_SHAPES = [(12,), (25,), (2, 3), (1, 7), (7, 2), (2, 1, 2), (0, 3)]
FLOATS = [
    "1.5", "1.0", "3.14159265358979", "-2.5", "0.0", "-0.0", "1e-5", "1e-4", "123456.0",
    "1234567.0", "16777216.0", "1e10", "1e-10", "1e38", "1e-38", "1e-45", "0.1", "1/3", "100.0",
    "99999.99", "np.nan", "np.inf", "-np.inf",
]  # fmt: skip
LISTS = [
    "[1.0, 2.0, 3.5]", "[1.0]", "[3.14159265, 1e-10, 123456.789]", "[1e10, 1.0]", "[1e-5, 1.0]",
    "[0.001, 1000.0]", "[1/3, 2/3]", "[np.nan, np.inf, -np.inf, 1.0]",
    "[np.nan]", "[-0.0, 0.0]", "[[1.0, -2.0], [3.0, 4.0]]", "[-1e-20, 2e20]", "[0.1, 0.25]",
]  # fmt: skip
FLOATING = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NAMES = """
    bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64
    complex64 complex128 half single double short intc intp ubyte byte ushort uintc uintp long
    number int_ uint float_ string tensor_type type_none list_ tuple_ dtype.cfloat dtype.cdouble
"""
PRINTS = [
    "ops.Print()('x', Tensor([1.5, -2.0]), 3, 2.5, True, None)",
    "ops.print_(Tensor([[0, 1], [2, 3]]), Tensor(2.5), Tensor([True, False]))",
    "ops.print_((1, 2), [Tensor([1.0]), 3], {'a': Tensor(1)}, ms.float32)",
    "ops.print_(Parameter(Tensor([1.5, 2.0]), name='w'), Tensor(np.array([1 + 2j], np.complex64)))",
    "ops.print_([Parameter(Tensor([1.5, 2.0]), name='w'), (1, 'a')], 'x')",
    "ops.print_(Tensor(np.arange(30).reshape(10, 3), ms.float32))",
    "ops.Print()()",
]


def sources():
    """The rows' Python source."""
    for dtype in FLOATING:
        yield from (f"Tensor({x}, {dtype})" for x in FLOATS if dtype != "float16" or "e38" not in x)
        yield from (f"Tensor({x}, {dtype})" for x in LISTS)
    yield "Tensor([1.0, 1e100, -1e-200], float64)"
    for dtype in INTEGERS:
        yield from (f"Tensor({x}, {dtype})" for x in ("0", "7", "[1, 100, 2]", "[[3], [12]]"))
        if dtype.startswith("int"):
            yield from (f"Tensor({x}, {dtype})" for x in ("-3", "[-1, 10, 100]", "[-100, 5]"))
    yield from ("Tensor(True)", "Tensor(False)", "Tensor([True])", "Tensor([[True, False]])")
    for dtype in ("complex64", "complex128"):
        for x in ("1+2j", "0.5j", "[1+2j, 0.5-1j]", "[[1j, 1/3], [1e10, -0.0]]", "[np.nan]"):
            yield f"Tensor(np.array({x}), {dtype})"
    for shape in SHAPES:
        n = math.prod(shape)
        array = f"np.arange({n}).reshape({shape})"
        yield f"Tensor({array}, int32)"
        yield from (f"Tensor({array} / 4, float32)" for _ in "." if n < 100)
        if shape in FEW_SHAPES:
            yield f"Tensor({array} % 3 == 0, bool_)"
            yield from (f"Tensor({array} / 2, {d})" for d in ("float16", "bfloat16", "complex64"))
    yield "Tensor(np.arange(2000), float32)"
    yield "Tensor(np.arange(2000), bfloat16)"
    yield "Tensor(np.array([1, 2, 3] + 1000 * [100000] + [4, 5, 6]), int64)"
    yield "Tensor(np.array(8 * [[1, 2, 3, 100000, 4, 5, 6, 7]]), int64)"
    for x in ("1.0", "[1.0, 2.0]", "[[1, 2], [3, 4]]", "np.zeros((50, 50))"):
        yield f"Parameter(Tensor({x}, float32), name='w')"
    yield "Parameter(Tensor([1], int64), name='layer.count', requires_grad=False)"
    yield "ParameterTuple([Parameter(Tensor(1.0), name='a'), Parameter(Tensor([1.0]), name='b')])"
    yield "[Tensor(1.0), (Tensor([1, 2]), {'a': Tensor(True)})]"
    yield from ("f'{Tensor(1.23456)}'", "f'{Tensor([1.0, 2.0])!r}'", "'%.4f' % Tensor(1.5)")
    yield from ("'%s and %d' % (Tensor(1.5), Tensor(3))", "'{}'.format(Tensor([1.5]))")
    yield from NAMES.split()


def printing(ms):
    """Return `str` and `repr` of each row's value."""
    rows, names = [], {**vars(ms), "np": np}
    for source in sources():
        value = eval(source, dict(names))
        rows.append([source, str(value), repr(value)])
    return {"printing.json": rows}


def prints(ms):
    """Return the output of Print."""
    rows, names = [], {**vars(ms), "ms": ms, "np": np}
    for source in PRINTS:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            eval(source, names)
        rows.append([source, out.getvalue()])
    return {"prints.json": rows}
