"""Rows derived from the samples: the same operations with other inputs, dtypes and axes.

An edge is a function that yields changed samples of a sample: `(what, sample, rewrites)`;
`rewrites`: changes of the calls' source (a Python number for an input, a cast, a view).
"""

import dataclasses
import itertools
import re

import numpy as np

from sporax.ops.declare import OPS

NAN, INF = np.nan, np.inf
ODD = np.array([NAN, INF, -INF, -0.0, 0.0, 1.0, -1.0, 0.5, -2.5, 1e-6, 90.0, -90.0, 3e38], "f4")
FEW = np.array([NAN, INF, -INF, -0.0, 0.0, 1.5, -2.0], np.float32)
WHOLE = np.array([-7, -2, -1, 0, 1, 3, 100], np.int32)
# families whose operations work element by element, on inputs of any shapes that can be broadcast
ELEMENTWISE = {"activation", "arithmetic", "bessel", "comparison", "elementwise",
               "gamma_functions", "ternary"}  # fmt: skip
HAVE_AXES = {"glu", "log_softmax", "prelu", "softmax", "cross", "where"}  # though they are there
AXES = {"axis", "dim", "dims", "axis0", "axis1", "dim1", "dim2", "start_dim", "axis2"}
# what is drawn is not MindSpore's; the others' differences have not been looked at yet
LEFT_OUT = {
    "draws", "factorization", "binary", "order_statistics", "rnnt", "moe_routing",
    "deformable_attention", "sorted_segments", "index_mapping", "suppression", "rotated_boxes",
    "repeated_ngrams", "scale_and_translate", "box_crops", "fused_attention", "sparse_attention",
    "inference_attention", "margin_losses",
}  # fmt: skip
KEEP = {"keepdim", "keepdims", "keep_dims"}
DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float64")
MIXED = (("int32", "float32"), ("float16", "float32"), ("float32", "float64"), ("int8", "uint8"),
         ("bool", "int32"), ("int32", "int64"), ("float16", "int32"),
         ("bool", "float32"))  # fmt: skip
NUMBERS = ("2", "-2.5", "True", "0")


def family(sample):
    return OPS[sample.op].fn.__module__.rpartition(".")[2]


def elementwise(sample):
    free = not sample.names and not sample.packed
    return family(sample) in ELEMENTWISE and sample.op not in HAVE_AXES and free


def floats(arrays):
    """Return the positions of the floating inputs."""
    return [place for place, array in enumerate(arrays) if array.dtype.kind == "f"]


def on(sample, arrays, **attrs):
    """Return the sample with these inputs, and attributes changed."""
    return dataclasses.replace(
        sample, inputs=[np.asarray(a) for a in arrays], attrs=sample.attrs | attrs
    )


def changed(sample, arrays, places, function):
    return on(sample, [function(a) if i in places else a for i, a in enumerate(arrays)])


def put(values):
    """Return a function that overwrites the first elements of an array with these values."""

    def function(array):
        array = array.copy()
        array.reshape(-1)[: len(values)] = values[: array.size]
        return array

    return function


def grid(values, count):
    """Return the values as one array; for two, as a column and a row; more inputs get the values
    again."""
    shaped = [values[:, None], values] if count > 1 else [values]
    return [shaped[i] if i < len(shaped) else values for i in range(count)]


def odd(sample, arrays):
    """NaN, infinities, zeros of both signs, and what is too large to be multiplied."""
    places = floats(arrays)
    if elementwise(sample) and len(places) == len(arrays) > 0:
        values = ODD if len(arrays) == 1 else FEW
        yield "odd", on(sample, grid(values, len(arrays))), None
        return
    for place in places:
        yield f"nan{place}", changed(sample, arrays, [place], put([NAN])), None
        yield f"inf{place}", changed(sample, arrays, [place], put([INF, -INF])), None


def empty(sample, arrays):
    """An axis without elements: each in turn."""
    if elementwise(sample):
        for shape in ((0,), (2, 0)):
            kept = [np.zeros(shape if i == 0 else (*shape[:-1], 1), a.dtype) if i < 2 else
                    np.zeros(shape, a.dtype) for i, a in enumerate(arrays)]  # fmt: skip
            yield f"empty{shape}".replace(" ", ""), on(sample, kept), None
    elif len({a.shape for a in arrays}) == 1:
        for axis in range(arrays[0].ndim):
            cut = tuple(slice(0 if i == axis else None) for i in range(arrays[0].ndim))
            yield f"empty{axis}", on(sample, [a[cut] for a in arrays]), None
    elif arrays and arrays[0].ndim:
        yield "empty-first", on(sample, [arrays[0][:0], *arrays[1:]]), None


def single(sample, arrays):
    """Inputs without axes, and of one element."""
    if arrays and all(a.size for a in arrays):
        zero = [a.reshape(-1)[:1].reshape(()) for a in arrays]
        yield "0-d", on(sample, zero), None
        for name in sorted(AXES & set(sample.attrs)):
            yield f"0-d,{name}=0", on(sample, zero, **{name: 0}), None


