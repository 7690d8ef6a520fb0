"""`Primitive`: an operation as an object, with its attributes given when it is made."""


class Primitive:
    """Base of the operation classes, e.g. `ops.Softmax(axis=-1)(x)`.

    `name`: the operation's name; `attrs`: its attributes as given.
    """

    def __init__(self, name):
        self.name = name
        self.attrs = {}

    def _set(self, name, value):
        self.attrs[name] = value
        setattr(self, name, value)

    def add_prim_attr(self, name, value):
        """Note an attribute; those that steer other backends have no effect here."""
        self._set(name, value)
        return self

    def del_prim_attr(self, name):
        """Forget an attribute noted before."""
        self.attrs.pop(name, None)
        self.__dict__.pop(name, None)
        return self

    def init_prim_io_names(self, inputs, outputs):
        """Note the names of inputs and outputs."""
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)

    def set_device(self, device_target):
        """Accepted: XLA places operations itself."""
        return self.add_prim_attr("primitive_target", device_target)

    def shard(self, in_strategy=None, out_strategy=None):
        """Accepted on one device, where there is nothing to shard."""
        return self

    def __repr__(self):
        inner = ", ".join(f"{k}={v}" for k, v in self.attrs.items())
        return f"Prim[{self.name}]<{inner}>" if inner else f"Prim[{self.name}]"


_made = {}


def _get_cache_prim(cls):
    """What makes a Primitive of that class, or gives the one made before with these arguments."""

    def make(*args, **kwargs):
        key = cls, repr(args), repr(sorted(kwargs.items()))
        if key not in _made:
            _made[key] = cls(*args, **kwargs)
        return _made[key]

    return make
