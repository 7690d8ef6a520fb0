"""Regular expressions in ICU syntax, by the library regex, whose syntax is nearly the same."""

import functools
import re

from sporax._src.diagnosis.rules import rejection

_LINE_ENDS = r"\n\x0b\f\r\x85\u2028\u2029"
_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d"
_SPACE = r"\t-\r\x85\p{Z}"
_ESCAPES = {  # ICU escapes with another meaning, or none, in the library
    "d": r"\p{Nd}", "D": r"\P{Nd}", "h": r"[\t\p{Zs}]", "H": r"[^\t\p{Zs}]",
    "v": f"[{_LINE_ENDS}]", "V": f"[^{_LINE_ENDS}]", "R": rf"(?:\r\n|[{_LINE_ENDS}])",
    "s": f"[{_SPACE}]", "S": f"[^{_SPACE}]", "w": f"[{_WORD}]", "W": f"[^{_WORD}]",
    "z": r"\Z", "Z": rf"(?=(?:\r\n|[{_LINE_ENDS}])?\Z)", "e": r"\x1b",
}  # fmt: skip
_TOKEN = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|\Z)|\\x\{(?P<code>[0-9a-fA-F]+)\}|\\k<(?P<group>\w+)>"
    r"|\\(?P<escape>.)|(?P<other>.)", re.DOTALL,
)  # fmt: skip


def library():
    """Import the optional module regex."""
    try:
        import regex
    except ModuleNotFoundError:
        raise rejection("sporax-needs-library-regex") from None
    return regex


def _translated(pattern, escape):
    """Translate a pattern to the library's syntax."""
    depth, translated = 0, []  # nesting depth of sets
    any_char = "." if re.search(r"\(\?[a-z]*s", pattern) else f"[^{_LINE_ENDS}]"
    for token in _TOKEN.finditer(pattern):
        kind, text = token.lastgroup, token[token.lastgroup or 0]
        if kind == "quoted":
            translated.append(escape(text))
        elif kind == "code":
            translated.append(escape(chr(int(text, 16))))
        elif kind == "group":
            translated.append(f"(?P={text})")
        elif kind == "escape":
            translated.append(_ESCAPES.get(text, f"\\{text}"))
        else:
            depth += (text == "[") - (text == "]" and depth > 0)
            translated.append(any_char if text == "." and not depth else text)
    return "".join(translated)


@functools.lru_cache(256)
def compiled(who, name, pattern):
    """Compile a pattern by the library."""
    regex = library()
    try:
        return regex.compile(_translated(pattern, regex.escape), regex.VERSION1)
    except (regex.error, ValueError, OverflowError) as error:
        fields = {"got": pattern, "cause": error}
        raise rejection("regular-expression", who, argument=name, **fields) from None


_REFERENCE = re.compile(r"\\(.)|\$(\d)|\$\{(\w+)\}|(\$)|([^\\$]+)", re.DOTALL)


def template(who, replace, expression):
    """Parse a replacement into a list of texts, and of group numbers or names as 1-tuples."""
    tokens = []
    for match in _REFERENCE.finditer(replace):
        escaped, number, name, _, text = match.groups()
        group = name if name is not None else None if number is None else int(number)
        known = group in expression.groupindex or group in range(expression.groups + 1)
        if match[0] == "$" or (group is not None and not known):
            fields = {"groups": expression.groups, "pattern": expression.pattern}
            raise rejection("refer-groups-1", who, replace=replace, **fields)
        tokens.append((group,) if group is not None else escaped or text)
    return tokens


def filled_in(tokens, match):
    """Return the replacement for a match."""
    return "".join([token if isinstance(token, str) else match[token[0]] or "" for token in tokens])
