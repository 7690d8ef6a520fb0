"""`jit`: a function that runs as one program, captured anew when what it depends on changes."""

import functools
import inspect
from typing import Any

from sporax.ast_transform.convert import Conversions
from sporax.core.errors import warn
from sporax.core.value import thread
from sporax.engine.compile_log import announced, channel, counted, lasted, tell
from sporax.graph_capture.cache_entry import CacheEntry
from sporax.graph_capture.dynamic_shapes.bucketed_shapes import resizable
from sporax.graph_capture.dynamic_shapes.dynamic_dims import Shapes, declared_inputs
from sporax.graph_capture.graph_text import Listing
from sporax.graph_capture.input_signature import kind_of, with_numbers
from sporax.graph_capture.jit_options import check_options
from sporax.graph_capture.mutable import as_inputs
from sporax.graph_capture.retrace_reasons import whereabouts, why
from sporax.graph_capture.side_effects import (
    KEPT,
    MOST,
    after,
    before,
    draws,
    drew,
    replace_scalars,
)
from sporax.graph_capture.tracer import capture
from sporax.guards.dependence import Dependence
from sporax.staging.host_calls import OtherResult
from sporax.staging.symbolic_scalars import ScalarArguments


class JitFunction:
    """A captured function; see `jit`."""

    MANY = 8  # captures of which a warning tells
    MOST_KINDS = 128  # of arguments that are remembered
    MOST_ENTRIES = 16  # for one kind of arguments; beyond it the function changes all the time

    def __init__(self, fn, fullgraph=False, dynamic=0):
        functools.update_wrapper(self, fn, updated=())
        inner = fn.func if isinstance(fn, functools.partial) else fn
        self.name = getattr(fn, "__name__", getattr(inner, "__name__", type(inner).__name__))
        self.fn, self.fullgraph, self.has_dynamic_shapes = fn, fullgraph, bool(dynamic)
        self.entries = {}  # kind of arguments -> its CacheEntry, the newest first
        self.shapes: Any = None  # how they vary, where a program serves several
        self.steering = {}  # kind of arguments -> which of their numbers Python needs
        self.dynamic = False
        self.captures = self.changes = 0  # how often it changed, in a row, what it depends on
        self.conversions = Conversions()

    def __getstate__(self):
        """What a copy or a file has: the function, which it captures anew."""
        return dict(
            self.__dict__,
            entries={},
            shapes=None,
            steering={},
            captures=0,
            conversions=Conversions(),
        )

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return functools.partial(self, instance)

    def __call__(self, *args, **kwargs):
        if self._is_contained():
            return self._call(args, kwargs) if self.fullgraph else self.fn(*args, **kwargs)
        memo, refused = (), []
        while True:
            tensors = []
            found, result = self._entry(args, kwargs, tensors, memo, refused)
            if found is None:
                return result
            try:
                return found(tensors, memo)
            except OtherResult as other:
                memo = other.returned
                refused.append(found)

    def prepare(self, *args, **kwargs):
        """Capture a call with these arguments unless that is done; computes nothing, unless calls
        are made on the host."""
        if not self._is_contained():
            self._entry(args, kwargs, [])

    def graph(self, *args, **kwargs):
        """What the function computes for these arguments, as a `Listing` to be printed: inputs
        (arguments, Parameters and other state) with shapes and dtypes, a line an operation with
        the user's line it stands at, what is returned and what is written.

        The function is recorded once more for it, nothing is computed, and calls are not affected.
        Of a method: `Net.forward.graph(net, x)`.
        Raises RuntimeError, naming the line, where the function needs a number.

        >>> jit(nn.Dense(3, 2)).graph(Tensor(np.ones((4, 3), np.float32))).written
        []
        """
        return Listing("graph", self.name, self.fn, args, kwargs)

    def _is_contained(self):
        """Whether the function is simply called, as part of what is recorded around it."""
        return (
            self.dynamic
            or thread.recorder.capture is not None
            or thread.tape is not None
            or thread.precision is not None
            or thread.saving is not None  # functions that have to be called each time
        )

    def _call(self, args, kwargs):
        """Call the function; a capture around it must take in all of it."""
        around = thread.recorder.capture
        if around is None or not around.has_numbers:
            return self.fn(*args, **kwargs)
        before, around.whole = around.whole, self.name
        try:
            return self.fn(*args, **kwargs)
        finally:
            around.whole = before

    def _entry(self, args, kwargs, tensors, memo=(), refused=()):
        """(the CacheEntry that serves a call, None), or (None, the result) of one that ran already;
        collects the Tensors in the arguments. `memo`: what calls on the host have returned, which
        no CacheEntry in `refused` expected."""
        given = []
        kind = kind_of(args, kwargs, tensors, given)
        kind, sizes = self._loosened(kind, args, tensors)
        steering = self.steering.get(kind, ()) if given else ()
        entries = self._entries(with_numbers(kind, given, steering))
        for entry in entries:
            if entry not in refused and entry.serves(tensors, given):
                return entry, None
        if len(entries) == self.MOST_ENTRIES and len(steering) < len(given):
            entries = self._fix_numbers(kind, given)
        if len(entries) == self.MOST_ENTRIES and self.fullgraph:
            entries.pop()
        elif len(entries) == self.MOST_ENTRIES:
            self._give_up(entries[0], memo)
            if not memo:
                return None, self.fn(*args, **kwargs)
        self.captures += 1
        numbers = ScalarArguments(given, self.steering.get(kind, ()))
        captured = functools.partial(self._captured, args, kwargs, tensors, memo, sizes)
        failed = None
        try:
            entry, result = captured(entries, numbers)
        except Exception as error:
            # a number may have come to what takes nothing else for one
            fits = numbers.standing and isinstance(error, (AttributeError, TypeError))
            if sizes is None and not fits:
                raise
            failed = error
        if failed is not None and sizes is not None:  # each size on its own
            self.shapes.refuse(kind, failed, f"'{self.name}'{whereabouts(self.fn)}")
            self.captures -= 1
            tensors.clear()
            return self._entry(args, kwargs, tensors, memo, refused)
        if failed is not None:
            failed = None
            entries = self._fix_numbers(kind, given)
            numbers = ScalarArguments(given, range(len(given)))
            entry, result = captured(entries, numbers)
        if entry is not None:
            steering = sorted({*self.steering.get(kind, ()), *numbers.steering()})
            if steering:
                self.steering[kind] = steering
            self._entries(with_numbers(kind, given, steering)).insert(0, entry)
            if entry.graph.has_run:
                return None, result
            tensors += numbers.tensors(given)
        return entry, result

    def _loosened(self, kind, args, tensors):
        """(the kind of arguments with symbols for sizes that vary, these `Sizes`)."""
        declared = declared_inputs(self.fn, args)
        if declared is None and not self.has_dynamic_shapes:
            return kind, None
        if self.shapes is None or self.shapes.declared is not declared:
            self.shapes = Shapes(declared)
        return self.shapes.loosened(kind, tensors)

    def _fix_numbers(self, kind, given):
        """From now on each number in arguments of this kind has captures of its own; returns those
        for the present ones."""
        self.steering[kind] = range(len(given))
        return self._entries(with_numbers(kind, given, self.steering[kind]))

    def _captured(self, args, kwargs, tensors, memo, sizes, entries, numbers):
        """(a new CacheEntry, and the result if it has run), or (None, the result)."""
        if any(t._value.aval.weak for t in tensors):
            args, kwargs = as_inputs((args, kwargs))
            tensors = []
            kind_of(args, kwargs, tensors, [])
        dependence = Dependence(self.fn, (args, kwargs))
        effect, drawn = before(dependence), draws()
        if effect is not None:
            self._acts(effect)
            return None, self.fn(*args, **kwargs)
        if "type" in dependence.variables:
            numbers.fix()  # nothing else has the type of a number
        given: Any = numbers.arguments(args, kwargs)
        result, graph = self._capture(entries, given[0], given[1], tensors, memo, sizes, numbers)
        if numbers.standing:
            replace_scalars(dependence.guards.values())
        if graph is None or self.dynamic:
            self.dynamic = not self.conversions.is_new
            return None, result
        if graph is not KEPT and graph.has_run:
            dependence.leave_out(graph.owners, self.fn, (args, kwargs))
        else:
            effect = drew(drawn, dependence)
        if effect is not None:
            self._acts(effect)
        effect = after(dependence, graph)
        self.changes = 0 if effect is None else self.changes + 1
        if self.changes == MOST and not self.fullgraph:
            self._acts(effect)
        if graph is KEPT:
            return None, result
        return CacheEntry(graph, result, dependence, tensors, numbers, effect is not None), result

    def _acts(self, effect):
        """Its Python has to run at each call."""
        if self.fullgraph:
            raise effect.refusal(self.name, self.fn)
        effect.warn(self.name, self.fn)
        self.dynamic, self.entries = True, {}

    def _capture(self, entries, args, kwargs, tensors, memo, sizes, numbers) -> Any:
        """`capture`, and telling why; `entries`: those for this kind of arguments."""
        function = numbers.around(self.fn) if numbers.standing else self.fn
        run: Any = functools.partial(
            capture, self.name, function, args, kwargs, tensors, memo, self.fullgraph,
            self.conversions, numbers,
        )  # fmt: skip
        if sizes is not None:
            run = functools.partial(
                resizable, self.name, function, args, kwargs, tensors, sizes, numbers
            )
        if not channel.is_on and self.captures != self.MANY:
            return run()
        who = f"'{self.name}'{whereabouts(self.fn)}"
        reason = "its branches and loops are operations now"
        if not self.conversions.is_new:
            reason = why(self.fn, self.entries, entries, tensors, memo, numbers.given)
        if self.captures == self.MANY:
            warn(
                f"{who} has been captured {self.MANY} times, and is compiled each time; this time "
                f"because {reason}. For one program, keep shapes the same (padding), and give "
                "numbers that change in a Tensor or as 'mutable(n)'. 'sporax.explain()' tells of "
                "each capture."
            )
        if not channel.is_on:
            return run()
        with announced(f"capturing {who}") as seconds:
            result, graph = run()
            took = lasted(seconds())
        size = counted(graph.recorded) if hasattr(graph, "recorded") else self._end()
        tell(f"captured {who}: {reason}; {size}, {took}")
        return result, graph

    def _end(self):
        if self.conversions.is_new:
            return "not to its end, the next call is captured with branches and loops as operations"
        return "not to its end, it runs dynamically"

    def _entries(self, key):
        """Those for a kind of arguments; the kind used longest ago makes room."""
        entries = self.entries.pop(key, None)
        if entries is None:
            entries = []
            if len(self.entries) >= self.MOST_KINDS:
                oldest = next(iter(self.entries))
                self.steering.pop(oldest[:3], None)
                del self.entries[oldest]
        self.entries[key] = entries
        return entries

    def _give_up(self, entry, memo):
        name = entry.dependence.changed()
        what = "an attribute of a Cell" if name is None else f"'{name}'"
        if memo:
            what = "the shape of what a Cell or Function on NumPy returned"
        warn(
            f"'{self.name}' was captured {self.MOST_ENTRIES} times because {what} was another one "
            "each time. It runs dynamically from now on, with the same results. To capture it, "
            "give what changes as an argument, in a Tensor.",
        )
        self.dynamic, self.entries = True, {}


