"""All wrong calls derived from the valid calls of a class, each with its outcome."""

import contextlib
import dataclasses
import inspect
import random
import resource
import signal
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from sporax import Tensor
from sporax._src.runtime.engine.recorder import run_pending
from sporax.data.dataset import Dataset
from tests.wrong_arguments import judge, valid_calls, written_calls
from tests.wrong_arguments.wrong_values import wrong_values

TIME, MEMORY = 10.0, 2**30
OUTCOMES = "accepted", "teaches", "leaks"


class TooLong(BaseException):
    """Raised by the timer, past every `except Exception`."""


@dataclasses.dataclass
class WrongCall:
    """A valid call with one argument replaced; `change(args, kwargs)` replaces it."""

    call: str
    argument: str
    what: str
    steps: list
    at: int
    change: Callable

    def __str__(self):
        return f"{self.call}: {self.argument} = {self.what}"

    def run(self):
        def prepare(at, args, kwargs):
            return self.change(args, kwargs) if at == self.at else (args, kwargs)

        settle(written_calls.after(self.steps, prepare=prepare))


def settle(result):
    """Compute a result."""
    if isinstance(result, Tensor):
        result.asnumpy()
    elif isinstance(result, tuple | list):
        for part in result:
            settle(part)
    elif isinstance(result, Dataset):
        rows = result.create_tuple_iterator(num_epochs=1, output_numpy=True)
        for _, _row in zip(range(2), rows, strict=False):
            pass
    else:
        run_pending()


def _positions(function, args, kwargs):
    """Yield (name, position or keyword, value) of the arguments; omitted ones have their
    defaults."""
    bound = written_calls.bound(function, args, kwargs)
    if bound is None:
        yield from ((str(i), i, value) for i, value in enumerate(args))
        yield from ((name, name, value) for name, value in kwargs.items())
        return
    bound.apply_defaults()
    names = [*bound.signature.parameters]
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            first = len(args) - len(value)
            yield from ((f"{name}[{i}]", first + i, item) for i, item in enumerate(value))
        elif kind is inspect.Parameter.VAR_KEYWORD:
            yield from ((key, key, item) for key, item in value.items())
        else:
            by_place = names.index(name) < len(args) and name not in kwargs
            yield name, names.index(name) if by_place else name, value


def _replaced(place, make, value):
    def change(args, kwargs):
        if isinstance(place, int):
            return (*args[:place], make(args[place]), *args[place + 1 :]), kwargs
        return args, {**kwargs, place: make(kwargs.get(place, value))}

    return change


def _without(place):
    def change(args, kwargs):
        if isinstance(place, int):
            return args[:place], kwargs
        return args, {key: item for key, item in kwargs.items() if key != place}

    return change


def wrong_calls(name, written):
    """Yield the wrong calls derived from a valid one; none if the valid one is rejected."""
    steps = written_calls.spine(written)
    if outcome(WrongCall(name, "", "", steps, -1, None))[0] != "accepted":
        return
    for at, called, function in written_calls.calls(steps):
        args, kwargs = map(written_calls.value_of, steps[at][1])
        label = name if called in name else f"{name} at {called}"
        for argument, place, value in _positions(function, args, kwargs):
            for what, make in wrong_values(value).items():
                change = _replaced(place, make, value)
                yield WrongCall(label, argument, what, steps, at, change)
            yield WrongCall(label, argument, "left out", steps, at, _without(place))
        yield WrongCall(label, "an unknown keyword", "3", steps, at,
                        lambda args, kwargs: (args, {**kwargs, "strange": 3}))  # fmt: skip
        yield WrongCall(label, "too many", "3", steps, at,
                        lambda args, kwargs: ((*args, *[3] * 40), kwargs))  # fmt: skip


def sample(kind, count, seed=0):
    """Yield `count` wrong calls of a class, a few for each valid one."""
    draw = random.Random(f"{kind} {seed}")
    valid = list(valid_calls.valid_calls(kind).items())
    draw.shuffle(valid)
    share = max(4, -(-count // len(valid)))
    for name, written in valid:
        if count <= 0:
            return
        calls = list(wrong_calls(name, written))
        for call in draw.sample(calls, min(share, count, len(calls))):
            count -= 1
            yield call


@contextlib.contextmanager
def bounded():
    """Limit the block to `TIME` seconds of CPU time and `MEMORY` additional bytes of address
    space."""
    with open("/proc/self/statm") as file:
        space = int(file.read().split()[0]) * resource.getpagesize() + MEMORY
    before = signal.signal(signal.SIGPROF, _stop)
    resource.setrlimit(resource.RLIMIT_AS, (space, resource.RLIM_INFINITY))
    signal.setitimer(signal.ITIMER_PROF, TIME, 1.0)  # again, where a callback swallows it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        signal.signal(signal.SIGPROF, before)


def _stop(*_):
    raise TooLong


def outcome(call: Any):
    """Run a wrong call; return (one of `OUTCOMES`, problem of the error, text of the error)."""
    try:
        with bounded(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call.run()
    except TooLong as error:
        return "leaks", f"longer than {TIME} s", traceback.format_exception_only(error)[0]
    except Exception as error:  # noqa: BLE001 - it is what is looked at
        fault = judge.fault(error)
        global TRACE
        TRACE = "".join(
            "".join(traceback.format_exception(type(e), e, e.__traceback__, chain=False)[-9:])
            for e in judge.chain(error)[::-1][:2]
        )
        text = f"{type(error).__name__}: {error}"
        return ("teaches", None, text) if fault is None else ("leaks", fault, text)
    finally:
        with contextlib.suppress(Exception):  # what a failed run has left pending fails again
            run_pending()
    return "accepted", None, None
