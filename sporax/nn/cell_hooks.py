"""Cell hooks: functions called before, after and in the backward pass of `construct`."""

import contextlib
import functools
import itertools
import weakref
from typing import Any

from sporax._src.core import context
from sporax._src.core.cell_tree import tree
from sporax._src.core.errors import warn
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of, unflatten
from sporax._src.core.value import Changes
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.transforms.autodiff.hooks import (
    Gate,
    HookHandle,
    avals_of,
    check_callable,
    name_of,
    replaced,
)
from sporax._src.transforms.autodiff.saved_tensors import saved_tensors_hooks
from sporax._src.transforms.autodiff.tape import active_tape

_KINDS = (
    "forward_pre", "forward", "backward_pre", "backward", "saved_tensors", "parameter_forward",
)  # fmt: skip
_NONE = ((),) * len(_KINDS)
_hook_ids = itertools.count()


class HookRegistration:
    """Mixin of `Cell` that registers hooks.

    Each method returns a handle whose `remove()` unregisters the hook. Hooks of one kind run in
    registration order; `prepend` puts a hook before the others.
    """

    # for each kind a tuple of (id, function, ...registration options);
    # never mutated in place, so that captured functions notice a change
    _cell_hooks: Any = None

    def register_forward_pre_hook(self, hook_fn, *, prepend=False, with_kwargs=False):
        """Call `hook_fn(cell, args)` before `construct`; it may return new arguments, a tuple or
        a single value. With `with_kwargs`: `hook_fn(cell, args, kwargs)`, returning both."""
        return _register(self, "forward_pre", hook_fn, prepend, with_kwargs)

    def register_forward_hook(
        self, hook_fn, *, prepend=False, with_kwargs=False, always_call=False
    ):
        """Call `hook_fn(cell, args, output)` after `construct`; it may return another output. With
        `with_kwargs`: `hook_fn(cell, args, kwargs, output)`. With `always_call` it also runs if the
        call raised; the output is then None, and errors of the hook become warnings."""
        return _register(self, "forward", hook_fn, prepend, with_kwargs, always_call)

    def register_backward_pre_hook(self, hook_fn):
        """Call `hook_fn(cell, grad_output)` with the gradients of the outputs; it may return
        replacements, which are propagated through `construct`."""
        return _register(self, "backward_pre", hook_fn)

    def register_backward_hook(self, hook_fn):
        """Call `hook_fn(cell, grad_input, grad_output)` with the gradients of the inputs and
        outputs as tuples; it may return replacement gradients of the inputs.

        With `set_context(hook_convention="2.3")` it is called as in MindSpore 2.3:
        `hook_fn(cell_id, grad_input, grad_output)` with the incoming gradient first, then the
        outgoing one; the effect of forward hooks is then excluded.
        """
        return _register(self, "backward", hook_fn)

    def register_saved_tensors_hooks(self, pack_hook, unpack_hook):
        """Pack the residuals of `construct` as in a `saved_tensors_hooks` block; replaces hooks
        registered earlier."""
        hook = next(_hook_ids), saved_tensors_hooks(pack_hook, unpack_hook)
        _change(self, "saved_tensors", lambda hooks: (hook,))

    def register_parameter_forward_hook(self, hook):
        """Compute calls with the result of `hook(parameter)` in place of each Parameter.

        `hook`: a function, for all Parameters here and in descendants; or a list of dicts
        `{"params": [Parameter, ...], "hook": function}`, one function per group. A per-Parameter
        hook overrides a general one. Derivatives flow through the hook.
        """
        if callable(hook):
            entry = next(_hook_ids), hook, None
        else:
            entry = next(_hook_ids), None, _by_parameter(hook)
        _change(self, "parameter_forward", lambda hooks: (*hooks, entry))


_LISTS = kinds.instance((list, tuple), "a-function-or-dicts")
_PARAMETER = kinds.instance(Parameter, "a-parameter")


def _by_parameter(hook):
    """Convert a list of dicts to {id(Parameter): (Parameter, function)}."""
    who, hooks = "register_parameter_forward_hook", {}
    _LISTS(who, hook=hook)
    for item in hook:
        is_complete = isinstance(item, dict) and item.keys() == {"params", "hook"}
        require(is_complete, "item-hook-dict-keys", who, argument="hook", got=item)
        check_callable(who, item["hook"])
        for i, p in enumerate(item["params"]):
            _PARAMETER.checked(who, f"params[{i}]", p)
            hooks[id(p)] = p, item["hook"]
    return hooks


