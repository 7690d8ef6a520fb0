"""Examples of the reference pages, rewritten to call the object of their entry.

The faces of an operation share one docstring, whose example calls one of them. `rewritten` replaces
such a call by a call of the entry's object with the same arguments: `ops.softmax(x, -1)` becomes
`x.softmax(-1)`, `mint.nn.functional.softmax(x, -1)` or `ops.Softmax(-1)(x)`. A call whose arguments
the object does not take stays, and so does the rest of the example.
"""

import ast
import doctest
import inspect
import re
import sys
import types
from typing import Any, NamedTuple

import sporax
from sporax import Parameter, Tensor, mint, nn, ops
from sporax._src.mindspore.compat.class_modules import module_of
from sporax.ops.declare import OPS

GROUPS = "ops", "mint", "nn", "numpy", "Tensor"  # whose entries are faces of operations
NAMES = {"Parameter": Parameter, "Tensor": Tensor, "mint": mint, "ms": sporax, "nn": nn, "ops": ops,
         "sporax": sporax}  # fmt: skip
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder", ast.Pow: "power",
}  # fmt: skip
_HOST = {"asnumpy", "item", "numpy", "tolist"}  # methods whose results are not Tensors
_VARIADIC = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
_WIDTH = 100  # of a line, without the prompt


class Face(NamedTuple):
    """A callable of an operation. `parts`: its parameters, of a class the constructor's and the
    call's; `meanings`: [(declaration, {parameter: parameter of the declaration's function})]."""

    parts: list[list[inspect.Parameter]]
    meanings: list[tuple[Any, dict[str, str]]]


class Argument(NamedTuple):
    """An argument of a call: its text, its node, and whether it is passed by keyword."""

    text: str
    node: ast.expr | None = None
    is_keyword: bool = False


# what faces mean --------------------------------------------------------------------------------


def faces(value):
    """Return the faces of a public object: several if it is overloaded, or none."""
    if inspect.isclass(value):
        face = _of_class(value)
        return [face] if face else []
    if not callable(value):
        return []
    return [
        Face([_parameters(one)], _meanings(one, {n: n for n in inspect.signature(one).parameters}))
        for one in getattr(value, "overloads", [value])
        if getattr(one, "declaration", None) is not None
    ]


def _parameters(function):
    return list(inspect.signature(function).parameters.values())


def _of_class(value):
    """Return the face of a Primitive, or of a layer that calls one function."""
    declared = vars(value).get("declaration")
    if declared is not None:
        name = value.__name__
        written = [w for w in declared.faces["primitive"] if w.partition("(")[0] == name]
        head, _, inputs = (written or [f"{name}()()"])[0].partition(")(")
        parsed = declared.parse(f"{head})")[1], declared.parse(f"{name}({inputs}")[1]
        names = {p.name: canonical for part in parsed for p, canonical in part}
        meanings = [(declared, names), *_meanings(declared.fn, names)]
        return Face([[p for p, _ in part] for part in parsed], meanings)
    called = vars(value).get("construct")
    scope = getattr(called, "__globals__", {})
    function = scope.get("function") if scope.get("__name__") is None else None
    if function is None or not faces(function):  # not of `nn.functional_layers`
        return None
    function = getattr(function, "overloads", [function])[0]
    built, call = _parameters(value.__init__)[1:], _parameters(called)[1:]
    names = {p.name: p.name for p in [*built, *call]}
    positions = zip(call, _parameters(function), strict=False)
    names |= {p.name: q.name for p, q in positions if p.default is p.empty}
    return Face([built, call], _meanings(function, names))


def _meanings(function, names):
    """Return the meanings of a face with parameters `names`, {name: parameter of `function`}, and
    of the faces that its declaration's function is."""
    found = []
    while (declared := getattr(function, "declaration", None)) is not None:
        if declared in [known for known, _ in found]:  # a function that is its own face
            break
        means = _canonical(declared, list(inspect.signature(function).parameters))
        names = {name: means[inner] for name, inner in names.items() if inner in means}
        found.append((declared, names))
        function = declared.fn
    return found


