"""Checks that a random program has the same outcome in all ways to run it."""

import itertools

import numpy as np

from tests.programs.random import reference, ways

LARGEST = 1e4


def check(program, every_way=True):
    """Run a program in all ways, or in some that depend on its number, and compare; return False if
    float32 is too narrow for it."""
    try:
        with np.errstate(all="raise", under="ignore"):
            wanted = ways.expected(program)
            with reference.noisy():
                _compare("with noise", ways.expected(program), wanted, ways.TOLERANCE / 4)
    except (reference.Uncertain, FloatingPointError, AssertionError):
        return False
    if not all(np.all(np.abs(a) < LARGEST) for a in _arrays(wanted)):
        return False
    traits = program.traits | ({"state"} if ways.writes_state(program) else set())
    kinds = [name for name, (_, without) in ways.WAYS.items() if not traits & set(without)]
    for name in kinds if every_way else _some(kinds, program):
        if (got := _unless_refused(name, ways.history, program, ways.WAYS[name][0])) is not None:
            _compare(name, got, wanted)
    if not isinstance(wanted[0], ways.Raised) and "thread" not in traits:
        kinds = [k for k in ways.SLOPES if not _is_other(k, traits)]
        _check_derivatives(program, _some(kinds, program, not every_way))
    return True


def _is_other(kind, traits):
    """Return True if a way to take a derivative is known to differ for a program with these
    traits."""
    if "recompute" not in kind:
        return False
    # in a captured function a condition needs conversion, for which Python runs twice
    return "no slope" in traits or (kind != "recompute" and {"branch", "python state"} <= traits)


def _some(names, program, fewer=True):
    """Return 'dynamic' and one other name, which depends on the program; all names unless
    `fewer`."""
    first, *others = names
    return [first, others[program.number % len(others)]] if fewer else names


def _check_derivatives(program, kinds):
    traits = program.traits
    for order in (1, 2):
        if order == 2 and traits & {"kink", "branch", "custom"}:
            continue
        slopes = None if "no slope" in traits else ways.differences(program, order)
        if slopes is None:
            slopes = ways.gradients(program, "dynamic", order)
        if not np.all(np.abs(slopes) < LARGEST):
            break
        for name in kinds:
            got = _unless_refused(name, ways.gradients, program, name, order)
            if got is not None:
                _close(f"derivative of order {order}, {name}", got, slopes, 5e-3)


# The last: where a condition is found to need conversion, the Cell is recorded a second time, and
# what it did to Python before is seen.
_REFUSALS = "recorded without numbers", "must not need a number", ways.PLANNED


def _unless_refused(way, run, *args):
    """Return None if a recomputed Cell is rejected, because it has a branch that is not an
    operation."""
    try:
        return run(*args)
    except (RuntimeError, ValueError, AssertionError) as error:
        if "recompute" in way and any(words in str(error) for words in _REFUSALS):
            return None
        raise


def _arrays(history):
    calls = [call for call in history if not isinstance(call, ways.Raised)]
    return itertools.chain.from_iterable((*results, *tensors) for results, tensors, _ in calls)


def _compare(name, got, wanted, tolerance=ways.TOLERANCE):
    assert len(got) == len(wanted), f"{name}: {len(got)} calls, not {len(wanted)}"
    for turn, (ours, theirs) in enumerate(zip(got, wanted, strict=True)):
        where = f"{name}, call {turn}"
        if isinstance(theirs, ways.Raised):
            assert isinstance(ours, ways.Raised), f"{where}: no error"
            assert ours.what == theirs.what, f"{where}: {ours.what}, not {theirs.what}"
            continue
        assert not isinstance(ours, ways.Raised), f"{where}: {ours.what}"
        assert len(ours[0]) == len(theirs[0]), f"{where}: {len(ours[0])} results"
        for k, (a, b) in enumerate(zip(ours[0], theirs[0], strict=True)):
            _close(f"{where}, result {k}", a, b, tolerance)
        for k, (a, b) in enumerate(zip(ours[1], theirs[1], strict=True)):
            _close(f"{where}, state {k}", a, b, tolerance)
        assert ours[2] == theirs[2], f"{where}: attributes {ours[2]}, not {theirs[2]}"


def _close(where, got, wanted, tolerance):
    assert got.shape == wanted.shape, f"{where}: shape {got.shape}, not {wanted.shape}"
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    scale = max(1, np.max(np.abs(wanted), initial=0))
    error = np.max(np.abs(got - wanted), initial=0) / scale
    assert error < tolerance, f"{where}: {got.tolist()}, not {wanted.tolist()}"