def register_forward_hook(self, forward_hook):
    """Store a function for `set_parameter_forward_hook_enabled`: MindSpore's private
    `Parameter._register_forward_hook`.

    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> p._register_forward_hook(lambda p: p * 2)
    """
    check_callable("_register_forward_hook", forward_hook)
    self.__dict__["__parameter_forward_hook__"] = forward_hook
    Changes.count += 1


setattr(Parameter, "_register_forward_hook", register_forward_hook)  # noqa: B010  (not declared)


def set_parameter_forward_hook_enabled(net, enabled=False):
    """Enable or disable in calls of a Cell the hooks of `Parameter._register_forward_hook`, whose
    results replace the Parameters; off by default.

    >>> net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
    >>> net.weight._register_forward_hook(lambda p: p * 10)
    >>> set_parameter_forward_hook_enabled(net, True)
    >>> net(ops.ones((1, 2))).asnumpy()
    array([[20.]], dtype=float32)
    """
    kinds.instance(HookRegistration, "a-cell")("_set_parameter_forward_hook_enabled", net=net)

    def change(hooks):
        others = tuple([hook for hook in hooks if hook[1] is not _own_hook])
        return (*others, (next(_hook_ids), _own_hook, None)) if enabled else others

    _change(net, "parameter_forward", change)


def _own_hook(parameter):
    """Return the result of a Parameter's own hook; without one, the Parameter."""
    return parameter.__dict__.get("__parameter_forward_hook__", Parameter.value)(parameter)


def _register(cell, kind, hook_fn, prepend=False, *more):
    check_callable(f"register_{kind}_hook", hook_fn)
    hook = next(_hook_ids), hook_fn, *more
    of_cell = weakref.ref(cell)

    def change(hooks):
        return (hook, *hooks) if prepend else (*hooks, hook)

    def remove():
        if (still := of_cell()) is not None:
            _change(still, kind, lambda hooks: tuple(h for h in hooks if h[0] != hook[0]))

    _change(cell, kind, change)
    return HookHandle(remove)


def _change(cell, kind, change):
    before = cell._cell_hooks or _NONE
    after = tuple(
        change(hooks) if name == kind else hooks for name, hooks in zip(_KINDS, before, strict=True)
    )
    Changes.count += 1
    cell.__dict__["_cell_hooks"] = after if any(after) else None


def forward_hook_entry(hook_fn):
    """Return a hook entry for `called_after`; reusing it keeps captured functions valid."""
    return next(_hook_ids), hook_fn, False, False


@contextlib.contextmanager
def called_after(entries):
    """Register forward hooks, given as [(Cell, entry)], for the duration of a block."""
    for cell, entry in entries:
        _change(cell, "forward", lambda hooks, entry=entry: (*hooks, entry))
    try:
        yield
    finally:
        for cell, entry in entries:
            _change(cell, "forward", lambda hooks, entry=entry: tuple(
                hook for hook in hooks if hook is not entry
            ))  # fmt: skip


class HookProgress:
    """The progress of a call: its arguments, its output, and the ids of the hooks called."""

    def __init__(self, args, kwargs):
        self.args, self.kwargs, self.output, self.called = args, kwargs, None, set()


def run_with_hooks(cell, run, args, kwargs, progress=None):
    """Call `run(*args, **kwargs)`, the cell's `construct`, with all registered hooks."""
    pre, forward, backward_pre, backward, saved, of_parameters = cell._cell_hooks
    if progress is None:
        for hook in forward:
            if hook[3]:
                return _run_and_always(cell, run, args, kwargs)
    if saved or of_parameters:
        run = functools.partial(_run_around, cell, run, saved, of_parameters)
    for _, hook_fn, with_kwargs in pre:
        args, kwargs = _before(cell, hook_fn, with_kwargs, args, kwargs)
    tape = active_tape()
    if tape is None or not (backward_pre or backward):
        return _after(cell, args, kwargs, run(*args, **kwargs), progress)
    gate = BackwardHookGate(cell, backward_pre, backward)
    args, kwargs = gate.enter(tape, args, kwargs)
    output = run(*args, **kwargs)
    if context._values["hook_convention"] == "2.3":
        return _after(cell, args, kwargs, gate.leave(tape, output), progress)
    return gate.leave(tape, _after(cell, args, kwargs, output, progress))


def _run_and_always(cell, run, args, kwargs):
    progress = HookProgress(args, kwargs)
    try:
        return run_with_hooks(cell, run, args, kwargs, progress)
    except Exception:
        _call_always(cell, progress)
        raise


