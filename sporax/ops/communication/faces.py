"""Faces of a collective, derived from one declaration.

A collective is a function on checked arguments, decorated with `faces`. Each face is written as the
user calls it, an annotation naming the canonical parameter that it fills (see `ops.declare`):

    @faces(primitive="AllGather(group='hccl_world_group')(input_x: x)",
           in_place="all_gather_into_tensor(output_tensor: into, input_tensor: x, group=None)")
    def all_gather(face, x, group): ...

Canonical parameters: `x`, `each`: the Tensor, or the list of Tensors, to send; `into`,
`into_each`: the output, or list of outputs, of an in-place face (`kept`: a list that only one
process must give); `op`; `group`; `root`: the global
rank of a process; `number`: its group rank. The function gets `group` as a Group and `root` as the
group rank. All other parameters are its own to check.
"""

import inspect
import re
from typing import Any

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.communication.channels import CommHandle
from sporax.ops.communication.groups import (
    TENSOR,
    TENSORS,
    check_divides,
    check_reduction,
    group_of,
    number_in,
    rank_number,
)
from sporax.ops.declaration import Composite
from sporax.ops.declare import FUNCTIONS, MINT, composite
from sporax.ops.indexing.assignment import put

RETURNED = {}  # faces of `communication.comm_func` by name
FACES = {}  # faces of `ops.communication` by name
IN_PLACE = {}  # name of a function of `ops` -> True if it writes its result
_OTHERS = {"gather", "scatter"}  # names with another meaning in `ops` itself
_LISTS = "into_each", "kept"
_ROOM = "sporax.ops.communication."
_SHOWN = "array([1., 2.], dtype=float32)"
_EXAMPLES = {"x": "Tensor([1.0, 2.0])", "each": "[Tensor([1.0, 2.0])]", "root": "0", "number": "0"}
_ASYNC = inspect.Parameter("async_op", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False)


def faces(
    *, primitive=None, returned=None, in_place=None, in_mint=True, returns=False, shares=False,
    shape=None, example=None,
):  # fmt: skip
    """Declare a collective; its docstring is that of all faces, which add their example.

    `primitive`: the class as written; `returned`: the function of `comm_func`, which returns the
    result, with `async_op` (result, handle); `in_place`: the function of `ops.communication` and,
    with `in_mint`, of `mint.distributed`, which writes the result, with `returns` if it can return
    it instead. `shares`: ranks share the first axis of `x`. `shape(x, group)`: the shape that
    `into` must have. `example`: the arguments of each face's example by canonical name, and the
    result, `shown`.
    """

    def declare(fn):
        for kind, written in ((_class, primitive), (_returning, returned), (_writing, in_place)):
            if written:
                kind(Face(fn, written, shares, shape, example or {}, kind), in_mint, returns)
        return fn

    return declare


class Face:
    """One face of a collective: its name, and its name of each canonical parameter."""

    def __init__(self, fn, written, shares, shape, example, kind):
        self.fn, self.written, self.shares, self.shape = fn, written, shares, shape
        self.writes, self.examples = kind is _writing, {**_EXAMPLES, "shown": _SHOWN, **example}
        head, _, inputs = written.partition(")(")
        more = "into", "number", "root", "async_op"
        self.who, self.built = Composite(fn).parse(f"{head})" if inputs else written, more)
        _, self.called = Composite(fn).parse(f"{self.who}({inputs}", more) if inputs else ("", [])
        self.parameters = [*self.called, *self.built]
        self.names = {canonical: p.name for p, canonical in self.parameters}

    def checked(self, values):
        """Check the arguments, given by canonical name; returns those of the function."""
        who, names, values = self.who, self.names, dict(values)
        given = {k: v for k, v in values.items() if k != "into" or not self.shape}
        for kind, operands in ((TENSOR, ("into", "x")), (TENSORS, ("into_each", "each"))):
            kind(who, **{names[k]: given[k] for k in operands if k in given})
        if "op" in values:
            check_reduction(who, values["op"], TypeError if self.writes else ValueError)
        group = values["group"] = group_of(who, values["group"])
        if "number" in values:
            values["root"] = rank_number(who, names["number"], values.pop("number"), group)
        elif "root" in values:
            values["root"] = number_in(who, names["root"], values["root"], group)
        if self.shares:
            check_divides(who, names["x"], values["x"], group)
        if self.shape and values.get("into") is not None:  # None if it is returned instead
            x, into = values["x"], values["into"]
            TENSOR(who, **{names["into"]: into})
            check_output(who, into, self.shape(x, group), x.dtype)
        wanted = inspect.signature(self.fn).parameters
        return {k: v for k, v in values.items() if k in wanted}

    def run(self, **values):
        """Check the arguments and return the function's result."""
        return self.fn(self, **self.checked(values))

    def on_root(self, result, root, group):
        """Return the result on group rank `root`; elsewhere nothing, if the face writes, or a
        meaningless Tensor of shape (1,)."""
        if group.rank == root:
            return result
        return None if self.writes else result.reshape((-1,))[:1]

    def function(self, name, run, module, returned=None):
        """Generate the function of this face, which calls `run` with canonical names."""
        needed = [p for p in self.parameters if p[0].default is inspect.Parameter.empty]
        parameters = [*needed, *[p for p in self.parameters if p not in needed]]
        head = ", ".join(p.name for p, _ in parameters)
        call = ", ".join(f"{canonical}={p.name}" for p, canonical in parameters)
        scope: dict[str, Any] = {"run": run, "__name__": None}  # not user code
        exec(f"def {name}({head}):\n    return run({call})", scope)
        function = scope[name]
        function.__defaults__ = tuple([p.default for p, _ in parameters[len(needed) :]])
        function.__annotations__ = {} if returned is None else {"return": returned}
        function.__module__ = _ROOM + module
        return function

    def arguments(self, parameters, **others):
        """Return the source of the arguments of an example."""
        values = {**self.examples, **others}
        return ", ".join(
            values[canonical]
            for p, canonical in parameters
            if p.default is p.empty or canonical in self.examples.keys() - _EXAMPLES.keys()
        )

    def doc(self, said, *example):
        """Return the docstring: the declaration's with this face's names, `said`, an example."""
        text = inspect.cleandoc(self.fn.__doc__ or "")
        for canonical, name in self.names.items():
            shown = "root" if canonical == "number" else canonical
            text = text.replace(f"`{shown}`", f"`{name}`")
        paragraphs = [text, said, "\n".join(example)]
        return "\n\n".join(filter(None, paragraphs)) + "\n"


