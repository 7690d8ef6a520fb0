"""Rules for arguments, inferred from a parameter's name, its default, and the error."""

import enum
import re

from sporax._src.diagnosis.rules import is_array, message

_NUMBER = int | float | complex
_AXES = {"axis", "axes", "dim", "dims", "axis0", "axis1", "dim0", "dim1", "dim2", "source",
         "destination", "start_dim", "end_dim", "batch_dims", "begin_norm_axis"}  # fmt: skip
_TENSORS = {"input", "x", "other", "y", "input_x", "input_y", "logits", "tensor", "x1", "x2",
            "mat2", "inputs", "labels", "target", "img", "images", "query", "key"}  # fmt: skip
_SEQUENCES = {"tensors", "params", "parameters", "arys", "arrays", "xs"}
_COUNTS = {"in_channels", "out_channels", "num_features", "input_size", "hidden_size", "num_layers",
           "in_features", "out_features", "vocab_size", "embedding_size", "num_embeddings",
           "embedding_dim", "d_model", "embed_dim", "num_heads", "nhead"}  # fmt: skip
_SIZES = {"shape", "size", "output_size", "kernel_size", "stride", "padding", "dilation", "repeats",
          "reps", "normalized_shape"}  # fmt: skip


def _is_number(x):
    return isinstance(x, _NUMBER) or (type(x).__module__ == "numpy" and getattr(x, "ndim", 1) == 0)


def _is_int(x):
    return isinstance(x, int) or (type(x).__module__ == "numpy" and "int" in type(x).__name__)


def _all(test):
    """Return a predicate: all items of nested tuples and lists are Tensors or pass `test`."""

    def holds(x):
        return all(map(holds, x)) if isinstance(x, tuple | list) else is_array(x) or test(x)

    return holds


def _is_operand(x):
    return is_array(x) or _is_number(x) or isinstance(x, tuple | list) or _is_other(x)


def _is_other(x):
    """Return True for a callable that is not a plain Python value, such as an object of sporax."""
    plain = str | bytes | dict | set | type | None
    return not isinstance(x, plain | tuple | list) and not _is_number(x) and callable(x)


# (predicate of parameters, rule for their arguments, predicate of valid arguments)
_ROWS = (
    (lambda p: p.name in _AXES, "int-or-ints",
     lambda x: x is None or (not isinstance(x, bool) and _all(_is_int)(x))),
    (lambda p: type(p.default) is bool, "a-bool", lambda x: _is_int(x) and x in (0, 1)),
    (lambda p: isinstance(p.default, str) and not isinstance(p.default, enum.Enum), "a-string",
     lambda x: isinstance(x, str) or _is_other(x) or is_array(x)),
    (lambda p: p.name in _SEQUENCES, "a-tuple-or-list", lambda x: isinstance(x, tuple | list)),
    (lambda p: p.name in _COUNTS, "an-int", _is_int),
    (lambda p: p.name in _SIZES, "int-or-ints",
     lambda x: x is None or isinstance(x, str) or _all(lambda n: n is None or _is_int(n))(x)),
    (lambda p: type(p.default) in (int, float, complex), "a-number",
     lambda x: x is None or _all(_is_number)(x) or _is_other(x)),
    (lambda p: type(p.default) in (tuple, list) and p.default, "numbers",
     lambda x: x is None or _all(lambda n: n is None or _is_number(n) or isinstance(n, str))(x)),
    (lambda p: p.name in _TENSORS and p.default is p.empty, "a-tensor", _is_operand),
)  # fmt: skip

_CALLED = "a-function-or-cell"
# message of Python -> rule for the argument
_ASKED = [(re.compile(words), rule) for words, rule in (
    (r"integer|int\(\)|slice indices", "int-or-ints"),
    (r"not iterable|has no len\(\)|not subscriptable|zip\(\) argument|must be an iterable",
     "a-tuple-or-list"),
    (r"not callable", _CALLED),
    (r"unsupported operand|bad operand|not supported between|real number|could not convert|"
     r"must be a number|requires ndarray|abstract array|as a JAX value|valid JAX type|float\(\)",
     "a-number-or-tensor"),
    (r"unhashable", "a-hashable"),
    (r"expected (?:str|string)|must be (?:str|string)|path", "a-string"),
)]  # fmt: skip
_TENSOR_MEMBERS = {"shape", "dtype", "ndim", "size", "astype", "asnumpy", "reshape", "_value", "T",
                   "sum", "mean", "values", "aval", "abs", "max", "min", "transpose"}  # fmt: skip


def rule_of(parameter, value):
    """Return the rule that an argument violates; None if it is valid, or no rule is known."""
    for concerned, rule, holds in _ROWS:
        if concerned(parameter):
            return None if holds(value) else message(rule)
    return None


def _items(value):
    yield value
    if isinstance(value, tuple | list):
        for item in value:
            yield from _items(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _items(item)


def _asked(error):
    """Return the rule that an exception of Python or of a library implies, or None."""
    if isinstance(error, AttributeError):
        of_tensors = error.name in _TENSOR_MEMBERS
        return (
            message("a-tensor-or-tensors")
            if of_tensors
            else message("an-object-with", name=error.name)
        )
    text = str(error)
    return next((message(rule) for words, rule in _ASKED if words.search(text)), None)


def culprit(parameters, arguments, error):
    """Return (name, rule, value) of the argument that caused an inner exception; None if unknown.
    `parameters`: by name, as far as they are known."""
    asked = _asked(error)
    owner = getattr(error, "obj", None) if isinstance(error, AttributeError) else None
    for name, value in arguments.items():
        is_owner = owner is not None and not is_array(value)
        if is_owner and any(owner is item for item in _items(value)):
            known = rule_of(parameters[name], value) if name in parameters else None
            return name, known or asked, value
    for name, value in arguments.items():
        rule = rule_of(parameters[name], value) if name in parameters else None
        if rule is not None:
            return name, rule, value
    if asked is None and not isinstance(error, KeyError):
        return None
    named = set(re.findall(r"'(\w+)'|type (\w+)", str(error)))
    named = {name for pair in named for name in pair if name}
    for name, value in arguments.items():
        default = getattr(parameters.get(name), "default", value)
        if value is default and value is None:
            continue
        for item in _items(value):
            if isinstance(error, KeyError) and _same(item, error.args[:1]):
                return name, message("known-name"), value
            if type(item).__name__ in named and not _is_number(item) and asked is not None:
                return name, asked, value
    if asked is not None and asked.rule == _CALLED:  # a number is never a function
        numbers = [(n, asked, x) for n, x in arguments.items() if type(x).__name__ in named]
        return numbers[0] if len(numbers) == 1 else None
    return None


def _same(item, keys):
    return isinstance(item, str | int | float | None) and (item,) == keys
