"""`Break`, a graph break: the line that needs a concrete value, its cause, and the remedy."""

from sporax._src.core.errors import user_call, warn
from sporax._src.diagnosis.rules import message, rejection

EFFECT = "does-more-than-values"  # the reason of a branch with a side effect
CONDITION = "tensor-as-condition", "choose-with-where"
TEXT = "text-of-a-tensor", "give-print-the-tensor"
CONCRETE_VALUE = "call-that-reads", "read-numbers-outside"
OTHER_FILE = "print-to-other-file", "print-to-stdout"

# function called by the user's line -> (phrase of the call, of the remedy); the functions that
# converted source calls are added by `ast_transform.runtime_functions`
CAUSES = {
    "__bool__": CONDITION,
    "__int__": ("int-of-a-tensor", "keep-as-int"),
    "__float__": ("float-of-a-tensor", "keep-as-float"),
    "__complex__": ("complex-of-a-tensor", "keep-a-tensor"),
    "__index__": ("tensor-as-size", "sizes-as-numbers"),
    "__array__": ("numpy-on-a-tensor", "use-ops-of-that-name"),
    "__contains__": ("in-on-a-tensor", "write-any"),
    "__getitem__": ("index-that-selects", "keep-shapes"),
    "asnumpy": ("call-of", "compute-with-ops"),
    "item": ("call-of", "read-numbers-outside"),
    "tolist": ("call-of", "read-numbers-outside"),
    **dict.fromkeys(("__str__", "__repr__", "__format__"), TEXT),
}


class Break:
    """A graph break at the current user line. `host`: the name of a Cell or Function that is called
    on the host; `reason`: why a branch or loop is not an operation. `other`: the rule of a remedy
    other than its cause's."""

    def __init__(self, host=None, reason="", other=None):
        self.line, called = user_call()
        what, remedy = CAUSES.get(called or "", ("call-of", "keep-shapes"))
        if host is not None:
            what, remedy = "call-on-the-host", "give-it-ops"
        self.remedy = message(other or remedy)
        self.what = message(what, name=called if host is None else host)
        if reason:
            self.what = message("not-one-operation", what=self.what, reason=reason)
            if getattr(reason, "rule", None) == EFFECT:
                self.remedy = message("capture-around-effects")

    def __str__(self):
        return self.describe()

    def describe(self):
        """Return the line and what needs a number there, in words."""
        frame = self.line
        if frame is None:
            return message("unknown-line")
        line = f"{frame.filename}:{frame.lineno}: {frame.line}"
        return message("line-with-cause", line=line, what=self.what)

    def refusal(self, name):
        """Return the error for a graph break in a function that must be captured whole."""
        fields = {"name": name, "place": self.describe(), "remedy": self.remedy}
        return rejection("jit-fullgraph-true-captured", **fields)

    def warn(self, name):
        """Warn that the capture of a function ended, with a remedy."""
        warn(
            f"'{name}' needs a number while it is captured, at {self}. It runs dynamically from "
            f"now on, with the same results. To capture it: {self.remedy}",
        )
