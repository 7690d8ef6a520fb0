"""`saved_tensors_hooks`: user functions that store the tensors saved for the backward pass."""

import functools

import jax

from sporax._src.core import dtype as dtypes
from sporax._src.core.jax_internals import used_inputs
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.diagnosis.argument_kinds import FUNCTION
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.recorder import record, wrap
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.transforms.autodiff.tape import (
    PythonDerivative,
    active_tape,
    differentiable,
    paused,
    variable,
)


class saved_tensors_hooks:
    """Call `pack_hook(tensor)` in the block for each Tensor that a derivative needs, and keep its
    result; the backward pass calls `unpack_hook(packed)` to restore the Tensor.

    A derivative needs the operands in its formula: both of a product, none of a sum. The innermost
    block applies. Under `jit` the function then runs dynamically.

    >>> def f(x):
    ...     with saved_tensors_hooks(lambda x: x.asnumpy(), Tensor):
    ...         return ops.sin(x)
    >>> grad(f)(Tensor([0.0])).asnumpy()
    array([1.], dtype=float32)
    """

    def __init__(self, pack_hook, unpack_hook):
        FUNCTION("saved_tensors_hooks", pack_hook=pack_hook, unpack_hook=unpack_hook)
        self.hooks = pack_hook, unpack_hook
        self.before = []

    def __enter__(self):
        self.before.append(thread.saving)
        thread.saving = self.hooks
        pack_if_saving(active_tape())

    def __exit__(self, *exception):
        thread.saving = self.before.pop()
        pack_if_saving(active_tape())


def pack_if_saving(tape):
    """Make a tape pack what the derivatives of its next entries need, if hooks are set."""
    if tape is not None:
        record_packed = functools.partial(_record_packed, tape.entries, tape.python_entries)
        tape.record = tape.entries.append if thread.saving is None else record_packed


def _record_packed(entries, python_entries, entry):
    """Add an operation to a tape's entries, with the operands that its derivative needs packed."""
    op, operands, out = entry
    wanted = differentiable(op, operands)
    needed = _needed(op, tuple([v.aval for v in operands]), wanted) if wanted else ()
    if needed:
        packed = Packed([(i, operands[i]) for i in needed])
        python_entries.append(len(entries))
        entry = SavedDerivative(op, wanted, packed), operands, out
    entries.append(entry)


def _needed(op, avals, wanted):
    """Return the indices of the operands that the pullback of `op` reads, except Python scalars."""
    key = op, avals, wanted
    needed = _read.get(key)
    if needed is None:
        outs = op.rule(avals).avals
        which = tuple([i for i, a in enumerate(outs) if a.differentiable])
        pullback = op.pullback(wanted, which)
        avals_in = *avals, *[outs[i] for i in which]
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals_in]
        jaxpr = jax.make_jaxpr(functools.partial(pullback.compute, avals_in))(*specs).jaxpr
        used = used_inputs(jaxpr)
        needed = tuple([i for i, a in enumerate(avals) if used[i] and not a.weak])
        _read[key] = needed
    return needed


_read: dict = {}
forest.tables.append(_read)


class Packed:
    """Values stored by a `pack_hook`; `indexed`: (index, Value) of each."""

    def __init__(self, indexed):
        pack, self.unpack = thread.saving
        self.avals = [(i, v.aval) for i, v in indexed]
        saving, thread.saving = thread.saving, None
        try:
            with paused("custom_spans"):
                self.objects = [pack(wrap(v)) for _, v in indexed]
        finally:
            thread.saving = saving

    def restored(self, operands):
        """Return the operands with packed ones unpacked; a derivative through them continues to
        the original operands."""
        operands = list(operands)
        for (i, aval), packed in zip(self.avals, self.objects, strict=True):
            tensor = self.unpack(packed)
            is_tensor = isinstance(tensor, Tensor)
            shape, dtype = aval.shape, dtypes.from_numpy(aval.dtype)
            fits = is_tensor and (tensor.shape, tensor.dtype) == (shape, dtype)
            error, who = ValueError if is_tensor else TypeError, "saved_tensors_hooks"
            fields = {"unpack_hook": tensor, "shape": shape, "dtype": dtype}
            require(fits, "return-packed-tensor", who, error, **fields)
            operands[i] = _tied(tensor._lift(), operands[i])
        return operands


class SavedDerivative(PythonDerivative):
    """The derivative of an operation, computed from packed operands."""

    __slots__ = ("op", "packed", "wanted")

    def __init__(self, op, wanted, packed):
        self.op, self.wanted, self.packed = op, wanted, packed

    @property
    def who(self):
        """The name in messages."""
        return self.op.name

    def backward(self, operands, out, arriving):
        """Apply the operation's pullback."""
        cotangents = arriving if out.__class__ is tuple else (arriving,)
        which = tuple([i for i, ct in enumerate(cotangents) if ct is not None])
        pullback = self.op.pullback(self.wanted, which)
        cotangents = [cotangents[i] for i in which]
        pulled = record(pullback, *self.packed.restored(operands), *cotangents)
        leaving: list = [None] * len(operands)
        for i, cotangent in zip(self.wanted, pulled, strict=True):
            leaving[i] = cotangent
        return leaving


class Tie(PythonDerivative):
    """Passes the cotangent of an unpacked value to the value that was packed."""

    __slots__ = ()
    who = "saved_tensors_hooks"

    def backward(self, operands, out, arriving):
        """Return the cotangent itself."""
        return (arriving,)


def _tied(value, original):
    tape = active_tape()
    if tape is None or not original.tracked:
        return value
    with paused("custom_spans"):
        tied = variable(value)
    tied.tracked = True
    tape.record_python(Tie(), (original,), tied)
    return tied