def in_dtypes(sample, arrays):
    """The floating inputs in other dtypes."""
    places = floats(arrays)
    for dtype in DTYPES if places else ():

        def convert(array, dtype=dtype):
            dtype = np.dtype(dtype)
            if dtype.kind == "b":
                return array > 0
            array = np.abs(array) if dtype.kind == "u" else array
            with np.errstate(invalid="ignore", over="ignore"):  # of NaN
                array = np.round(array * 2) if dtype.kind in "iu" else array
                return array.astype(dtype)

        yield dtype, changed(sample, arrays, places, convert), None
    if places:
        cast = {place: "{}.astype(ms.bfloat16)" for place in places}
        yield "bfloat16", on(sample, arrays), cast


def whole(sample, arrays):
    """Integers of both signs and zero, one with the other; and such that do not fit."""
    if not elementwise(sample) or len(arrays) > 2:
        return
    for dtype, values in (
        ("int32", WHOLE), ("int8", WHOLE), ("int64", WHOLE),
        ("uint8", np.array([0, 1, 3, 200, 255])),
    ):  # fmt: skip
        kept = grid(values.astype(dtype), len(arrays))
        yield f"whole-{dtype}", on(sample, kept), None


def mixed(sample, arrays):
    """Two inputs of different dtypes, and Python's numbers."""
    if not elementwise(sample) or len(arrays) != 2:
        return
    values = np.array([-2.0, 1.0, 3.0], np.float32)
    for left, right in itertools.chain(MIXED, (m[::-1] for m in MIXED)):
        pair = [np.abs(values).astype(d) if d == "uint8" else values.astype(d)
                for d in (left, right)]  # fmt: skip
        yield f"{left},{right}", on(sample, pair), None
    for number, dtype in itertools.product(
        NUMBERS, ("float32", "float16", "int32", "uint8", "bool")
    ):
        value = np.array(eval(number))
        array = np.abs(values).astype(dtype)
        yield f"{dtype},{number}", on(sample, [array, value]), {1: number}
        yield f"{number},{dtype}", on(sample, [value, array]), {0: number}


def broadcast(sample, arrays):
    """Pairs whose shapes meet."""
    if not elementwise(sample) or len(arrays) != 2 or not floats(arrays):
        return
    low, high = sample.range
    values = [np.linspace(low, high, 4), np.linspace(low, high, 7)[::-1]]
    for left, right in (
        ((3, 1), (1, 4)),
        ((), (3,)),
        ((4,), ()),
        ((2, 1, 2), (3, 1)),
        ((1,), (2, 2)),
    ):
        pair = [
            np.resize(v, s).astype(np.float32) for v, s in zip(values, (left, right), strict=True)
        ]
        pair = [p.astype(a.dtype) for p, a in zip(pair, arrays, strict=True)]
        yield f"{left}x{right}".replace(" ", ""), on(sample, pair), None


def views(sample, arrays):
    """Inputs that are not contiguous where they come from."""
    places = [place for place in floats(arrays) if arrays[place].ndim >= 2]
    if places:
        turned = [a.T.copy() if i in places else a for i, a in enumerate(arrays)]
        yield "turned", on(sample, turned), dict.fromkeys(places, "{}.T")
        wide = [np.repeat(a, 2, -1) if i in places else a for i, a in enumerate(arrays)]
        yield "sliced", on(sample, wide), dict.fromkeys(places, "{}[..., ::2]")


def seen(sample, rewrites):
    """Return the inputs as the call sees them, for the reference."""
    arrays = sample.arrays(np.float32)
    kinds = set((rewrites or {}).values())
    if "{}.T" in kinds:
        return [a.T if i in rewrites else a for i, a in enumerate(arrays)]
    if "{}[..., ::2]" in kinds:
        return [a[..., ::2] if i in rewrites else a for i, a in enumerate(arrays)]
    return arrays


def axes(sample, arrays):
    """Every axis by both its numbers, one beyond either end, and axes kept or not."""
    rank = arrays[0].ndim if arrays else 0
    for name in sorted(AXES & set(sample.attrs)):
        inputs = sample.attrs[name]
        if isinstance(inputs, tuple):
            other = tuple(n - rank if n >= 0 else n + rank for n in inputs)
            yield f"{name}={other}".replace(" ", ""), on(sample, arrays, **{name: other}), None
        elif isinstance(inputs, int) and not isinstance(inputs, bool):
            for n in range(-rank - 1, rank + 1):
                yield f"{name}={n}", on(sample, arrays, **{name: n}), None
    for name in sorted(KEEP & set(OPS[sample.op].signature.parameters)):
        yield name, on(sample, arrays, **{name: not sample.attrs.get(name, False)}), None


EDGES = (odd, empty, single, in_dtypes, whole, mixed, broadcast, views, axes)
ONCE = {in_dtypes, whole, mixed, broadcast, views, odd}  # for one sample of an operation


def rewritten(call, rewrites):
    """Apply `rewrites` to the source of a call; return None if that is impossible."""
    for place, text in (rewrites or {}).items():
        name = "abcdefgh"[place]
        if "{}" not in text and call.startswith(f"{name}."):
            return None
        call = re.sub(rf"(?<![\w.']){name}(?![\w('])", text.format(name), call)
    return call
