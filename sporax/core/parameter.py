"""`Parameter`: a Tensor with a name and an identity, that an optimizer changes."""

from sporax.core import dtype as dtypes
from sporax.core.tensor import Tensor, new_value


class Parameter(Tensor):
    """A Tensor that a Cell registers and an optimizer updates.

    `default_input`: a Tensor, NumPy array or number. `name`: by default the attribute under which a
    Cell keeps it. `requires_grad`: whether derivatives with respect to it are taken.

    >>> Parameter(Tensor([1.0]), name="w").requires_grad
    True
    """

    __slots__ = ()

    def __init__(
        self, default_input, name=None, requires_grad=True, layerwise_parallel=False,
        parallel_optimizer=True, storage_format="", device=None,
    ):  # fmt: skip
        self._value = new_value(default_input, None)
        if name is None and isinstance(default_input, Parameter):
            name = default_input.name
        self._name = "Parameter" if name is None else name
        if not isinstance(self._name, str):
            raise TypeError(
                f"For 'Parameter', 'name' must be a string, but got {type(name).__name__}."
            )
        self.requires_grad = requires_grad
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        self.param_info = self

    @property
    def name(self):
        """The name under which checkpoints and optimizers know the parameter."""
        return self._name

    @name.setter
    def name(self, name):
        self._name = name

    @property
    def data(self):
        """The parameter itself."""
        return self

    def value(self):
        """A Tensor with the parameter's present contents."""
        tensor = object.__new__(Tensor)
        tensor._value = self._lift()
        return tensor

    def set_data(self, data, slice_shape=False):
        """Replace the contents by `data`, of the same shape (any, with `slice_shape`).

        The dtype stays the parameter's; floats are not put into an integer parameter.
        """
        data = data if isinstance(data, Tensor) else Tensor(data)
        value = data._lift()
        if value.aval.shape != self.shape and not slice_shape:
            raise ValueError(
                f"For 'Parameter.set_data', the shape must stay {self.shape}, but got "
                f"{value.aval.shape} for parameter '{self.name}'. Pass slice_shape=True to change it."
            )
        mine = self._value.aval.dtype
        if value.aval.dtype != mine:
            if value.aval.inexact and mine.kind in "biu":
                raise TypeError(
                    f"For 'Parameter.set_data', {dtypes.from_numpy(value.aval.dtype)} data does "
                    f"not fit parameter '{self.name}' of {self.dtype}. Convert it with 'astype'."
                )
            value = data.astype(self.dtype)._value
        return self._rebind(value)

    def assign_value(self, value):
        """The same as `set_data`."""
        return self.set_data(value)

    def clone(self, init="same"):
        """A new Parameter of the same shape and dtype: its contents with `init='same'`, else
        drawn from the initializer (or its name) or filled with the number `init`."""
        if isinstance(init, str) and init == "same":
            made = Parameter(self, name=self.name)
        else:
            from sporax.initializers import initializer

            made = Parameter(initializer(init, self.shape, self.dtype), name=self.name)
        made.requires_grad = self.requires_grad
        made.layerwise_parallel = self.layerwise_parallel
        made.parallel_optimizer = self.parallel_optimizer
        return made


class ParameterTuple(tuple):
    """A tuple of Parameters.

    >>> ParameterTuple([Parameter(1.0, name="a")])[0].name
    'a'
    """

    __slots__ = ()

    def __new__(cls, iterable):
        parameters = tuple(iterable)
        for p in parameters:
            if not isinstance(p, Parameter):
                raise TypeError(
                    "For 'ParameterTuple', every item must be a Parameter, but got "
                    f"{type(p).__name__}."
                )
        return super().__new__(cls, parameters)

    def clone(self, prefix, init="same"):
        """A ParameterTuple of clones, named `prefix.name`."""
        made = []
        for p in self:
            twin = p.clone(init)
            twin.name = f"{prefix}.{p.name}"
            made.append(twin)
        return ParameterTuple(made)