def _canonical(declared, names):
    """Return {parameter: parameter of the declaration's function} of the face with these names."""
    if names != list(declared.signature.parameters):
        for kind in ("ops", "tensor", "mint", "numpy"):
            written = declared.faces.get(kind) or ()
            for face in (written,) if isinstance(written, str | bool) else written:
                if isinstance(face, str) and "(" in face:
                    parsed = declared.parse(face, more=("dtype",))[1]
                    if [p.name for p, _ in parsed] == names:
                        return {p.name: canonical for p, canonical in parsed}
    return {name: name for name in names}


# calls of an example ----------------------------------------------------------------------------


class Example:
    """The statements of a docstring's examples: what their names are bound to."""

    def __init__(self, value, text):
        self.parts = doctest.DocTestParser().get_examples(text)
        self.trees = [ast.parse(part.source) for part in self.parts]
        self.values = {}  # name bound here -> expression, or None
        for tree in self.trees:
            for node in ast.walk(tree):
                self._bind(node)
        home = sys.modules.get(module_of(getattr(value, "fget", value)) or "")
        self.scope = {**vars(home), **NAMES} if home else NAMES

    def _bind(self, node):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, ast.comprehension | ast.For):
            self._assign(node.target, [*getattr(node.iter, "elts", ()), node.iter][0])
        elif isinstance(node, ast.arg):
            self.values[node.arg] = ast.parse("Tensor(0)", mode="eval").body
        elif isinstance(node, ast.alias):
            self.values[(node.asname or node.name).partition(".")[0]] = None
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            self.values[node.name] = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            self.values.setdefault(node.id, None)

    def _assign(self, target, value):
        if isinstance(target, ast.Name):
            self.values[target.id] = value
        elif isinstance(target, ast.Tuple):
            if isinstance(value, ast.Tuple | ast.List):
                several = value.elts
            else:
                several = [getattr(value, "elt", value)] * len(target.elts)
            for part, one in zip(target.elts, several, strict=False):
                self._assign(part, one)

    def object(self, node):
        """Return the object that a name or a path of modules stands for, else None."""
        if isinstance(node, ast.Name):
            return None if node.id in self.values else self.scope.get(node.id)
        if isinstance(node, ast.Attribute):
            of = self.object(node.value)
            return getattr(of, node.attr, None) if isinstance(of, types.ModuleType) else None
        return None

    def is_tensor(self, node, depth=8):
        """Return True if an expression is known to be a Tensor."""
        if isinstance(node, ast.Name):
            return depth > 0 and self.is_tensor(self.values.get(node.id), depth - 1)
        if isinstance(node, ast.UnaryOp | ast.Subscript):
            inner = node.operand if isinstance(node, ast.UnaryOp) else node.value
            return self.is_tensor(inner, depth)
        if isinstance(node, ast.BinOp):
            return self.is_tensor(node.left, depth) or self.is_tensor(node.right, depth)
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Call):  # of a Primitive or a layer
            return inspect.isclass(self.object(node.func.func))
        function = self.object(node.func)
        if function is None and isinstance(node.func, ast.Attribute):
            return node.func.attr not in _HOST and self.is_tensor(node.func.value, depth)
        return function in (Tensor, Parameter) or bool(
            not inspect.isclass(function) and faces(function)
        )

    def calls(self, tree):
        """Yield (call, path of the called object or None, its faces, arguments of each part), inner
        calls first."""
        nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Call | ast.BinOp)]
        for node in sorted(nodes, key=lambda n: (n.lineno, n.col_offset), reverse=True):
            if isinstance(node, ast.BinOp):
                declared = OPS.get(_OPERATORS.get(type(node.op), ""))
                if declared is not None and self.is_tensor(node):
                    yield node, None, faces(declared.face()), [([node.left, node.right], [])]
                continue
            inner = [node.func] if isinstance(node.func, ast.Call) else []
            path = inner[0].func if inner else node.func
            value = self.object(path)
            if value is not None and inspect.isclass(value) == bool(inner):
                yield node, path, faces(value), [(n.args, n.keywords) for n in [*inner, node]]


