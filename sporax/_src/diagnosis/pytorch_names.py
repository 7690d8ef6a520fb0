"""Attributes of PyTorch's Tensors, modules and optimizers that MindSpore has under another name, or
does not need: the errors for their use name MindSpore's way."""

from sporax._src.diagnosis.rules import message, rejection

_DEVICE, _GRADIENT, _NONE_KEPT = "place-of-tensors", "gradients-by-function", "no-gradient-is-kept"
_PRECISION = "write-net-to"

# name -> the rule of its remedy
TENSOR = {
    "backward": _GRADIENT, "grad": _NONE_KEPT, "grad_fn": _NONE_KEPT, "retain_grad": _NONE_KEPT,
    "is_leaf": _NONE_KEPT,
    "detach": "write-stop-gradient", "detach_": "write-stop-gradient",
    "cuda": _DEVICE, "cpu": _DEVICE, "is_cuda": _DEVICE,
}  # fmt: skip
CELL = {
    "parameters": "write-trainable-params", "named_parameters": "write-parameters-and-names",
    "modules": "write-cells-and-names", "named_modules": "write-cells-and-names",
    "children": "write-cells", "named_children": "write-name-cells",
    "eval": "write-set-train-false", "train": "write-set-train", "zero_grad": _NONE_KEPT,
    "cuda": _DEVICE, "cpu": _DEVICE, "half": _PRECISION, "float": _PRECISION,
    "double": _PRECISION, "forward": "write-construct",
    "requires_grad_": "set-requires-grad", "add_module": "write-insert-child",
    "register_parameter": "write-insert-param",
    "register_full_backward_hook": "write-register-backward-hook",
}  # fmt: skip
OPTIMIZER = {
    "step": "call-optimizer-with-gradients", "zero_grad": _NONE_KEPT,
    "param_groups": "write-optimizer-parameters",
}  # fmt: skip


def no_attribute(obj, name, rule):
    """Return the AttributeError for a name of PyTorch's on an object."""
    error = rejection("attribute-of-pytorch", object=obj, name=name, remedy=message(rule))
    error.name = name  # and no object, in which Python would look for similar names
    return error


class _PyTorchName:
    """Descriptor of a name that no Tensor has. It costs other attributes nothing, as a
    `__getattr__` would."""

    __slots__ = ("name", "rule")

    def __init__(self, name, rule):
        self.name, self.rule = name, rule

    def __get__(self, tensor, owner=None):
        raise no_attribute(owner if tensor is None else tensor, self.name, self.rule)


class TensorNames:
    """Base of `Tensor`: raises for PyTorch's names, which `dir` does not list."""

    __slots__ = ()

    def __dir__(self):
        return [name for name in super().__dir__() if name not in TENSOR or name in vars(self)]


for _name, _rule in TENSOR.items():
    setattr(TensorNames, _name, _PyTorchName(_name, _rule))
