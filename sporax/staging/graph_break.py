"""`Break`, a graph break: the line that needs a concrete value, its cause, and the remedy."""

from sporax.core.errors import user_call, warn
from sporax.diagnosis.rules import rejection

_SHAPED = "Its result's shape depends on numbers; 'ops.where' and masks keep shapes."
_READ = "Return the Tensor and read its numbers outside."
_SHOWN = (
    "Give 'print' or 'ops.print_' the Tensor itself, or the f-string, as an argument right there; "
    "or return the Tensor and read its numbers outside."
)
CONDITION = (
    "a Tensor as a condition: 'if', 'while', 'and', 'or', 'not', 'assert' or 'bool'",
    "Choose with 'ops.where', or loop with 'ops.WhileLoop'.",
)
TEXT = ("the text of a Tensor: 'str', 'repr' or an f-string", _SHOWN)
CONCRETE_VALUE = ("'item', 'asnumpy' or 'tolist'", _READ)
OTHER_FILE = (
    "'print' to another file than stdout and stderr, or of an object with Tensors inside",
    "Print Tensors, or lists and dicts of them, to stdout or stderr; or print outside.",
)

# function called by the user's line -> (description of the call, remedy); the functions that
# converted source calls are added by `ast_transform.runtime_functions`
CAUSES = {
    "__bool__": CONDITION,
    "__int__": ("'int' of a Tensor", "Keep it a Tensor: '.astype(ms.int64)'."),
    "__float__": ("'float' of a Tensor", "Keep it a Tensor: '.astype(ms.float32)'."),
    "__complex__": ("'complex' of a Tensor", "Keep it a Tensor."),
    "__index__": (
        "a Tensor as a size, a 'range' or an index of a list",
        "Give sizes as Python numbers, and index a Tensor ('ops.stack' of the list).",
    ),
    "__array__": ("NumPy on a Tensor", "Use the function of that name in 'ops' or 'mint'."),
    "__contains__": ("'in' on a Tensor", "Write '(x == element).any()'."),
    "__getitem__": ("an index that selects by numbers", _SHAPED),
    "asnumpy": ("'asnumpy'", "Compute with 'ops' instead of NumPy, or read numbers outside."),
    "item": ("'item'", _READ),
    "tolist": ("'tolist'", _READ),
    **dict.fromkeys(("__str__", "__repr__", "__format__"), TEXT),
}


class Break:
    """A graph break at the current user line. `host`: the name of a Cell or Function that is called
    on the host; `reason`: why a branch or loop is not an operation."""

    def __init__(self, host=None, reason=""):
        self.line, called = user_call()
        if host is not None:
            self.what = f"a call of '{host}' on the host"
            self.remedy = "Give it operations of 'ops' instead of NumPy."
        else:
            self.what, self.remedy = CAUSES.get(called or "", (f"'{called}'", _SHAPED))
        if reason:
            self.what += f"; that cannot be one operation, since {reason}"

    def __str__(self):
        at = self.line
        if at is None:
            return "an unknown line"
        return f"{at.filename}:{at.lineno}: {at.line} ({self.what})"

    def refusal(self, name):
        """Return the error for a graph break in a function that must be captured whole."""
        return rejection("jit-fullgraph-true-captured", name=name, object=self, remedy=self.remedy)

    def warn(self, name):
        """Warn that the capture of a function ended, with a remedy."""
        warn(
            f"'{name}' needs a number while it is captured, at {self}. It runs dynamically from "
            f"now on, with the same results. To capture it: {self.remedy}",
        )