def _bound(source, face, parts):
    """Return {parameter: Argument} of a call of a face, in order; None if they do not match."""

    def argument(node, is_keyword=False):
        return Argument(ast.get_source_segment(source, node), node, is_keyword)

    found = {}
    for parameters, (args, keywords) in zip(face.parts, parts, strict=True):
        if any(isinstance(a, ast.Starred) for a in args) or any(k.arg is None for k in keywords):
            return None
        signature = inspect.Signature(parameters, __validate_parameters__=False)
        named = {k.arg: argument(k.value, True) for k in keywords}
        try:
            bound = signature.bind(*map(argument, args), **named).arguments
        except TypeError:
            return None
        if any(signature.parameters[name].kind in _VARIADIC for name in bound):
            return None
        found |= bound
    return found


# rewriting --------------------------------------------------------------------------------------


class Entry:
    """The entry of a name: how its object is called."""

    def __init__(self, name, value):
        self.group, _, self.short = name.partition(".")
        self.is_face = self.group in GROUPS and bool(self.short)
        self.value, self.faces = value, faces(value) if self.is_face else []
        self.spelling = f"ms.{name}" if self.group == "numpy" else name
        self.is_method = self.group == "Tensor"

    def is_own(self, node, example):
        """Return True if an expression names the entry's object as the entry does."""
        if not self.is_method:
            return ast.unparse(node) in (self.spelling, f"ms.{self.spelling}")
        if not isinstance(node, ast.Attribute) or node.attr != self.short:
            return False
        of = node.value
        is_host = isinstance(of, ast.Call) and getattr(of.func, "attr", "") in _HOST
        return not is_host and not isinstance(example.object(of), types.ModuleType)

    def is_shown(self, example):
        """Return True if an example names the entry's object."""
        nodes = [n for tree in example.trees for n in ast.walk(tree)]
        paths = [n for n in nodes if isinstance(n, ast.Name | ast.Attribute)]
        return any(self.is_own(n, example) for n in paths)

    def replacements(self, example, source):
        """Yield (node, text to put there) for what stands for the entry's object in a statement:
        the object by another name, and calls of other faces, which have no text if the object
        does not take their arguments."""
        tree = ast.parse(source)
        for node in ast.walk(tree) if not self.is_method else ():
            if example.object(node) is self.value and not self.is_own(node, example):
                yield node, self.spelling
        declared = {id(d) for own in self.faces for d, _ in own.meanings}
        for node, path, others, parts in example.calls(tree):
            is_same = any(id(d) in declared for face in others for d, _ in face.meanings)
            if is_same and (path is None or not self.is_own(path, example)):
                text = self._written(example, source, others, parts)
                if text and path is not None:
                    given, new = _arguments_of(node), _arguments_of(text)
                    if new in (given, [*given, []]):  # only the path differs; keep line breaks
                        node, text = path, self.spelling + "()" * (len(new) - len(given))
                yield node, text

    def _written(self, example, source, others, parts):
        """Return the call of the entry's object with the arguments of a call; None if it does not
        take them."""
        for other in others:
            for own in self.faces:
                for declared, names in other.meanings:
                    means = next((m for d, m in own.meanings if d is declared), None)
                    if means is None:
                        continue
                    if not self.is_method and _are_alike(other, own):
                        return self.spelling + "".join(_as_given(source, part) for part in parts)
                    bound = _bound(source, other, parts)
                    if bound is not None and {*bound} <= {*names}:
                        given = {names[name]: argument for name, argument in bound.items()}
                        defaults = _defaults(declared, other, names)
                        text = self._call(example, own, means, given, defaults)
                        if text is not None:
                            return text
        return None

    def _call(self, example, own, means, given, defaults):
        if not {*given} <= {*means.values()}:
            return None
        *built, called = own.parts
        spelling = self.spelling
        if self.is_method:
            itself = given.get(means.get(called[0].name)) if called else None
            if itself is None or not example.is_tensor(itself.node):
                return None
            spelling, called = f"{_receiver(itself)}.{self.short}", called[1:]
        texts = [_arguments(part, means, given, defaults) for part in (*built, called)]
        return None if None in texts else spelling + "".join(f"({text})" for text in texts)


def _are_alike(one, other):
    """Return True if two faces have the same parameters in order, of which some are variadic."""
    first, second = ([[(p.name, p.kind) for p in part] for part in f.parts] for f in (one, other))
    return first == second and any(kind in _VARIADIC for part in first for _, kind in part)