def _run_around(cell, run, saved, of_parameters, *args, **kwargs):
    """Call `run` with packed residuals and replaced Parameter values."""
    with contextlib.ExitStack() as stack:
        if of_parameters:
            stack.enter_context(_replaced_parameters(cell, of_parameters))
        if saved:
            stack.enter_context(saved[0][1])
        return run(*args, **kwargs)


@contextlib.contextmanager
def _replaced_parameters(cell, hooks):
    """Replace Parameter values with the results of hooks for the duration of a block."""
    originals = []
    try:
        for _, below in tree(cell):
            for p in below._params.values():
                if p is None or any(p is other for other, *_ in originals):
                    continue
                kept = p._lift()
                originals.append([p, kept, kept])
                for _, general, own in hooks:
                    hook_fn = general if own is None else own.get(id(p), (None, None))[1]
                    if hook_fn is not None:
                        originals[-1][2] = _of_parameter(p, hook_fn(p))
                        p._value = originals[-1][2]
        yield
    finally:
        for p, kept, replacement in originals:
            if p._value is replacement:
                p._value = kept


def _of_parameter(parameter, result):
    got = result.shape if isinstance(result, Tensor) else type(result).__name__
    if got != parameter.shape:
        who, shape = "register_parameter_forward_hook", parameter.shape
        raise rejection("hook-return-shape", who, name=parameter.name, shape=shape, got=got)
    return result._lift()


def _after(cell, args, kwargs, output, progress):
    """Apply the forward hooks to the output, including those that `construct` registered."""
    if progress is not None:
        progress.args, progress.kwargs = args, kwargs
    for hook_id, hook_fn, with_kwargs, _ in (cell._cell_hooks or _NONE)[1]:
        if progress is not None:
            progress.output = output
            progress.called.add(hook_id)
        result = hook_fn(cell, args, kwargs, output) if with_kwargs else hook_fn(cell, args, output)
        output = output if result is None else result
    return output


def _call_always(cell, progress):
    """Call the `always_call` forward hooks that have not run after an error."""
    for hook_id, hook_fn, with_kwargs, always in (cell._cell_hooks or _NONE)[1]:
        if not always or hook_id in progress.called:
            continue
        inputs = (progress.args, progress.kwargs) if with_kwargs else (progress.args,)
        try:
            result = hook_fn(cell, *inputs, progress.output)
        except Exception as error:  # noqa: BLE001 - the first error is the one to see
            warn(
                f"For 'register_forward_hook', {name_of(hook_fn)} of {type(cell).__name__} raised "
                f"{error!r} after the call had failed with another error.",
                UserWarning,
            )
            continue
        progress.output = progress.output if result is None else result


def _before(cell, hook_fn, with_kwargs, args, kwargs):
    if not with_kwargs:
        result = hook_fn(cell, args)
        if result is not None:
            args = result if isinstance(result, tuple) else (result,)
        return args, kwargs
    result = hook_fn(cell, args, kwargs)
    if result is None:
        return args, kwargs
    is_pair = isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict)
    require(is_pair, "hook-return-args-kwargs", "register_forward_pre_hook", got=result)
    args, kwargs = result
    return args if isinstance(args, tuple) else (args,), kwargs


