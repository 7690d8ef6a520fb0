"""`Exported`: a function as a StableHLO program with its arrays; it runs without its source."""

import jax
import jax.numpy as jnp

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import fields_of
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply
from sporax._src.workbench import pages

_PLAIN = (type(None), bool, int, float, str)
_CONTAINERS = {"tuple": tuple, "list": list}
_MOST_BYTES = 2**29  # temporary memory allowed for an untrusted program
CLASSES = {}  # dataclasses that are stored by their fields: name -> class


class Spec:
    """An input or output array: name, sizes (a str is an unknown one), name of its dtype."""

    __slots__ = ("dtype", "name", "shape")

    def __init__(self, name, shape, dtype):
        self.name, self.shape, self.dtype = name, tuple(shape), dtype

    @classmethod
    def from_aval(cls, name, aval):
        shape = [n if isinstance(n, int) else str(n) for n in aval.shape]
        return cls(name, shape, dtypes.from_numpy(aval.dtype).name)

    @property
    def shape_text(self):
        return f"({', '.join(map(str, self.shape))})"

    def __str__(self):
        return f"{self.name}: {self.dtype} {self.shape_text}"


class ProgramOp(Op):
    """The operation that runs an exported `program`; its last operands are the arrays of these
    names."""

    __slots__ = ("array_names", "program")


class Exported:
    """An exported function, as returned by `load`: call it, or create an `nn.GraphCell` with it.

    `arguments`, `result`: containers of the arguments and the result, see `structure`. `inputs`,
    `outputs`: the `Spec`s of the Tensors in them. `arrays`: (kind, name, array) of the program's
    further inputs; kind is 'parameter', 'tensor' or 'constant'. `program`: the result of
    `jax.export`, for its `platforms`. `origin`: the file, if untrusted; its program is then test
    compiled before it becomes part of others.
    """

    def __init__(self, name, arguments, inputs, result, outputs, arrays, program, origin=None):
        self.name, self.arguments, self.inputs = name, arguments, inputs
        self.result, self.outputs, self.program = result, outputs, program
        self.arrays = [(kind, key, jnp.asarray(array)) for kind, key, array in arrays]
        self._tensors = [Tensor(array) for _, _, array in self.arrays]
        self.op = ProgramOp(name, _without_derivative(name, program))
        self.op.program, self.op.array_names = program, [key for _, key, _ in arrays]
        self.origin, self._tried = origin, set()

    def __call__(self, *args):
        """Compute the results for arguments that match the export."""
        return self.run(args, self._tensors)

    def run(self, args, arrays):
        """Like a call, with these Tensors in place of `arrays`."""
        tensors = []
        arguments = structure("GraphCell", args, tensors)
        if arguments != self.arguments:
            signature, got = self._signature(), _described(args)
            raise rejection(
                "inputs-export", "GraphCell", name=self.name, signature=signature, got=got
            )
        sizes = {}
        for spec, tensor in zip(self.inputs, tensors, strict=True):
            self._check(spec, tensor, sizes)
        if self.origin is not None:
            self._try([*tensors, *arrays])
        outputs = iter(apply(self.op, *tensors, *arrays))
        return rebuilt(self.result, lambda: next(outputs))

    def _try(self, operands):
        """Compile the program for these sizes, see `compiled_in_bounds`."""
        specs = [jax.ShapeDtypeStruct(t.shape, dtypes.to_numpy(t.dtype)) for t in operands]
        key = tuple((spec.shape, spec.dtype) for spec in specs)
        if key in self._tried:
            return
        compiled_in_bounds("GraphCell", self.origin, self.program, specs)
        self._tried.add(key)

    def _check(self, spec, tensor, sizes):
        shape, dtype = tensor.shape, tensor.dtype.name
        fits = dtype == spec.dtype and len(shape) == len(spec.shape)
        for expected, size in zip(spec.shape, shape, strict=False) if fits else ():
            if isinstance(expected, str):
                expected = sizes.setdefault(expected, size)
            fits = fits and size == expected
        if not fits:
            pairs = [message("size-is", name=name, size=n) for name, n in sizes.items()]
            known = message("where-sizes-are", sizes=pairs) if pairs else ""
            raise rejection(
                "must-be-as-exported", "GraphCell", argument=spec.name, dtype=spec.dtype,
                shape=spec.shape_text, known=known, got=dtype, now=shape,
            )  # fmt: skip

    def __deepcopy__(self, memo):
        """Return self: it is immutable."""
        return self

    def _signature(self):
        return f"({', '.join(map(str, self.inputs))})"

    def _repr_html_(self):
        """Return the inputs, arrays and outputs as an HTML table for notebooks."""
        arrays = [(kind, Spec.from_aval(name, array)) for kind, name, array in self.arrays]
        rows = [("input", spec) for spec in self.inputs] + arrays
        rows += [("output", spec) for spec in self.outputs]
        cells = [(kind, s.name, s.dtype, s.shape_text) for kind, s in rows]
        headers = "", "name", "dtype", "shape"
        return pages.in_notebook(pages.table(headers, cells, caption=f"exported {self.name}"))

    def __str__(self):
        lines = [f"exported {self.name}{self._signature()}"]
        for kind, name, array in self.arrays:
            lines.append(f"  {kind} {name}: {dtypes.from_numpy(array.dtype).name} {array.shape}")
        lines.append("  return " + ", ".join(str(spec) for spec in self.outputs))
        lines.append(f"  runs on {', '.join(self.program.platforms)}")
        return "\n".join(lines)

    __repr__ = __str__


