"""What a random program must show: one outcome, however it is run."""

import numpy as np

from tests.programs.random import reference, ways

LARGEST = 1e4


def check(program):
    """Run a program in all ways, and compare; False where float32 is too narrow for it."""
    try:
        with np.errstate(all="raise", under="ignore"):
            wanted = ways.expected(program)
    except (reference.Uncertain, FloatingPointError):
        return False
    arrays = [a for results, tensors, _ in wanted for a in (*results, *tensors)]
    if not all(np.all(np.abs(a) < LARGEST) for a in arrays):
        return False
    kinds, has_state = dict(ways.WAYS), "state" in program.traits or ways.writes_state(program)
    if not has_state and "branch" not in program.traits:
        kinds |= ways.PURE
    for name, way in kinds.items():
        _compare(name, ways.history(program, way), wanted)
    if has_state or "hook" in program.traits or "stop_gradient" in program.source:
        _compare_derivatives(program)
        return True
    for order in (1, 2):
        if order == 2 and program.traits & {"kink", "branch"}:
            continue
        slopes = ways.differences(program, order)
        if slopes is None or not np.all(np.abs(slopes) < LARGEST):
            break
        for name, captured in (("dynamic", False), ("jit", True)):
            got = ways.gradients(program, captured, order)
            _close(f"derivative of order {order}, {name}", got, slopes, 5e-3)
    return True


def _compare_derivatives(program):
    """Where differences are no oracle: captured or not, they are the same."""
    dynamic, captured = (ways.gradients(program, captured) for captured in (False, True))
    if np.all(np.abs(dynamic) < LARGEST):
        _close("derivative, jit", captured, dynamic)


def _compare(name, got, wanted):
    for turn, (ours, theirs) in enumerate(zip(got, wanted, strict=True)):
        where = f"{name}, call {turn}"
        assert len(ours[0]) == len(theirs[0]), f"{where}: {len(ours[0])} results"
        for k, (a, b) in enumerate(zip(ours[0], theirs[0], strict=True)):
            _close(f"{where}, result {k}", a, b)
        for k, (a, b) in enumerate(zip(ours[1], theirs[1], strict=True)):
            _close(f"{where}, state {k}", a, b)
        assert ours[2] == theirs[2], f"{where}: attributes {ours[2]}, not {theirs[2]}"


def _close(where, got, wanted, tolerance=ways.TOLERANCE):
    assert got.shape == wanted.shape, f"{where}: shape {got.shape}, not {wanted.shape}"
    scale = max(1, np.max(np.abs(wanted), initial=0))
    error = np.max(np.abs(got - wanted), initial=0) / scale
    assert error < tolerance, f"{where}: {got.tolist()}, not {wanted.tolist()}"
