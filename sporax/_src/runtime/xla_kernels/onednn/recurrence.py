"""Recurrent layers by oneDNN: one layer in one direction, forward and backward, in float32.

The forward pass saves residuals for the backward pass in a workspace with oneDNN's private layout.
Weights have shape (g H, C) and are reordered at each call; oneDNN has the gates of a GRU in another
order (update, reset, new), one bias for each gate, and a fourth for the part of 'new' that the
reset gate scales.

The batch is divided among threads, also the caller's, each of which runs a separate primitive: the
threads of one primitive would synchronize at each element of a sequence. One example of a GRU with
128 states and 128 elements takes 0.8 ms on one thread, 12 ms on two.
"""

import functools
import json
import math
from concurrent.futures import wait
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.runtime.xla_kernels.onednn import ffi, library
from sporax._src.runtime.xla_kernels.recurrence import KINDS, count_of_operands, unpacked

TARGET = "sporax_onednn_recurrence"
_INFERENCE, _TRAINING, _BACKWARD = 96, 64, 128
_SRC, _STATE, _WEIGHTS, _BIAS, _DST, _LAST = 1, 2, (33, 34), 41, 17, 18
_WORKSPACE, _SCRATCHPAD, _DIFF = 64, library.SCRATCHPAD, 128
_LEFT_TO_RIGHT, _RIGHT_TO_LEFT, _OVERWRITE = 1, 2, 1
# kind -> (the primitive's name, arguments before the direction); oneDNN's 'relu' of NaN is 0
_TANH = 0x21
KERNELS = {"tanh": ("vanilla_rnn", (_TANH,)), "lstm": ("lstm", ()), "gru": ("lbr_gru", ())}
_SEQUENCES = _SRC, _DST
_BYTES = {_WORKSPACE, _SCRATCHPAD}
_FEW = 4  # fewest sequences per thread
_UPDATE_FIRST = [1, 0, 2]


class Geometry(NamedTuple):
    """One layer in one direction as oneDNN describes it, for a part of a batch; `step`:
    'inference', 'training' (forward with a workspace) or 'backward'."""

    step: str
    kind: str
    reverse: bool
    length: int
    inputs: int
    hidden: int
    whole: int  # the size of the batch
    batch: int  # the size of this part

    @property
    def gates(self):
        return KINDS[self.kind][0]

    @property
    def shapes(self):
        """{argument: shape}; the number of a state is added to its argument."""
        row, state = (self.length, self.batch), (1, 1, self.batch, self.hidden)
        states = range(2 if self.kind == "lstm" else 1)
        return {
            _SRC: (*row, self.inputs), **{_STATE + i: state for i in states},
            _WEIGHTS[0]: (1, 1, self.inputs, self.gates, self.hidden),
            _WEIGHTS[1]: (1, 1, self.hidden, self.gates, self.hidden),
            _BIAS: (1, 1, self.gates + (self.kind == "gru"), self.hidden),
            _DST: (*row, self.hidden), **{_LAST + i: state for i in states},
        }  # fmt: skip


def _descriptor(g, arg, shape):
    """Create a memory descriptor; weights are (g H, C) in memory, described by axes C, g, H."""
    if arg in _WEIGHTS:
        *_, inner, gates, size = shape
        strides = (inner * gates * size,) * 2 + (1, size * inner, inner)
    elif arg in _SEQUENCES:
        strides = (g.whole * shape[2], shape[2], 1)
    else:
        strides = [math.prod(shape[k + 1 :]) for k in range(len(shape))]
    return library.layout(shape, "float32", strides)


def _primitive_desc(g, step, hint=None):
    """Return (a primitive descriptor, {argument: its memory descriptor in the program})."""
    name, before = KERNELS[g.kind]
    layouts = {arg: _descriptor(g, arg, shape) for arg, shape in g.shapes.items()}

    def arguments():
        free = {arg: library.layout(g.shapes[arg], "float32") for arg in _WEIGHTS}
        for arg in layouts:
            yield free.get(arg, layouts[arg])
            if arg == _WEIGHTS[1] and g.kind == "lstm":
                yield from (None, None)  # no peepholes, no projection

    direction = _RIGHT_TO_LEFT if g.reverse else _LEFT_TO_RIGHT
    args = [library.engine(), step, *before, direction, *arguments()]
    if step == _BACKWARD:
        args += arguments()
        layouts |= {arg + _DIFF: desc for arg, desc in layouts.items()}
    args.append(_OVERWRITE if step == _BACKWARD else 0)
    if before:
        args += [library.c.c_float(0), library.c.c_float(0)]
    if step == _BACKWARD:
        args.append(hint)
    start = f"dnnl_{name}_{'backward' if step == _BACKWARD else 'forward'}_primitive_desc_create"
    return library.create(start, *args, library.attributes()), layouts