class BackwardHookGate(Gate):
    """One call of a cell with backward hooks: the gate for both its inputs and its outputs."""

    __slots__ = ("backward_hooks", "cell", "count", "grad_output", "inside", "pre_hooks")

    def __init__(self, cell, pre_hooks, backward_hooks):
        self.cell, self.pre_hooks, self.backward_hooks = cell, pre_hooks, backward_hooks
        self.inside = None  # the inputs that `construct` receives

    @property
    def who(self):
        """Name used in error messages."""
        return f"{type(self.cell).__name__}.register_backward_hook"

    def enter(self, tape, args, kwargs):
        """Pass (args, kwargs) through the gate that receives their gradients."""
        if len(args) == 1 and not kwargs and isinstance(args[0], Tensor):
            self.count = 1
            passed = self.through_alone(tape, args[0]) if self.backward_hooks else None
            if passed is None:
                return args, kwargs
            self.inside = passed._value
            return (passed,), kwargs
        tensors = tensors_of((args, kwargs))
        self.count = len(tensors)
        passed = self.through(tensors) if self.backward_hooks and tensors else None
        if passed is None:
            return args, kwargs
        passed, self.inside = passed
        return unflatten((args, kwargs), passed)

    def leave(self, tape, output):
        """Pass the output through the gate that receives its gradients."""
        if isinstance(output, Tensor):
            passed = self.through_alone(tape, output)
            return output if passed is None else passed
        tensors = tensors_of(output)
        passed = self.through(tensors) if tensors else None
        return output if passed is None else unflatten(output, passed[0])

    def answer(self, out, gradients):
        """Apply the hooks to the gradients of the outputs, or of the inputs."""
        if out is self.inside:
            return self.of_inputs(gradients, avals_of(out))
        for _, hook_fn in self.pre_hooks:
            result = hook_fn(self.cell, gradients)
            if result is not None:
                who = f"{type(self.cell).__name__}.register_backward_pre_hook"
                gradients = replaced(who, hook_fn, "output", avals_of(out), result)
        self.grad_output = gradients
        if self.inside is None and self.backward_hooks:
            self.of_inputs((None,) * self.count, ())
        return gradients

    def of_inputs(self, gradients, avals):
        """Apply the hooks to the input gradients; without avals their results are ignored."""
        early = context._values["hook_convention"] == "2.3"
        for _, hook_fn in self.backward_hooks:
            if early:
                cell_id = f"{type(self.cell).__name__}({id(self.cell)})"
                result = hook_fn(cell_id, self.grad_output, gradients)
            else:
                result = hook_fn(self.cell, gradients, self.grad_output)
            if result is not None and avals:
                who = f"{type(self.cell).__name__}.register_backward_hook"
                gradients = replaced(who, hook_fn, "input", avals, result)
        return gradients


class CellBackwardHook(Gate):
    """MindSpore's private Primitive behind `register_backward_hook`: an identity in the forward
    pass. In the backward pass, the first gradients received belong to a Cell's outputs, the second
    to its inputs; the hooks are called with both.

    `cell_id`: the Cell's name. `cell`: the first argument of hooks. `hook_dict`: the hooks by any
    key; each is called with the cell and the gradients of the inputs and outputs as tuples, and may
    return replacement input gradients. No hook runs before `register_backward_hook()` is called.

    >>> hook = CellBackwardHook("a", None, {0: lambda cell, inside, outside: (inside[0] * 3,)})
    >>> hook.register_backward_hook()
    >>> ms.grad(lambda x: hook(hook(x) * 2))(Tensor(5.0)).item()
    6.0
    """

    __slots__ = ("cell", "cell_id", "grad_output", "hook_dict", "is_registered")

    def __init__(self, cell_id="", cell=None, hook_dict=None):
        self.cell_id, self.cell = cell_id, cell
        self.hook_dict = {} if hook_dict is None else hook_dict
        self.is_registered, self.grad_output = False, None

    def __call__(self, args):
        inputs = args if isinstance(args, tuple) else (args,)
        tensors = tensors_of(inputs)
        passed = self.through(tensors) if self.is_registered and tensors else None
        if passed is None:
            return args
        outputs = unflatten(inputs, passed[0])
        return outputs if isinstance(args, tuple) else outputs[0]

    def register_backward_hook(self):
        """Enable the hooks."""
        self.is_registered = True
        Changes.count += 1

    def remove_backward_hook(self, key=None):
        """Disable the hooks."""
        self.is_registered = False
        Changes.count += 1

    def answer(self, out, gradients):
        """Return output gradients unchanged, and input gradients after the hooks."""
        if self.grad_output is None:
            self.grad_output = gradients
            return gradients
        before, self.grad_output = self.grad_output, None
        for hook_fn in self.hook_dict.values():
            result = hook_fn(self.cell, gradients, before)
            if result is not None:
                gradients = replaced("CellBackwardHook", hook_fn, "input", avals_of(out), result)
        return gradients


def register_saved_tensors_hooks(pack_hook, unpack_hook):
    """Decorator that packs the residuals of a function as in a `saved_tensors_hooks` block.

    >>> from sporax import grad
    >>> @register_saved_tensors_hooks(lambda x: x.asnumpy(), Tensor)
    ... def f(x):
    ...     return ops.sin(x)
    >>> grad(f)(Tensor([0.0])).asnumpy()
    array([1.], dtype=float32)
    """

    def decorate(function):
        @functools.wraps(function)
        def hooked(*args, **kwargs):
            with saved_tensors_hooks(pack_hook, unpack_hook):
                return function(*args, **kwargs)

        return hooked

    saved_tensors_hooks(pack_hook, unpack_hook)  # raises for a non-callable
    return decorate
