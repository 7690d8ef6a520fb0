"""Checks that an error is explanatory: it names the operation, the argument, the rule and the value
received, in the words of this project."""

import re
import traceback
from pathlib import Path

import sporax
from sporax._src.diagnosis.rules import Message

PACKAGE = str(Path(sporax.__file__).parent)
KINDS = (
    TypeError, ValueError, IndexError, KeyError, RuntimeError, NotImplementedError, OSError,
    OverflowError,
)  # fmt: skip

# what those below say of their own: JAX, XLA, NumPy, Python
LEAKS = re.compile(
    r"\b(jax|jnp|jaxlib|lax)\.|<class 'jax|numpy\.(?:core|_core|exceptions)|"
    r"\bXLA\b|\bJAX\b|Trace[dr]|ShapedArray|ShapeDtypeStruct|dot_general|"
    r"Incompatible shapes for broadcasting|broadcast_shapes|ufunc|concretiz|abstract value|"
    r"has no attribute|object is not|not supported between|unsupported operand|must be real number|"
    r"cannot be interpreted as an integer|indices must be integers or|not subscriptable|"
    r"got an unexpected|positional argument|truth value|Unable to allocate|RESOURCE_EXHAUSTED|"
    r"<lambda>|<function |object at 0x|to unpack|invalid literal|"
    r"zip\(\) argument|out of bounds for array|maximum recursion|math domain|unhashable",
)
OPERATION = re.compile(
    r"For (?:'[^']+'|a random operation)(?: of '[^']*')?, |sporax has no '\w+' of "
)
# Python's own: at the door of a function that is called with an argument twice, and what a row's
# function of the user's says of the columns that it gets
DOUBLED = re.compile(
    r"[\w.]+\(\) got multiple values for argument '\w+'$|"
    r"(?:<lambda>|Strange)\(\) (?:missing|takes) "
)
# a name in quotes, or the subject of the rule in words
ARGUMENT = re.compile(
    r"'[^']*'|\b(?:the|an?|each|every|all|both|sizes|axes|[Tt]here|shapes) [^.:;]{0,60}"
    r"\b(?:must|needs?)\b|\barguments? by position"
)
RULE = re.compile(r"\b(?:must|needs?|yet|cannot be read|can only)\b")
# where the rule says it already (it must not be 0, be given, be there), there is no more
GOT = re.compile(
    r"\bbut\b|\bgot\b|\bdo not fit: |must not be|must be given|[Tt]here must be|must come with|"
    r"must be readable|they are|cannot be read|yet$"
)


# what Chinese text does not have outside quotes and brackets
_QUOTED = re.compile(r"(?<!\w)'[^']*'|[(\[{][^()\[\]{}]*[)\]}]")
_ENGLISH = re.compile(
    r"\b(the|is|are|must|but|got|of|and|with|for|to|a|an|it|in|has|have|not|be|which|that|from|no)\b"
)


def english_in(chinese):
    """Return the English words in a Chinese text, but for quoted ones."""
    return _ENGLISH.findall(_QUOTED.sub("", chinese))


def chain(error):
    """Return an exception and its causes."""
    seen = []
    while error is not None and error not in seen:
        seen.append(error)
        error = error.__cause__ or error.__context__
    return seen


def place(error):
    """Return (file and line where an exception was raised, True if they are sporax's own)."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return "nowhere", True
    last = frames[-1]
    own = last.filename.startswith(PACKAGE) or last.filename == "<string>"
    return f"{last.filename.removeprefix(PACKAGE + '/')}:{last.lineno}", own


def borrowed(error):
    """Return the text of an exception from a lower layer that the error repeats; None if there is
    none."""
    text = str(error)
    for cause in chain(error)[1:]:
        said = str(cause).strip().split("\n")[0].rstrip(".")
        if len(said) > 12 and not OPERATION.match(said) and not place(cause)[1] and said in text:
            return said
    return None


def fault(error):
    """Return why an error is not explanatory; None if it is."""
    if any(isinstance(e, MemoryError) for e in chain(error)):
        return "it was found when memory was asked for"
    if not isinstance(error, KINDS):
        return f"a {type(error).__name__}"
    text = error.args[0] if isinstance(error, KeyError) and error.args else str(error)
    if isinstance(error, TypeError) and DOUBLED.match(text):
        return None
    head = OPERATION.match(str(text))
    if head is None:
        return "no operation named"
    leak = LEAKS.search(OPERATION.sub("", text))
    if leak is not None:
        return f"words from below: {leak[0]}"
    if (words := borrowed(error)) is not None:
        return f"words from below: {words[:60]}"
    rest = text[head.end() :]
    for what, pattern in (("argument", ARGUMENT), ("rule", RULE), ("what came", GOT)):
        if not pattern.search(rest):
            return f"no {what} named"
    said = error.args[0]
    chinese = said.chinese.partition("。它的调用方式是")[0] if isinstance(said, Message) else ""
    if english := english_in(chinese):
        return f"English in Chinese: {', '.join(english)}"
    return None if place(error)[1] else f"raised at {place(error)[0]}"