def _as_given(source, part):
    """Return the arguments of a call as they stand in the source, within parentheses."""
    args, keywords = part
    texts = [ast.get_source_segment(source, node) for node in (*args, *keywords)]
    return f"({', '.join(texts)})"


def _arguments_of(call):
    """Return the arguments of a call, given as a node or as text, in a form to compare: the call's,
    then its constructor's."""
    node = ast.parse(call, mode="eval").body if isinstance(call, str) else call
    calls = [node, node.func] if isinstance(node.func, ast.Call) else [node]
    return [[ast.dump(a) for a in (*one.args, *one.keywords)] for one in calls]


def _receiver(argument):
    simple = ast.Name | ast.Call | ast.Attribute | ast.Subscript
    return argument.text if isinstance(argument.node, simple) else f"({argument.text})"


def _defaults(declared, face, names):
    """Return {parameter of the declaration's function: default} of a face."""
    own = {n: p.default for n, p in declared.signature.parameters.items()}
    own |= {names[p.name]: p.default for part in face.parts for p in part if p.name in names}
    return {name: value for name, value in own.items() if value is not inspect.Parameter.empty}


def _arguments(parameters, means, given, defaults):
    """Return the text of the arguments for these parameters; None if one is missing. A default of
    the other face that is not the default here is passed, except None: an absent argument."""
    texts, by_name = [], False
    for p in parameters:
        canonical = means.get(p.name)
        argument = given.get(canonical)
        if argument is None and p.kind not in _VARIADIC:
            value = defaults.get(canonical)
            if p.default is p.empty or not (None in (value, p.default) or value == p.default):
                if value is None or not _literal(value):
                    return None
                argument = Argument(_literal(value))
        if argument is None:
            by_name = True
            continue
        if p.kind in _VARIADIC:
            return None
        by_name = by_name or argument.is_keyword or p.kind is p.KEYWORD_ONLY
        texts.append(f"{p.name}=" * by_name + argument.text)
    return ", ".join(texts)


def _literal(value):
    """Return a default as source text; empty if it has none."""
    try:
        ast.literal_eval(repr(value))
    except (SyntaxError, ValueError):
        return ""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def rewritten(name, value, text):
    """Return a docstring whose examples call the object of this name, `value`, where they call
    another face of the same operation with arguments that the object takes."""
    entry = Entry(name, value)
    if ">>>" not in text or not entry.is_face:
        return text
    example = Example(value, text)
    if entry.is_shown(example):
        return text
    lines = text.split("\n")
    for part in reversed(example.parts):
        source = _rewritten_source(entry, example, part.source)
        if source != part.source:
            new = [" " * part.indent + (("... " if i else ">>> ") + line).rstrip()
                   for i, line in enumerate(source.splitlines())]  # fmt: skip
            lines[part.lineno : part.lineno + part.source.count("\n")] = new
    return "\n".join(lines)


def shows_another(name, value, text):
    """Return True if the example calls another face of this name's operation, and never its own."""
    entry = Entry(name, value)
    if ">>>" not in text or not entry.is_face:
        return False
    example = Example(value, text)
    if entry.is_shown(example):
        return False
    return any(True for part in example.parts for _ in entry.replacements(example, part.source))


def _rewritten_source(entry, example, source):
    """Return a statement with all replacements that fit into a line."""
    too_long = set()
    while True:
        for node, text in entry.replacements(example, source):
            if text is None or text in too_long:
                continue
            new = _replaced(source, node, text)
            if max(map(len, new.splitlines())) > _WIDTH:
                too_long.add(text)
                continue
            source = new
            break
        else:
            return source


def _replaced(source, node, text):
    """Return the source with a node replaced by a text, without parentheses around it."""
    lines = source.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    before, after = (part.decode() for part in (source.encode()[:start], source.encode()[end:]))
    if re.search(r"(?<![\w)\]])\($", before) and after.startswith(")"):
        before, after = before[:-1], after[1:]
    return before + text + after


__all__ = ["Entry", "Example", "Face", "faces", "rewritten", "shows_another"]