def jit(
    function=None, *, capture_mode="ast", jit_level="O0", dynamic=0, fullgraph=False, backend="",
    **options,
) -> Any:  # fmt: skip
    """Compile a function, a method or a Cell into one program; also a decorator, with or without
    arguments. Of a Cell class it compiles `construct`.

    The first call runs it once and records it. Everything it touches is followed: arguments in any
    nesting of tuples, lists and dicts, Parameters and other Tensors from Cells, closures and
    globals. Later calls run the recorded program; changed shapes, dtypes, Python values or Cell
    modes record anew. Numbers given by themselves or in tuples are inputs, as far as Python does
    not ask for their values. `if`, `while` and `for` on Tensors, with `break`, `continue` and
    `return`, become part of the program at the second call, if their parts only give variables
    values and write to Tensors; there is a derivative through loops of at most so many turns. Where
    the function needs a number otherwise (`asnumpy`) it runs dynamically, with a warning that names
    the line and what to write instead.

    `fullgraph`: True refuses such a function, with a RuntimeError that says the same; Parameters,
    buffers and random states are as before the call then. `capture_mode` ('ast', 'bytecode',
    'trace'), `jit_level` ('O0', 'O1'), `backend` and MindSpore's further options are checked and
    change nothing: there is one way of capturing, and one compiler. `dynamic`: 1 for sizes that
    change from call to call; all of them share one recording and, padded, a few programs, where
    that is right. Raises ValueError or TypeError for other values; an option that nobody knows
    warns.

    >>> jit(lambda x: x * x + 1)(Tensor([3.0])).asnumpy()
    array([10.], dtype=float32)
    """
    function = options.pop("fn", function)  # as earlier versions have it
    check_options(capture_mode, jit_level, dynamic, fullgraph, options)
    make = functools.partial(_jitted, fullgraph=fullgraph, dynamic=dynamic)
    return make if function is None else make(function)


def _jitted(function, fullgraph, dynamic):
    if isinstance(function, JitFunction):
        same = (function.fullgraph, function.has_dynamic_shapes) == (fullgraph, bool(dynamic))
        return function if same else JitFunction(function.fn, fullgraph, dynamic)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_jitted(function.__func__, fullgraph, dynamic))
    if isinstance(function, type) and hasattr(function, "_static_state"):
        function.construct = _jitted(function.construct, fullgraph, dynamic)
        return function
    if not callable(function) or isinstance(function, type):
        what = f"the class {function.__name__}" if callable(function) else type(function).__name__
        raise TypeError(
            "For 'jit', 'function' must be callable: a function, a method, a Cell or a Cell class, "
            f"but got {what}."
        )
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise TypeError(
            f"For 'jit', 'function' must return its results, but '{function.__name__}' yields or "
            "awaits them. Collect them in a list."
        )
    return JitFunction(function, fullgraph, dynamic)
