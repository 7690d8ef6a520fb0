"""The hooks of Cells: functions called before, after and on the way back through `construct`."""

import itertools
import weakref

from sporax.autodiff.hooks import Gate, HookHandle, check_callable, replaced
from sporax.core import context
from sporax.core.tensor import Tensor
from sporax.core.tree import map_tensors, tensors_of
from sporax.core.value import Changes, thread

_KINDS = ("forward_pre", "forward", "backward_pre", "backward")
_NONE = ((),) * len(_KINDS)
_numbers = itertools.count()


class Hooked:
    """The part of `Cell` that registers hooks.

    Each returns a handle whose `remove()` takes the hook away. Hooks of one kind are called in the
    order of their registration, or before the others with `prepend`.
    """

    # for each kind a tuple of (number, function, whether it takes keyword arguments); never changed
    # in place, so that a captured function sees that there is another
    _hooks = None

    def register_forward_pre_hook(self, hook_fn, *, prepend=False, with_kwargs=False):
        """Call `hook_fn(cell, args)` before `construct`; it may return other arguments, a tuple or
        a single one. With `with_kwargs`: `hook_fn(cell, args, kwargs)`, which returns both."""
        return _register(self, "forward_pre", hook_fn, prepend, with_kwargs)

    def register_forward_hook(
        self, hook_fn, *, prepend=False, with_kwargs=False, always_call=False
    ):
        """Call `hook_fn(cell, args, output)` after `construct`; it may return another output. With
        `with_kwargs`: `hook_fn(cell, args, kwargs, output)`."""
        if always_call:
            raise NotImplementedError(
                "For 'register_forward_hook', always_call=True is not done yet: a hook is not "
                "called where 'construct' raises. Leave 'always_call' out."
            )
        return _register(self, "forward", hook_fn, prepend, with_kwargs)

    def register_backward_pre_hook(self, hook_fn):
        """Call `hook_fn(cell, grad_output)` with the gradients of the outputs; it may return other
        ones for `construct` to be differentiated with."""
        return _register(self, "backward_pre", hook_fn)

    def register_backward_hook(self, hook_fn):
        """Call `hook_fn(cell, grad_input, grad_output)` with the gradients of the inputs and of the
        outputs, tuples; it may return other gradients of the inputs.

        With `set_context(hook_convention="2.3")` it is called as MindSpore 2.3 did:
        `hook_fn(cell_id, grad_input, grad_output)` with the gradient that arrives first, then the
        one that leaves; what forward hooks add is then not seen.
        """
        return _register(self, "backward", hook_fn)


def _register(cell, kind, hook_fn, prepend=False, with_kwargs=False):
    check_callable(f"register_{kind}_hook", hook_fn)
    hook = next(_numbers), hook_fn, with_kwargs
    of_cell = weakref.ref(cell)

    def change(hooks):
        return (hook, *hooks) if prepend else (*hooks, hook)

    def remove():
        if (still := of_cell()) is not None:
            _change(still, kind, lambda hooks: tuple(h for h in hooks if h[0] != hook[0]))

    _change(cell, kind, change)
    return HookHandle(remove)


def _change(cell, kind, change):
    before = cell._hooks or _NONE
    after = tuple(
        change(hooks) if name == kind else hooks for name, hooks in zip(_KINDS, before, strict=True)
    )
    Changes.count += 1
    cell.__dict__["_hooks"] = after if any(after) else None


def run_with_hooks(cell, run, args, kwargs):
    """`run(*args, **kwargs)`, the cell's `construct`, with all that is registered."""
    pre, _, backward_pre, backward = cell._hooks
    for _, hook_fn, with_kwargs in pre:
        args, kwargs = _before(cell, hook_fn, with_kwargs, args, kwargs)
    passage = None
    if (backward_pre or backward) and thread.tape is not None:
        passage = Passage(cell, backward_pre, backward)
    early = context._values["hook_convention"] == "2.3"
    if passage is not None:
        args, kwargs = passage.enter((args, kwargs))
    output = run(*args, **kwargs)
    if passage is not None and early:
        output = passage.leave(output)
    # asked now: `construct` may have registered another, or taken one away
    for _, hook_fn, with_kwargs in (cell._hooks or _NONE)[1]:
        result = hook_fn(cell, args, kwargs, output) if with_kwargs else hook_fn(cell, args, output)
        output = output if result is None else result
    return output if passage is None or early else passage.leave(output)


def _before(cell, hook_fn, with_kwargs, args, kwargs):
    if not with_kwargs:
        result = hook_fn(cell, args)
        if result is not None:
            args = result if isinstance(result, tuple) else (result,)
        return args, kwargs
    result = hook_fn(cell, args, kwargs)
    if result is None:
        return args, kwargs
    if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], dict):
        raise TypeError(
            "For 'register_forward_pre_hook' with with_kwargs=True, the hook must return None or "
            f"(args, kwargs), but got {type(result).__name__}."
        )
    args, kwargs = result
    return args if isinstance(args, tuple) else (args,), kwargs


class Passage:
    """One call of a cell with backward hooks: a gate for its inputs and one for its outputs."""

    __slots__ = ("backward", "backward_pre", "cell", "count", "entered", "grad_output")

    def __init__(self, cell, backward_pre, backward):
        self.cell, self.backward_pre, self.backward = cell, backward_pre, backward
        self.entered, self.count, self.grad_output = False, 0, ()

    def enter(self, arguments):
        """(args, kwargs), whose gradients are seen on their way out."""
        args, kwargs = arguments
        alone = len(args) == 1 and not kwargs and isinstance(args[0], Tensor)
        tensors = args if alone else tensors_of(arguments)
        self.count = len(tensors)
        made = None
        if self.backward:
            made = Gate("register_backward_hook", "input", self.of_inputs).through(tensors)
            if alone and made is not None:
                self.entered = True
                return made, kwargs
        self.entered = made is not None
        return arguments if made is None else _in_place_of(arguments, made)

    def leave(self, output):
        """The output, whose gradients are seen on their way in."""
        gate = Gate("register_backward_pre_hook", "output", self.of_outputs)
        if isinstance(output, Tensor):
            made = gate.through((output,))
            return output if made is None else made[0]
        made = gate.through(tensors_of(output))
        return output if made is None else _in_place_of(output, made)

    def of_outputs(self, given):
        """The outputs' gradients after the pre hooks."""
        for _, hook_fn, _ in self.backward_pre:
            result = hook_fn(self.cell, tuple(given))
            given = replaced("register_backward_pre_hook", "output", given, result)
        self.grad_output = tuple(given)
        if self.backward and not self.entered:
            self.of_inputs([None] * self.count)
        return given

    def of_inputs(self, given):
        """The inputs' gradients after the hooks."""
        early = context._values["hook_convention"] == "2.3"
        for _, hook_fn, _ in self.backward:
            if early:
                cell_id = f"{type(self.cell).__name__}({id(self.cell)})"
                result = hook_fn(cell_id, self.grad_output, tuple(given))
            else:
                result = hook_fn(self.cell, tuple(given), self.grad_output)
            given = replaced("register_backward_hook", "input", given, result)
        return given


def _in_place_of(containers, tensors):
    rest = iter(tensors)
    return map_tensors(lambda _: next(rest), containers)
