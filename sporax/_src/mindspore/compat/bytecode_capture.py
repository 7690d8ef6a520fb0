"""Private names of the capture mode 'bytecode': a captured function's context and statistics."""

import inspect

from sporax._src.capture.graph_capture.jit import CountedFunction, jit


class Unsupported(RuntimeError):
    """MindSpore's error for a graph break under `fullgraph=True`; sporax raises RuntimeError."""


class PIJitCaptureContext:
    """Decorator `jit(capture_mode='bytecode')` with `fullgraph`; `jit_config` has no effect.

    >>> capture = PIJitCaptureContext(fullgraph=True)
    >>> capture(lambda x: x + 1)(Tensor([1.0])).asnumpy()
    array([2.], dtype=float32)
    """

    def __init__(self, fullgraph=False, jit_config=None):
        self.fullgraph, self.config = fullgraph, jit_config

    def __call__(self, fn):
        return jit(fn, capture_mode="bytecode", fullgraph=self.fullgraph)


_state = {"enabled": False}


def jit_mode_pi_enable():
    """Enable the mode 'bytecode' and return whether it was disabled before.

    As in MindSpore 2.10, `jit(capture_mode="bytecode")` captures in both states.
    """
    return _set_enabled(True)


def jit_mode_pi_disable():
    """Disable the mode 'bytecode' and return whether it was enabled before, see
    `jit_mode_pi_enable`.
    """
    return _set_enabled(False)


def _set_enabled(enabled):
    before, _state["enabled"] = _state["enabled"], enabled
    return before != enabled


def get_code_extra(function):
    """Return statistics of a function captured in the mode 'bytecode', or None before its first
    call.

    `function`: the original function, `captured.__wrapped__`. The statistics count the captures,
    the graph breaks of the last capture, and, in 'code', the calls since then.

    >>> f = jit(lambda x: x + 1, capture_mode="bytecode")
    >>> y = f(Tensor([1.0]))
    >>> get_code_extra(f.__wrapped__)["compile_count_"]
    1
    """
    code = getattr(inspect.unwrap(function), "__code__", function)
    counts = CountedFunction.counts_of.get(code)
    if counts is None:
        return None
    whole = {} if counts["breaks"] else {"phase_": code.co_qualname}
    return {
        "code": {"compiled_code_": code, "call_count_": counts["calls"]} | whole,
        "stat": "GRAPH_CALLABLE",
        "compile_count_": counts["captures"], "break_count_": counts["breaks"],
    }  # fmt: skip
