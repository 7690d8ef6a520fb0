"""Mutations of a file's content, each a function of a `random.Random` and bytes: of bytes, text,
JSON, XML and protobuf, which are taken apart, changed in a part and put together again."""

import json
import random
import re

SIZES = [0, 1, 2, 3, 7, 8, 127, 128, 255, 256, 2**15 - 1, 2**15, 2**16 - 1, 2**16, 2**20, 2**24,
         2**28, 2**30, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**53, 2**62, 2**63 - 1, 2**63,
         2**64 - 1, 10**12]  # fmt: skip
SIZES += [-n for n in SIZES[1:]]
WORDS = ["", "0", "-1", "1", "1e999", "nan", "NaN", "inf", "-inf", "9" * 20, "1" * 5000,
         "../../../../etc/passwd", "/etc/passwd", "..", "/", "~", "a\0b", "\ufeff", "é" * 40,
         "\ud800".encode("utf8", "surrogatepass").decode("latin-1"), "x" * 70000, "[" * 3000,
         "0x1F", "1_000", "٣", "None", "true", "{}", "%s%n", "' OR 1=1 --", "<unk>", "-0.0",
         "1e-400", "2147483648", "1e300"]  # fmt: skip


def mutated(rng, content, change):
    """Return `content` after one to three changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        try:
            content = change(rng, content)
        except Exception:  # noqa: BLE001 - its format is lost after the first change
            content = binary(rng, content)
    return content


def _place(rng, content, size=1):
    """A place in it; the first bytes, in which headers are, more often than others."""
    most = max(len(content) - size, 0)
    return rng.randint(0, min(most, 64) if rng.random() < 0.4 else most)


def _truncated(rng, content):
    return content[: _place(rng, content)]


def _flipped(rng, content):
    at = _place(rng, content)
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def _byte(rng, content):
    at, value = _place(rng, content), rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
    return content[:at] + bytes([value]) + content[at + 1 :]


def _number(rng, content):
    """A number of 2, 4 or 8 bytes, in either order."""
    width = rng.choice((2, 4, 8))
    at = _place(rng, content, width)
    order = rng.choice(("little", "big"))
    if rng.random() < 0.5:
        value = int.from_bytes(content[at : at + width], order) + rng.choice((-1, 1, 2, -8, 100))
    else:
        value = rng.choice([*SIZES, len(content), len(content) - at, len(content) * 2])
    return content[:at] + (value % 2 ** (8 * width)).to_bytes(width, order) + content[at + width :]


def _block(rng, content):
    """(start, end) of some bytes."""
    at = _place(rng, content)
    return at, min(len(content), at + rng.choice((1, 2, 4, 8, 16, 64, 300)))


def _removed(rng, content):
    start, end = _block(rng, content)
    return content[:start] + content[end:]


def _repeated(rng, content):
    start, end = _block(rng, content)
    return content[:end] + content[start:end] * rng.choice((1, 1, 2, 50)) + content[end:]


def _moved(rng, content):
    start, end = _block(rng, content)
    rest = content[:start] + content[end:]
    at = _place(rng, rest)
    return rest[:at] + content[start:end] + rest[at:]


def _inserted(rng, content):
    at = _place(rng, content)
    return content[:at] + rng.randbytes(rng.choice((1, 2, 4, 8, 40))) + content[at:]


def _filled(rng, content):
    start, end = _block(rng, content)
    return content[:start] + bytes([rng.choice((0, 255, 32))]) * (end - start) + content[end:]


_BINARY = [_truncated, _flipped, _flipped, _byte, _byte, _number, _number, _number, _removed,
           _repeated, _moved, _inserted, _filled]  # fmt: skip


def binary(rng, content):
    """Bits, bytes, numbers and blocks, whatever they mean."""
    return rng.choice(_BINARY)(rng, content) if content else rng.randbytes(rng.randrange(9))


def _word(rng, content):
    """Another word in place of one."""
    words = [*re.finditer(rb"[^\s,:;|<>\"'=\[\]{}()#\t]+", content[:20000])]
    if not words:
        return binary(rng, content)
    start, end = rng.choice(words).span()
    other = rng.choice(WORDS)
    if rng.random() < 0.3:
        other = str(rng.choice(SIZES))
    new = other.encode("utf8", "surrogatepass")
    return content[:start] + new + content[end:]


def _line(rng, content):
    """Lines removed, repeated, moved, joined, or cut."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    act = rng.randrange(7)
    if act == 0:
        del lines[at]
    elif act == 1:
        lines[at:at] = [lines[at]] * rng.choice((1, 2, 100))
    elif act == 2:
        lines.insert(rng.randrange(len(lines)), lines.pop(at))
    elif act == 3:
        lines[at : at + 2] = [b"".join(lines[at : at + 2])]
    elif act == 4:
        lines[at] = lines[at][: rng.randint(0, len(lines[at]))]
    elif act == 5:
        lines.insert(at, rng.choice((b"", b" ", b"\t\t", b"\xff\xfe", b"\0", b"\r", b'"', b"#")))
    else:
        words = lines[at].split(b" ")
        rng.shuffle(words)
        lines[at] = b" ".join(words[: rng.randint(0, len(words))])
    return b"\n".join(lines)


