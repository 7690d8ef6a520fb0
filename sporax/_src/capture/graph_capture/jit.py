"""`jit`: run a function as one program, re-captured when a guard fails."""

import functools
import inspect
import threading
import types
import weakref
from contextlib import suppress
from typing import Any, ClassVar

from sporax._src.capture.ast_transform.convert import Conversions
from sporax._src.capture.graph_capture.cache_entry import CacheEntry
from sporax._src.capture.graph_capture.dynamic_shapes.bucketed_shapes import capture_bucketed
from sporax._src.capture.graph_capture.dynamic_shapes.dynamic_dims import Shapes, declared_inputs
from sporax._src.capture.graph_capture.dynamic_shapes.symbol import check_symbols
from sporax._src.capture.graph_capture.graph_text import Listing
from sporax._src.capture.graph_capture.input_signature import SelfContaining, kind_of, with_numbers
from sporax._src.capture.graph_capture.jit_options import check_options
from sporax._src.capture.graph_capture.mutable import as_inputs
from sporax._src.capture.graph_capture.retrace_reasons import whereabouts, why
from sporax._src.capture.graph_capture.side_effects import (
    CONVERTED,
    ESCAPED,
    MAX_CHANGES,
    SELF_CONTAINING,
    after,
    before,
    generator_states,
    random_effect,
    replace_scalars,
)
from sporax._src.capture.graph_capture.tracer import capture
from sporax._src.capture.guards.dependence import Dependence
from sporax._src.capture.staging.host_calls import OtherResult, Stage
from sporax._src.capture.staging.symbolic_scalars import ScalarArguments
from sporax._src.core.cell_tree import is_cell_class
from sporax._src.core.errors import warn
from sporax._src.core.signal_handlers import is_of_handler
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine.debug.compile_log import announced, channel, counted, lasted, log
from sporax._src.runtime.engine.trace_tree import OnMeta


