"""Estimates of the memory that programs need, and the error if it is more than there is."""

from sporax._src.core.jax_internals import default_device
from sporax._src.core.memory_limits import RESERVE, limit, reason_of
from sporax._src.core.units import bytes_text
from sporax._src.diagnosis.rules import message, message_of, rejection
from sporax._src.operating_system import physical_memory
from sporax._src.runtime.memory import liveness


def bytes_of(avals):
    """Return the bytes of arrays of these avals."""
    return sum(map(liveness.bytes_of, avals))


def operations(pairs):
    """Yield (operation, avals of its results) of a trace, with captured functions replaced by
    their operations."""
    for op, avals in pairs:
        inner = getattr(op.fn, "steps_of", None)
        if inner is None:
            yield op, avals
        else:
            yield from operations((step, rule.avals) for step, rule, _ in inner[0].steps)


BELOW = "memory-limit-least"  # the rule of a limit that cannot be met


def memory():
    """Return the bytes available to programs: of the device, else of the host."""
    statistics = default_device().memory_stats() or {}
    return statistics.get("bytes_limit") or min(physical_memory(), limit() or physical_memory())


def bytes_needed(steps, avals):
    """Return the bytes that a program needs at least, for arrays of these `avals` and the largest
    result of its steps, and at most, for all results: XLA may not store some of them."""
    pairs = operations((op, rule.avals) for op, rule, _ in steps)
    sizes = [bytes_of(each) for _, each in pairs]
    return bytes_of(avals) + max(sizes, default=0), bytes_of(avals) + sum(sizes)


def out_of_memory(state, error):
    """Return (the MemoryError for a trace up to this node, whether it can never run)."""
    said = message_of(error)
    if said is not None and said.rule == BELOW:
        return MemoryError(said), True
    path = list(operations((node.op, node.avals) for node in state.path()))
    op, avals = max(path, key=lambda pair: bytes_of(pair[1]))
    largest, together = bytes_of(avals), sum(bytes_of(avals) for _, avals in path)
    is_large = together > RESERVE
    remedy = message("smaller-batches" if is_large else "let-go-of-tensors-and-functions")
    shapes, sizes = [a.shape for a in avals], map(bytes_text, (largest, together, memory()))
    fields = {"count": len(path), "reason": reason_of(error), "shapes": shapes, "remedy": remedy}
    fields |= dict(zip(("largest", "together", "memory"), sizes, strict=True))
    refusal = rejection("memory-suffice-result-those", op.name, **fields)
    return refusal, together > memory() / 4