@functools.lru_cache(maxsize=1024)
def _kernel(g):
    """Return (the `Kernel` of a `Geometry`, its operands, its results, {argument: shape})."""
    forward = [arg for arg in g.shapes if arg < _DST or arg in (*_WEIGHTS, _BIAS)]
    reads, writes = forward, [arg for arg in g.shapes if arg not in forward]
    desc, layouts = _primitive_desc(g, _INFERENCE if g.step == "inference" else _TRAINING)
    if g.step == "backward":
        reads = [*g.shapes, _WORKSPACE, *(arg + _DIFF for arg in writes)]
        writes = [arg + _DIFF for arg in forward]
        desc, layouts = _primitive_desc(g, _BACKWARD, desc)
    elif g.step == "training":
        writes.append(_WORKSPACE)
    writes.append(_SCRATCHPAD)
    shapes = g.shapes | {arg + _DIFF: shape for arg, shape in g.shapes.items()}
    for arg in {*reads, *writes} & _BYTES:
        layouts[arg] = library.argument_desc(desc, arg)
        shapes[arg] = (library.whole_pages(library.size_of(layouts[arg])),)
    layouts = {arg: layouts[arg] for arg in (*reads, *writes)}
    kernel = library.Kernel(desc, layouts, writes, is_small=False)
    return kernel, reads, writes, shapes


class _Chunk(NamedTuple):
    """A part of the batch: its kernel, and its byte offset in the array of each argument."""

    kernel: library.Kernel
    offsets: dict

    def run(self, addresses):
        pairs = zip(self.offsets.items(), addresses, strict=True)
        self.kernel({arg: address + offset for (arg, offset), address in pairs})