class JitFunction:
    """A captured function; see `jit`."""

    WARN_AT = 8  # the capture that is announced by a warning
    MAX_KINDS = 128  # kinds of arguments that have cache entries
    MAX_ENTRIES = 16  # per kind; beyond that a function runs dynamically

    def __init__(self, fn, fullgraph=False, dynamic=0):
        functools.update_wrapper(self, fn, updated=())
        inner = fn.func if isinstance(fn, functools.partial) else fn
        self.name = getattr(fn, "__name__", getattr(inner, "__name__", type(inner).__name__))
        self.fn, self.fullgraph = fn, fullgraph
        self.has_dynamic_shapes = bool(dynamic) or hasattr(fn, "_has_dynamic_shapes")
        self.entries = {}  # kind of arguments -> its cache entries, newest first
        self.shapes: Any = None  # `Shapes`, if sizes are dynamic
        self.static_numbers = {}  # kind of arguments -> indices of the numbers that are static
        self.dynamic = False  # True once it runs dynamically
        self.captures = self.changes = 0  # `changes`: consecutive captures with a side effect
        self.has_warned = False  # of many captures
        self.conversions = Conversions()

    def __getstate__(self):
        """Return the pickled state: the function, without its captures."""
        fresh = {
            "entries": {}, "shapes": None, "static_numbers": {}, "captures": 0,
            "has_warned": False, "conversions": Conversions(),
        }  # fmt: skip
        return {**self.__dict__, **fresh}

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return types.MethodType(self, instance)

    def __call__(self, *args, **kwargs):
        if self._is_inlined():
            return self._inline(args, kwargs) if self.fullgraph else self.fn(*args, **kwargs)
        host_results, refused = (), []
        while True:
            try:
                entry, inputs, result = self._entry(args, kwargs, host_results, refused)
            except OnMeta:
                return self.fn(*args, **kwargs)
            except SelfContaining:
                self._run_dynamically(SELF_CONTAINING)
                return self.fn(*args, **kwargs)
            if entry is None:
                return result
            try:
                return entry(inputs, host_results)
            except OnMeta:
                return self.fn(*args, **kwargs)
            except OtherResult as other:
                host_results = other.returned
                refused.append(entry)

    def prepare(self, *args, **kwargs):
        """Capture a call with these arguments unless already captured; computes nothing, unless
        there are host calls."""
        if not self._is_inlined():
            with suppress(OnMeta):
                try:
                    self._entry(args, kwargs)
                except SelfContaining:
                    self._run_dynamically(SELF_CONTAINING)

    def graph(self, *args, **kwargs):
        """Return the operations for these arguments as a printable `Listing`: inputs (arguments,
        Parameters and other state) with shapes and dtypes, one line per operation with its user
        source line, the outputs and the written state.

        The function is recorded once more; nothing is computed, and calls are not affected. For a
        method: `Net.forward.graph(net, x)`.
        Raises RuntimeError, naming the line, if the function needs a concrete value.

        >>> jit(nn.Dense(3, 2)).graph(Tensor(np.ones((4, 3), np.float32))).written
        []
        """
        return Listing("graph", self.name, self.fn, args, kwargs)

    def _is_inlined(self):
        """Return True if the function is called inline, as part of an outer trace."""
        return (
            self.dynamic
            or thread.recorder.tracer is not None
            or thread.tape is not None
            or thread.precision is not None
            or thread.recorder.is_meta
            or thread.saving is not None  # `saved_tensors_hooks` run on each call
        )

    def _inline(self, args, kwargs):
        """Call the function inline; an outer tracer must capture it whole."""
        tracer = thread.recorder.tracer
        if tracer is None or not tracer.has_concrete_inputs:
            return self.fn(*args, **kwargs)
        outer, tracer.fullgraph = tracer.fullgraph, self.name
        try:
            return self.fn(*args, **kwargs)
        finally:
            tracer.fullgraph = outer

    def _entry(self, args, kwargs, host_results=(), refused=()):
        """Return (the cache entry for a call, the inputs of its graph, None), or (None, None, the
        result) of a call that has already run. `host_results`: results already returned by host
        calls in this call; `refused`: the cache entries that did not expect them."""
        tensors, numbers = [], []
        kind = kind_of(args, kwargs, tensors, numbers)
        kind, sizes = self._with_symbols(kind, args, tensors)
        static = self.static_numbers.get(kind, ()) if numbers else ()
        key = with_numbers(kind, numbers, static)
        entries = self._entries(key)
        for entry in entries:
            inputs = None if entry in refused else entry.inputs(tensors, numbers)
            if inputs is not None:
                return entry, inputs, None
        if len(entries) >= self.MAX_ENTRIES and len(static) < len(numbers):
            key = self._make_static(kind, numbers)
            entries = self._entries(key)
        if len(entries) >= self.MAX_ENTRIES and self.fullgraph:
            entries.pop()
        elif len(entries) >= self.MAX_ENTRIES:
            self._give_up(entries[0], host_results)
            if not host_results:
                return None, None, self.fn(*args, **kwargs)
        known = [*entries]
        scalars = ScalarArguments(numbers, self.static_numbers.get(kind, ()))
        captured = functools.partial(self._captured, args, kwargs, tensors, host_results, sizes)
        failure = None
        try:
            entry, result = captured(key, scalars)
        except Exception as error:
            is_wrong_use = isinstance(error, (AttributeError, TypeError))  # perhaps of a `Scalar`
            is_refused = sizes is not None or (scalars.is_symbolic and is_wrong_use)
            if is_of_handler(error) or not is_refused:
                raise
            failure = error
        if failure is not None and sizes is not None:  # capture for these sizes only
            self.shapes.refuse(kind, failure, f"'{self.name}'{whereabouts(self.fn)}")
            return self._entry(args, kwargs, host_results, refused)
        if failure is not None:
            failure = None
            key = self._make_static(kind, numbers)
            scalars = ScalarArguments(numbers, range(len(numbers)))
            entry, result = captured(key, scalars)
        if entry is None:
            self._count()
            return None, None, result
        self._keep(entry, kind, known, tensors, scalars)
        if entry.graph.has_run:
            return None, None, result
        return entry, tensors + scalars.tensors(numbers), None

    def _with_symbols(self, kind, args, tensors):
        """Return (kind of arguments with symbols for dynamic sizes, their `Sizes` or None)."""
        declared = declared_inputs(self.fn, args)
        if declared is None and not self.has_dynamic_shapes:
            return kind, None
        if declared is not None:
            check_symbols(declared, tensors)
        if self.shapes is None or self.shapes.declared is not declared:
            self.shapes = Shapes(declared)
        return self.shapes.with_symbols(kind, tensors)

    def _keep(self, entry, kind, known, tensors, scalars):
        """Put a new entry before the others of its kind, unless another thread has captured the
        same call since they were `known`."""
        static = sorted({*self.static_numbers.get(kind, ()), *scalars.static()})
        if static:
            self.static_numbers[kind] = static
        entries = self._entries(with_numbers(kind, scalars.values, static))
        entries.insert(0, entry)
        since = [other for other in entries[entries.index(entry) + 1 :] if other not in known]
        if any(other.inputs(tensors, scalars.values) is not None for other in since):
            entries.remove(entry)
        else:
            self._count()

    def _count(self):
        """Count a capture."""
        with _entries_lock:
            self.captures += 1

    def _make_static(self, kind, numbers):
        """Make all numbers in arguments of this kind static from now on; returns the key of the
        entries for the current numbers."""
        self.static_numbers[kind] = range(len(numbers))
        return with_numbers(kind, numbers, self.static_numbers[kind])

    def _captured(self, args, kwargs, tensors, host_results, sizes, key, scalars):
        """Return (a new cache entry, the result if it has run), or (None, the result)."""
        if any(t._value.aval.weak for t in tensors):
            args, kwargs = as_inputs((args, kwargs))
            tensors = []
            kind_of(args, kwargs, tensors, [])
        dependence = Dependence(self.fn, (args, kwargs))
        effect, generators = before(dependence), generator_states()
        if effect is not None:
            self._run_dynamically(effect)
            return None, self.fn(*args, **kwargs)
        if dependence.sees_identity:
            scalars.fix()  # a `Scalar` is another object than its number, and of another class
        call: Any = scalars.arguments(args, kwargs)
        result, graph = self._capture(key, call[0], call[1], tensors, host_results, sizes, scalars)
        if scalars.is_symbolic:
            replace_scalars(dependence.guards.values())
        if graph in (None, CONVERTED) or self.dynamic:
            self.dynamic = self.dynamic or graph is None
            return None, result
        if graph is not ESCAPED and graph.has_run:
            dependence.leave_out(graph.host_cells, self.fn, (args, kwargs))
        else:
            effect = random_effect(generators, dependence)
        if effect is not None:
            self._run_dynamically(effect)
        effect = after(dependence, graph)
        self.changes = 0 if effect is None else self.changes + 1
        if self.changes == MAX_CHANGES and not self.fullgraph:
            self._run_dynamically(effect)
        if graph is ESCAPED:
            return None, result
        return CacheEntry(graph, result, dependence, tensors, scalars, effect is not None), result

    def _run_dynamically(self, effect):
        """Stop capturing because of a side effect that must happen on each call."""
        if self.fullgraph:
            raise effect.refusal(self.name, self.fn)
        effect.warn(self.name, self.fn)
        self.dynamic, self.entries = True, {}

    def _capture(self, key, args, kwargs, tensors, host_results, sizes, scalars) -> Any:
        """Call `capture`, logging the reason; `key`: of the entries for this kind of arguments."""
        function = scalars.around(self.fn) if scalars.is_symbolic else self.fn
        call = self.name, function, args, kwargs, tensors
        run: Any = functools.partial(
            capture, *call, host_results, self.fullgraph, self.conversions, scalars
        )
        if sizes is not None:
            run = functools.partial(capture_bucketed, *call, sizes, scalars)
        warns = self.captures + 1 >= self.WARN_AT and not self.has_warned
        if not (channel.is_on or warns):
            return run()
        who = f"'{self.name}'{whereabouts(self.fn)}"
        reason = "its branches and loops are operations now"
        if not self.conversions.is_new:
            with _entries_lock:
                kinds = {kind: (*entries,) for kind, entries in self.entries.items()}
            reason = why(self.fn, kinds, key, tensors, host_results, scalars.values)
        if warns:
            self.has_warned = True
            warn(
                f"{who} has been captured {self.WARN_AT} times, and is compiled each time; this "
                f"time because {reason}. For one program, keep shapes the same (padding), and give "
                "numbers that change in a Tensor or as 'mutable(n)'. 'sporax.explain()' tells of "
                "each capture."
            )
        if not channel.is_on:
            return run()
        with announced(f"capturing {who}") as seconds:
            result, graph = run()
            took = lasted(seconds())
        size = counted(graph.recorded) if hasattr(graph, "recorded") else _break_outcome(graph)
        log(f"captured {who}: {reason}; {size}, {took}")
        return result, graph

    def _entries(self, key):
        """Return the entries for a kind of arguments, evicting the least recently used kind."""
        with _entries_lock:
            entries = self.entries.pop(key, None)
            if entries is None:
                entries = []
                if len(self.entries) >= self.MAX_KINDS:
                    oldest = next(iter(self.entries))
                    self.static_numbers.pop(oldest[:3], None)
                    del self.entries[oldest]
            self.entries[key] = entries
        return entries

    def _give_up(self, entry, host_results):
        guard = entry.dependence.changed()
        what = "an attribute of a Cell" if guard is None else guard.description()
        if host_results:
            what = "the shape of what a Cell or Function on NumPy returned"
        warn(
            f"'{self.name}' was captured {self.MAX_ENTRIES} times because {what} was another one "
            "each time. It runs dynamically from now on, with the same results. To capture it, "
            "give what changes as an argument, in a Tensor.",
        )
        self.dynamic, self.entries = True, {}


