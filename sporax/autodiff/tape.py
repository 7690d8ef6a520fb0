"""The backward walk: it records gradients as ordinary pending Values, in the same trace."""

import contextlib

import jax.numpy as jnp

from sporax.core.value import thread
from sporax.engine.operation import Op
from sporax.engine.recorder import Walk, record

_add = Op("gradient.add", jnp.add)
_ones_like = Op("gradient.seed", jnp.ones_like)
_zeros_like = Op("gradient.zero", jnp.zeros_like)


def ones_like(value):
    """The cotangent that a derivative starts from by default."""
    return record(_ones_like, value)


def zeros_like(value):
    """The gradient of a value that does not reach the output."""
    return record(_zeros_like, value)


class Recording:
    """Keeps, for the length of a `with` block, a tape of what is computed from watched values.

    A nested block shares its outer one's tape, so that a derivative can be taken of a derivative.
    """

    def __enter__(self):
        self.outer = thread.tape
        if self.outer is None:
            thread.tape = []
        self.start = len(thread.tape)
        self.recorder = thread.recorder
        self.state = self.recorder.state
        return self

    def __exit__(self, *exception):
        thread.tape = self.outer

    def gradients(self, outputs, cotangents, wanted):
        """Cotangents of the `wanted` values, given those of the `outputs`; None where an output
        does not depend on one.

        The walk itself is remembered with the trace: after the same forward pass it is taken in
        one step. That is sound where every entry of the tape was recorded in this one trace,
        since the trace then determines the walk; a nested block has to record, for the outer one.
        """
        key = self._key(outputs, cotangents, wanted)
        recorder, before = thread.recorder, thread.recorder.state
        if key is not None:
            walk = before.next.get(key)
            if walk is not None:
                return walk.take(recorder)
        known = len(recorder.arrays), len(recorder.reals), len(recorder.integers)
        arrived = {}
        for out, cotangent in zip(outputs, cotangents, strict=True):
            _accumulate(arrived, out, cotangent)
        pull_back(thread.tape[self.start :], arrived)
        found = [arrived.get(id(value)) for value in wanted]
        inputs = len(recorder.arrays), len(recorder.reals), len(recorder.integers)
        if key is not None and thread.recorder is recorder and inputs == known:
            results = [(None, None) if v is None else (v.index, v.aval) for v in found]
            if all(i is None or i >= before.size for i, _ in results):
                before.next[key] = Walk(recorder.state, results)
        return found

    def _key(self, outputs, cotangents, wanted):
        """What determines the walk, where the trace so far does; else None."""
        recorder = thread.recorder
        if self.outer is not None or recorder is not self.recorder or recorder.immediate:
            return None
        places = [self.state.depth]
        for value in (*outputs, *cotangents, *wanted):
            if value.trace is recorder:
                places.append(value.index)
            else:
                places.append(recorder.found.get(id(value.array)))
        return (Walk, len(outputs), *places)


@contextlib.contextmanager
def paused():
    """Nothing computed in the block is differentiated."""
    outer, thread.tape = thread.tape, None
    try:
        yield
    finally:
        thread.tape = outer


def pull_back(entries, cotangents):
    """Walk back over tape entries.

    `cotangents`: `{id(output): its cotangent}`; it is filled with the cotangents of everything
    watched that the outputs depend on, and returned.
    """
    take = cotangents.pop
    for op, operands, out in reversed(entries):
        if out.__class__ is tuple:
            given = [(i, ct) for i, v in enumerate(out) if (ct := take(id(v), None)) is not None]
            if not given:
                continue
            which, arriving, count = tuple([i for i, _ in given]), [c for _, c in given], len(out)
        else:
            cotangent = take(id(out), None)
            if cotangent is None:
                continue
            which, arriving, count = _FIRST, (cotangent,), 1
        wanted = tuple([i for i, v in enumerate(operands) if v.watched])
        leaving = op.pullback(wanted, which, count)
        for i, cotangent in zip(wanted, record(leaving, *operands, *arriving), strict=True):
            _accumulate(cotangents, operands[i], cotangent)
    return cotangents


def _accumulate(cotangents, value, cotangent):
    before = cotangents.get(id(value))
    cotangents[id(value)] = cotangent if before is None else record(_add, before, cotangent)


_FIRST = (0,)
