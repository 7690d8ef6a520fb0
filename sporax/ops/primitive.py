"""`Primitive`: an operation as an object; the constructor takes its attributes."""

import functools
import inspect

from sporax._src.core.errors import warn
from sporax._src.core.signature_errors import is_own, refusing_misfits
from sporax._src.devices.sharding.calls import shard_primitive
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require

_UNSHOWN = ("input_names", "output_names")


class VmImplRegistry(dict):
    """Python implementations of Primitives, by name and by class: a function of the Primitive that
    returns the function to call. A Primitive that lacks a `__call__` runs it.
    """

    def register(self, prim):
        """Return a decorator that registers code for a Primitive's class, or for a name."""

        def keep(fn):
            self[prim] = fn
            if not isinstance(prim, str):
                self[prim.__name__] = fn
            return fn

        return keep


vm_impl_registry = VmImplRegistry()


class Primitive:
    """Base of the operation classes, e.g. `ops.Softmax(axis=-1)(x)`.

    `name`: the operation's name; `attrs`: its attributes as given. `operation`: the name in traces
    of the operation that computes it; None if that is not a single operation.

    >>> softmax = ops.Softmax(axis=-1)
    >>> isinstance(softmax, ops.Primitive), softmax.name
    (True, 'Softmax')
    """

    operation: str | None = None

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "declaration" in cls.__dict__ or not is_own(cls):
            return
        for name in {"__init__", "__call__"} & cls.__dict__.keys():  # written by hand
            setattr(cls, name, refusing_misfits(cls.__dict__[name]))

    def __init__(self, name):
        self.name = name
        self.attrs = {}

    def _set(self, name, value):
        self.attrs[name] = value
        setattr(self, name, value)

    def add_prim_attr(self, name, value):
        """Set an attribute; attributes for other backends have no effect here."""
        self._set(name, value)
        return self

    def del_prim_attr(self, name):
        """Remove an attribute set before."""
        self.attrs.pop(name, None)
        self.__dict__.pop(name, None)
        return self

    def init_prim_io_names(self, inputs, outputs):
        """Set the names of inputs and outputs."""
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)

    def set_device(self, device_target):
        """Accepted: XLA places operations itself."""
        return self.add_prim_attr("primitive_target", device_target)

    def set_stage(self, stage):
        """Accepted: all pipeline stages are on the one device."""
        return self.add_prim_attr("stage", stage)

    def set_prim_instance_name(self, instance_name):
        """Set a name for this instance."""
        self.instance_name = instance_name
        return self

    def recompute(self, mode=True):
        """Accepted: a derivative keeps an operation's operands, and recomputes other values."""
        kinds.BOOL("recompute", mode=mode)
        self.attrs["recompute"] = mode  # not an attribute, which would hide this method
        return self

    def shard(self, in_strategy=None, out_strategy=None):
        """Place the operands (and results) of calls on the current Mesh.

        A strategy has for each Tensor a tuple with the number of parts of each dimension, or a
        `Layout`. Raises TypeError for other arguments; a call raises ValueError if a strategy does
        not divide a shape, or needs more devices than there are.
        """
        if in_strategy is None and out_strategy is None:
            return self
        return shard_primitive(self, in_strategy, out_strategy)

    def place(self, role, rank_id):
        """Set the process of a cluster that runs the operation: accepted, but each process runs its
        own program here."""
        require(role == "MS_WORKER", "must-equal", "place", role=role, value="MS_WORKER")
        fits = type(rank_id) is int and rank_id >= 0
        require(fits, "int-at-least", "place", rank_id=rank_id, n=0)
        self.add_prim_attr("ms_role", role).add_prim_attr("rank_id", rank_id)
        warn("'Primitive.place' has no effect: each process runs its own program.")

    def get_attr_dict(self):
        """Return the attributes by name."""
        return dict(self.attrs)

    def __call__(self, *args):
        implementation = vm_impl_registry.get(type(self), vm_impl_registry.get(self.name))
        if implementation is not None:
            return implementation(self)(*args)
        raise rejection("defined-python-does-not", self.name, argument="__call__", object=self)

    def __repr__(self):
        inner = ", ".join(f"{k}={v}" for k, v in self.attrs.items() if k not in _UNSHOWN)
        return f"Prim[{self.name}]<{inner}>" if inner else f"Prim[{self.name}]"


class PrimitiveWithInfer(Primitive):
    """A Primitive whose class infers the result's shape and dtype in Python: `infer_shape` and
    `infer_dtype`. They are not called here, since `__call__` determines both.
    """


class PrimitiveWithCheck(Primitive):
    """A Primitive whose class checks shapes and dtypes in Python: `check_shape`, `check_dtype`.
    They are not called here, since `__call__` determines both.
    """


def prim_attr_register(fn):
    """Decorate a Primitive's `__init__`: its arguments become attributes before it runs.

    >>> class Scale(ops.Primitive):
    ...     @ops.prim_attr_register
    ...     def __init__(self, factor=2):
    ...         pass
    ...     def __call__(self, x):
    ...         return x * self.factor
    >>> scale = Scale(3)
    >>> scale, scale(Tensor([1.0])).asnumpy()
    (Prim[Scale]<factor=3>, array([3.], dtype=float32))
    """
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def register(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        Primitive.__init__(self, type(self).__name__)
        for name, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(name, value)
        fn(self, *args, **kwargs)

    return register


def prim_arg_register(fn):
    """Decorate a Primitive's `__init__`, as `prim_attr_register`.

    >>> class Scale(ops.Primitive):
    ...     @ops.prim_arg_register
    ...     def __init__(self, factor=2):
    ...         pass
    >>> Scale(3)
    Prim[Scale]<factor=3>
    """
    return prim_attr_register(fn)


_primitives = {}


def _get_cache_prim(cls):
    """Return a function that creates Primitives of that class, cached by arguments."""

    def make(*args, **kwargs):
        key = cls, repr(args), repr(sorted(kwargs.items()))
        if key not in _primitives:
            _primitives[key] = cls(*args, **kwargs)
        return _primitives[key]

    return make