def _class(face, *_):
    """Declare the Primitive class of a collective."""
    function = face.function(f"{face.fn.__name__}_of_class", face.run, "primitives")
    function.__annotations__ = {**face.fn.__annotations__}
    call = f"ops.{face.who}({face.arguments(face.built)})({face.arguments(face.called)})"
    function.__doc__ = face.doc(_of_root(face), f">>> {call}.asnumpy()", face.examples["shown"])
    plain = re.sub(r": \w+", "", face.written)
    composite(function=(), primitive=plain, name=face.who)(function)


def _of_root(face):
    """Say what other processes get, if one of them gets the result."""
    if not {"dst", "dest_rank"} & {*face.names.values()}:
        return ""
    said = f"`{face.names['number']}` is a group rank. " if "number" in face.names else ""
    return said + "Other processes get a meaningless Tensor of shape (1,)."


def _returning(face, *_):
    """Declare the function of `comm_func`, which returns the result."""
    is_async = "async_op" in face.names

    def run(async_op=None, **values):
        result = face.run(**values)
        return with_handle(result, async_op) if is_async else result

    function = RETURNED[face.who] = face.function(face.who, run, "comm_func")
    said = "Returns (result, handle if `async_op` else None)." if is_async else _of_root(face)
    first = "[0]" if is_async else ""
    call = f">>> {face.who}({face.arguments(face.parameters)}){first}.asnumpy()"
    function.__doc__ = face.doc(said, call, face.examples["shown"])


def with_handle(x, async_op):
    """Return the result and, if `async_op`, its handle."""
    require(isinstance(async_op, bool), "bool-given", "async_op", got=async_op)
    return x, CommHandle(tensors=(x,)) if async_op else None


def _writing(face, in_mint, returns):
    """Declare the functions that write the result to Tensors: `mint.distributed`'s returns a
    handle; `ops`'s does too unless `set_comm_ops_inplace` makes it return (result, handle)."""
    name, names = face.who, face.names
    target = next(k for k in (*_LISTS, "into", "x") if k in names)

    def write(async_op=False, **values):
        is_async = kinds.BOOL.checked(name, "async_op", async_op)
        result = face.run(**values)
        targets, results = [], []
        if result is not None:
            is_list = target in _LISTS
            targets, results = (v if is_list else [v] for v in (values[target], result))
        for x, new in zip(targets, results, strict=True):
            check_output(name, x, new.shape, new.dtype)
            put(name, x, new)
        return CommHandle(tensors=tuple(targets)) if is_async else None

    def write_or_return(async_op=False, **values):
        if IN_PLACE[name]:
            return write(async_op, **values)
        require(returns, "results-can-put-into", name, name=name)
        is_async = kinds.BOOL.checked(name, "async_op", async_op)
        result = face.run(**values)
        return result, CommHandle(tensors=(result,)) if is_async else None

    face.parameters.append((_ASYNC, "async_op"))
    writer = face.function(name, write, "in_place", CommHandle | None)
    other = face.function(name, write_or_return, "in_place", Any)
    writer.__doc__ = other.__doc__ = _doc_of_writing(face, target, in_mint)
    IN_PLACE[name] = True
    publish(name, writer if in_mint else None, other)


def _doc_of_writing(face, target, in_mint):
    """Return the docstring of an in-place face."""
    is_list, output = target in _LISTS, "outputs" if target in _LISTS else "output"
    start = "[Tensor([0.0, 0.0])]" if is_list else "Tensor([0.0, 0.0])"
    room = "mint.distributed" if in_mint else "ops.communication"
    said = (
        f"Writes the result to `{face.names[target]}`. Returns a handle if `async_op`, else None."
    )
    example = [
        f">>> {output} = {face.examples['x'] if target == 'x' else start}",
        f">>> {room}.{face.who}({face.arguments(face.parameters, **{target: output})})",
        f">>> {output}{'[0]' if is_list else ''}.asnumpy()",
        face.examples["shown"],
    ]
    return face.doc(said, *example)


def publish(name, in_mint, in_ops):
    """Register the two faces; None for a face that does not exist."""
    if in_mint is not None:
        MINT[f"distributed.{name}"] = in_mint
    if in_ops is not None:
        FACES[name] = in_ops
        if name not in _OTHERS:
            FUNCTIONS[name] = in_ops


def check_output(name, target, shape, dtype):
    """Raise ValueError if the shape or dtype of an output differs from the result's."""
    own, got = [dtype, shape], [target.dtype, target.shape]
    require(own == got, "output-dtype-shape", name, own=own, got=got)