@functools.lru_cache(maxsize=1024)
def _chunks(text):
    """Return (the `_Chunk`s of a layer, (shape, dtype) of each result)."""
    *fields, batch = json.loads(text)
    whole = Geometry(*fields, batch, batch)  # type: ignore[reportCallIssue]  # `fields`: all others
    pool, count = library.single_threads()
    count = max(min(count, batch // _FEW), 1)
    sizes = [batch // count + (i < batch % count) for i in range(count)]
    # a primitive is for the number of threads available where it is created
    kernels = [pool.submit(_kernel, whole._replace(batch=n)).result() for n in sizes]
    _, reads, writes, shapes = kernels[0]

    def offset(arg, i):
        if arg in _BYTES:
            return i * shapes[arg][0]
        if arg in writes and arg - _DIFF in (*_WEIGHTS, _BIAS):
            return i * math.prod(shapes[arg]) * 4
        is_whole = arg in (*_WEIGHTS, _BIAS)
        return 0 if is_whole else sum(sizes[:i]) * shapes[arg][-1] * 4

    chunks = [
        _Chunk(kernel, {arg: offset(arg, i) for arg in (*reads, *writes)})
        for i, (kernel, *_) in enumerate(kernels)
    ]
    results = []
    for arg in writes:
        shape = shapes[arg]
        if arg in _BYTES or arg - _DIFF in (*_WEIGHTS, _BIAS):
            shape = (len(chunks), *shape)
        else:
            shape = (*shape[:-2], batch, shape[-1])
        results.append((shape, np.uint8 if arg in _BYTES else np.float32))
    return chunks, results


def _execute(text, operands, results):
    pool, _ = library.single_threads()
    (first, *others), _ = _chunks(text)
    addresses = (*operands, *results)
    futures = [pool.submit(chunk.run, addresses) for chunk in others]
    try:
        with library.on_one_thread(True):
            first.run(addresses)
    finally:
        wait(futures)  # they write to the results
    for future in futures:
        future.result()


@functools.cache
def register():
    """Make XLA know the custom call `TARGET`."""
    ffi.register(TARGET, _execute)


def _in_program(text, *operands):
    register()
    specs = [jax.ShapeDtypeStruct(*result) for result in _chunks(text)[1]]
    return jax.ffi.ffi_call(TARGET, specs)(*operands, text=text)


def _on_arrays(text, *operands):
    operands = [np.ascontiguousarray(x) for x in operands]
    results = [np.empty(*result) for result in _chunks(text)[1]]
    _execute(text.encode(), [x.ctypes.data for x in operands], [x.ctypes.data for x in results])
    return results


def supports(kind, avals):
    """Return True if oneDNN has a layer of this kind for operands of these avals."""
    if kind not in KERNELS or any(a.dtype != np.float32 or 0 in a.shape for a in avals):
        return False
    if library.load() is None:
        return False
    try:
        _chunks(_layer("backward", kind, False, avals))
    except library.Unsupported:
        return False
    return True


def _layer(step, kind, reverse, operands):
    """Return a layer as JSON: the fields of a `Geometry` for the whole batch."""
    length, batch, inputs = operands[0].shape
    return json.dumps([step, kind, reverse, length, inputs, operands[1].shape[1], batch])


def _taken(xp, kind, operands):
    """Return oneDNN's arguments: input, states, weights, bias. `xp`: NumPy or jax.numpy."""
    x, state, *weights, biases = unpacked(kind, operands)
    rows = weights[0].shape[0]
    bias = biases or (xp.zeros(rows, np.float32),) * 2
    if kind == "gru":
        weights, bias = ([_reordered(xp, array) for array in pair] for pair in (weights, bias))
        both, inner, outer = bias[0] + bias[1], *(b[2 * rows // 3 :] for b in bias)
        bias = xp.concatenate([both[: 2 * rows // 3], inner, outer])
    else:
        bias = bias[0] + bias[1]
    return [x, *state, *weights, bias]


def _reordered(xp, array):
    """Swap the first two of three gates."""
    gates = xp.split(array, 3)
    return xp.concatenate([gates[i] for i in _UPDATE_FIRST])


def forward(operands, kind, reverse, is_training=False, xp=jnp):
    """Return (the results of `RECURRENCE`, the workspace for `backward`, empty in inference)."""
    step = "training" if is_training else "inference"
    text = _layer(step, kind, reverse, operands)
    run = _in_program if xp is jnp else _on_arrays
    shown, *others = run(text, *_taken(xp, kind, operands))
    shape = operands[1].shape
    last = others[: 2 if kind == "lstm" else 1]
    return [shown, *(x.reshape(shape) for x in last)], others[len(last) : -1]


def backward(operands, results, workspace, cotangents, kind, reverse, xp=jnp):
    """Return the results of `BACKWARD`, after `forward` in training."""
    text = _layer("backward", kind, reverse, operands)
    run = _in_program if xp is jnp else _on_arrays
    taken = _taken(xp, kind, operands)
    x, *others, _ = run(text, *taken, *results, *workspace, *cotangents)
    n = 2 if kind == "lstm" else 1
    states = [g.reshape(operands[1].shape) for g in others[:n]]
    *weights, bias = (g.sum(0) for g in others[n:])
    bias = bias.reshape(-1)
    weights = [g.reshape(w.shape) for g, w in zip(weights, taken[n + 1 :], strict=False)]
    biases = [bias, bias]
    if kind == "gru":
        size = operands[1].shape[1]
        biases = [bias[: 3 * size], xp.concatenate([bias[: 2 * size], bias[3 * size :]])]
        weights, biases = ([_reordered(xp, g) for g in pair] for pair in (weights, biases))
    return [x, *states, *weights, *biases][: len(operands)]


def on_arrays(name, kind, reverse, avals):
    """Return a function of NumPy arrays that computes `RECURRENCE` or `BACKWARD`; None if oneDNN
    does not support it."""
    is_backward = name == "recurrence_backward"
    count = count_of_operands(len(avals), kind) if is_backward else len(avals)
    if not supports(kind, avals[:count]):
        return None
    params = {"kind": kind, "reverse": reverse, "xp": np}

    def run(*arrays):
        operands = arrays[:count]
        if not is_backward:
            return forward(operands, **params)[0]
        results, workspace = forward(operands, **params, is_training=True)
        return backward(operands, results, workspace, arrays[count:], **params)

    return run