class CountedFunction(JitFunction):
    """A function captured in the mode 'bytecode', whose calls are counted for `get_code_extra`."""

    # code -> counts of the function captured from it last; a code object outlives that function
    counts_of: ClassVar[Any] = weakref.WeakKeyDictionary()

    def __init__(self, fn, fullgraph=False, dynamic=0):
        super().__init__(fn, fullgraph, dynamic)
        self.counts = dict.fromkeys(("captures", "breaks", "calls"), 0)
        self.counted: Any = None  # the (captures, dynamic) that `counts` describe

    def __call__(self, *args, **kwargs):
        counts = self.counts
        try:
            result = super().__call__(*args, **kwargs)
        except Exception:  # the call ended in Python
            self._publish({"captures": max(self.captures, 1), "breaks": 1, "calls": 0})
            raise
        if (state := (self.captures, self.dynamic)) != self.counted:
            self.counted = state
            self._publish({"captures": self.captures, "breaks": self._n_breaks(), "calls": 0})
        counts["calls"] += 1
        return result

    def _publish(self, counts):
        self.counts |= counts
        original: Any = getattr(self.fn, "construct", self.fn)
        if (code := getattr(inspect.unwrap(original), "__code__", None)) is not None:
            self.counts_of[code] = self.counts

    def _n_breaks(self):
        graphs = [entries[0].graph for entries in [*self.entries.values()] if entries]
        segments = getattr(graphs[-1], "segments", ()) if graphs else ()
        return int(self.dynamic) or sum(not isinstance(s, Stage) for s in segments)