def compiled_in_bounds(who, origin, program, operands, options=None):
    """Compile the program of an untrusted file with these XLA options for operands of these
    shapes; RuntimeError if XLA rejects it, or if it needs far more memory than its inputs and
    results."""
    try:
        lowered = jax.jit(program.call, compiler_options=options).lower(*operands)
        compiled = lowered.compile()
    except Exception as error:
        cause = str(error).strip().splitlines()[0]
        raise rejection("program-compile-xla-says", who, origin=origin, cause=cause) from error
    memory = compiled.memory_analysis()
    if memory is not None:
        live = memory.argument_size_in_bytes + memory.output_size_in_bytes
        more, most = memory.temp_size_in_bytes, max(_MOST_BYTES, 8 * live)
        require(more <= most, "program-need-about-much", who, origin=origin, held=live, more=more)
    return compiled


def _without_derivative(name, program):
    """Return the program as a function of arrays that raises when differentiated."""
    call = jax.custom_vjp(lambda *arrays: tuple(program.call(*arrays)))

    def forward(*arrays):
        raise rejection("derivative-cannot-taken-file", "GraphCell", name=name)

    call.defvjp(forward, lambda residuals, cotangents: cotangents)
    return call


def structure(who, obj, tensors):
    """Return the containers and plain values of `obj` as JSON, with a placeholder for each Tensor;
    appends the Tensors to `tensors`. TypeError for objects that a file cannot store."""
    if isinstance(obj, Tensor):
        tensors.append(obj)
        return {"tensor": None}
    if isinstance(obj, tuple(_CONTAINERS.values())):
        kind = "list" if isinstance(obj, list) else "tuple"
        return {kind: [structure(who, item, tensors) for item in obj]}
    if isinstance(obj, dict) and all(isinstance(key, str) for key in obj):
        return {"dict": {key: structure(who, item, tensors) for key, item in obj.items()}}
    if obj.__class__ in _PLAIN:
        return {"value": obj}
    if CLASSES.get(type(obj).__name__) is type(obj):
        fields = {name: structure(who, getattr(obj, name), tensors) for name in fields_of(obj)}
        return {"object": [type(obj).__name__, fields]}
    raise rejection("inputs-results-tensors-numbers", who, got=obj)


def rebuilt(form, tensor):
    """Rebuild the object whose `structure` is `form`, with `tensor()` for each Tensor."""
    ((kind, content),) = form.items()
    if kind == "tensor":
        return tensor()
    if kind == "value":
        return content
    if kind == "dict":
        return {key: rebuilt(item, tensor) for key, item in content.items()}
    if kind == "object":
        name, fields = content
        return CLASSES[name](**{key: rebuilt(item, tensor) for key, item in fields.items()})
    return _CONTAINERS[kind](rebuilt(item, tensor) for item in content)


def _described(args):
    texts = [f"{a.dtype} {a.shape}" if isinstance(a, Tensor) else repr(a) for a in args]
    return f"({', '.join(texts)})"