def text(rng, content):
    """Words and lines, sometimes any bytes."""
    return rng.choice((_word, _word, _line, _line, binary))(rng, content)


# trees ------------------------------------------------------------------------------------------

VALUES = [None, True, False, 0, -1, 1, 10**12, -(10**12), 2**63, 2**64, 10**400, 1.5, 1e308,
           float("nan"), float("inf"), "", "x", "../../../../etc/passwd", "/etc/passwd", "a\0b",
           "\ud800", "x" * 70000, [], {}, [[]], [None], {"": {}}, [0] * 1000, ["a", 1, None],
           "int32", "float32", "bytes", "object"]  # fmt: skip


def _nodes(tree, found):
    """(container, key) of each value in it."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in pairs:
        found.append((tree, key))
        if isinstance(value, (dict, list)):
            _nodes(value, found)
    return found


def _changed_tree(rng, tree):
    nodes = _nodes(tree, []) if isinstance(tree, (dict, list)) else []
    if not nodes:
        return rng.choice(VALUES)
    parent, key = rng.choice(nodes)
    value, act = parent[key], rng.randrange(10)
    if act == 0:
        del parent[key]
    elif act == 1 and isinstance(parent, list):
        parent[key:key] = [value] * rng.choice((1, 50))
    elif act == 1:
        parent[rng.choice(WORDS)] = value
    elif act == 2:
        parent[key] = [value]
    elif act == 3:
        parent[key] = {"a": value}
    elif act == 4 and isinstance(value, int):
        parent[key] = rng.choice([*SIZES, value + 1, value - 1, value * 2, str(value), value + 0.5])
    elif act == 5 and isinstance(value, str):
        parent[key] = rng.choice([*WORDS, value + "x", value[:-1], value.upper()])
    elif act == 6:
        parent[key] = rng.choice(nodes)[0]
        parent[key] = json.loads(json.dumps(rng.choice(VALUES), default=str))
    else:
        parent[key] = rng.choice(VALUES)
    return tree


def json_text(rng, content):
    """A value, key or level of JSON; sometimes its text."""
    act = rng.random()
    if act < 0.02:
        return b"[" * 100_000
    if act < 0.04:
        return b'{"a":' * 100_000
    if act < 0.3:
        return text(rng, content)
    try:
        tree = json.loads(content)
    except ValueError:
        return text(rng, content)
    return json.dumps(_changed_tree(rng, tree)).encode("utf8", "surrogatepass")


def json_lines(rng, content):
    """JSON, an object a line."""
    lines = content.split(b"\n")
    if rng.random() < 0.3:
        return text(rng, content)
    at = rng.randrange(len(lines))
    lines[at] = json_text(rng, lines[at])
    return b"\n".join(lines)


BILLION = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a0 "ha">'
    + b"".join(b'<!ENTITY a%d "%s">' % (i, b"&a%d;" % (i - 1) * 20) for i in range(1, 12))
    + b"]><annotation><object><name>&a11;</name></object></annotation>"
)


def xml(rng, content):
    """Tags, entities and words."""
    act = rng.random()
    if act < 0.002:  # takes 0.1 s
        return BILLION
    if act < 0.01:
        return b"<a>" * 100_000
    if act < 0.5:
        return text(rng, content)
    parts = re.split(rb"(<[^>]*>)", content)
    at = rng.randrange(len(parts))
    act = rng.randrange(4)
    if act == 0:
        del parts[at]
    elif act == 1:
        parts.insert(at, parts[at])
    elif act == 2:
        parts.insert(rng.randrange(len(parts)), parts.pop(at))
    else:
        parts[at] = rng.choice(WORDS).encode("utf8", "surrogatepass")
    return b"".join(parts)


def _varint(number):
    number %= 2**64
    head = b""
    while number > 127:
        head += bytes([number & 127 | 128])
        number >>= 7
    return head + bytes([number])


def message(content):
    """Return [field, wire type, value] of a protobuf message; raise ValueError if it is not one."""
    at, found = 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            if at >= len(content) or shift > 63:
                raise ValueError
            value |= (content[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if content[at - 1] < 128:
                return value

    while at < len(content):
        key = varint()
        wire = key & 7
        if wire == 0:
            value = varint()
        elif wire in (1, 2, 5):
            size = {1: 8, 5: 4}.get(wire) or varint() if wire != 2 else varint()
            if at + size > len(content):
                raise ValueError
            value, at = content[at : at + size], at + size
        else:
            raise ValueError
        found.append([key >> 3, wire, value])
    return found


def joined(fields):
    parts = []
    for field, wire, value in fields:
        parts.append(_varint(field << 3 | wire))
        if wire == 2 and isinstance(value, bytes):
            parts.append(_varint(len(value)))
        parts.append(_varint(value) if isinstance(value, int) else value)
    return b"".join(parts)


def protobuf(rng, content, depth=0):
    """Fields of a message, or of one in it: numbers, types, lengths, values, order."""
    if rng.random() < 0.15 or depth > 6:
        return binary(rng, content)
    try:
        fields = message(content)
    except ValueError:
        fields = []
    if not fields:
        return binary(rng, content)
    at = rng.randrange(len(fields))
    field, wire, value = fields[at]
    if wire == 2 and rng.random() < 0.65:
        fields[at][2] = protobuf(rng, value, depth + 1)
        return joined(fields)
    act = rng.randrange(7)
    if act == 0:
        del fields[at]
    elif act == 1:
        fields[at:at] = [fields[at]] * rng.choice((1, 1, 3, 200))
    elif act == 2:
        fields.insert(rng.randrange(len(fields)), fields.pop(at))
    elif act == 3:
        fields[at][0] = rng.choice((0, 1, 2, 3, 4, 5, 15, 16, 2**28, 2**29))
    elif act == 4:
        fields[at][1] = rng.randrange(8)
    elif act == 5 and isinstance(value, int):
        fields[at][2] = rng.choice(SIZES)
    elif act == 5:  # a length that does not fit
        head = joined(fields[:at]) + _varint(field << 3 | wire)
        return head + _varint(rng.choice(SIZES)) + value + joined(fields[at + 1 :])
    else:
        fields[at][2] = rng.choice(WORDS).encode("utf8", "surrogatepass")
        fields[at][1] = 2
    return joined(fields)


def seeded(*key):
    """Return the random generator of a case."""
    return random.Random(":".join(map(str, key)))