def _break_outcome(graph):
    if graph is CONVERTED:
        return "not to its end, the next call is captured with branches and loops as operations"
    return "not to its end, it runs dynamically"


_entries_lock = threading.RLock()  # reentrant: a signal handler may run while it is held


def jit(
    function=None, *, capture_mode="ast", jit_level="O0", dynamic=0, fullgraph=False, backend="",
    **options,
) -> Any:  # fmt: skip
    """Compile a function, a method or a Cell into one program; also a decorator, with or without
    arguments. For a Cell class it compiles `construct`.

    The first call runs the function once and records it. Its dependencies are tracked: arguments in
    nested tuples, lists and dicts, Parameters and other Tensors from Cells, closures and globals.
    Later calls run the recorded program; changed shapes, dtypes, Python values or Cell modes cause
    a new capture. Numbers passed directly or in tuples are inputs, unless Python needs their
    values. `if`, `while` and `for` on Tensors, with `break`, `continue` and `return`, become part
    of the program on the second call, if their bodies only assign variables and write to Tensors;
    loops with a bounded number of iterations are differentiable. A function that needs a concrete
    value otherwise (`asnumpy`) runs dynamically, with a warning that names the line and the fix.

    `fullgraph`: True raises RuntimeError with the same text for such a function; Parameters,
    buffers and random states are then as before the call. `capture_mode` ('ast', 'bytecode',
    'trace'), `jit_level` ('O0', 'O1'), `backend` and MindSpore's other options are validated
    without effect: there is one capture mode and one compiler. `dynamic`: 1 for sizes that change
    between calls; they share one recording and, with padding where that is correct, a few programs.
    Raises ValueError or TypeError for other values; unknown options warn.

    >>> jit(lambda x: x * x + 1)(Tensor([3.0])).asnumpy()
    array([10.], dtype=float32)
    """
    function = options.pop("fn", function)  # name in earlier versions
    parameters = dict(
        capture_mode=capture_mode, jit_level=jit_level, dynamic=dynamic, fullgraph=fullgraph
    )
    check_options(parameters, options)
    kind = CountedFunction if capture_mode == "bytecode" else JitFunction
    make = functools.partial(_jitted, kind=kind, fullgraph=fullgraph, dynamic=dynamic)
    return make if function is None else make(function)


def _jitted(function, kind, fullgraph, dynamic):
    make = functools.partial(_jitted, kind=kind, fullgraph=fullgraph, dynamic=dynamic)
    if isinstance(function, JitFunction):
        same = (function.fullgraph, function.has_dynamic_shapes) == (fullgraph, bool(dynamic))
        is_same = same and isinstance(function, kind)
        return function if is_same else kind(function.fn, fullgraph, dynamic)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(make(function.__func__))
    if isinstance(function, type) and is_cell_class(function):
        function.construct = make(function.construct)
        return function
    if not callable(function) or isinstance(function, type):
        raise rejection("callable-function-method-cell", "jit", function=function)
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise rejection("return-results-yields-awaits", "jit", function=function.__name__)
    return kind(function, fullgraph, dynamic)
