"""Python's `if`, `while` and `for` in a function's source, written as calls of functions.

    if test: x = a                 def true(x): x = a; return (x,)
    else: x = b            ->      def false(x): x = b; return (x,)
                                   (x,) = branch(test, true, false, (lambda: x,))

What is called (`autodiff.statements`) does what Python does unless the condition is a Tensor of a
function that is being recorded. Statements whose parts do more than give variables values stay as
they are: a branch that is not taken must have done nothing.
"""

import ast
import copy
import itertools
from typing import Any

from sporax.engine.source import (
    ends,
    has,
    is_over_range,
    is_plain,
    jumps,
    leaks,
    read,
    read_by_functions,
    returns,
    settled,
    written,
)  # fmt: skip

RUNTIME = "_sporax_flow"  # the variable that holds the module `statements`
_MODULE = "sporax.autodiff.statements"


class _Conditions(ast.NodeTransformer):
    """`and`, `or` and `not` in a condition, as calls."""

    def visit_BoolOp(self, node):
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return _call(name, *[_lambda(self.visit(value)) for value in node.values])

    def visit_UnaryOp(self, node):
        return _call("not_", self.visit(node.operand)) if isinstance(node.op, ast.Not) else node

    def generic_visit(self, node):
        return node


class _Jumps:
    """`break` and `continue` at the ends of branches, as values of the variable `stop`."""

    def __init__(self, stop):
        self.stop = stop

    def block(self, body):
        """A block of a loop's body without them; nothing follows them."""
        made = []
        for node in body:
            if isinstance(node, ast.Break):
                true = ast.Assign([ast.Name(self.stop, ast.Store())], ast.Constant(True))
                made.append(_located(true, node))
            elif isinstance(node, ast.If):
                node.body, node.orelse = self.block(node.body), self.block(node.orelse)
                made.append(node)
            elif not isinstance(node, ast.Continue):
                made.append(node)
        return made or [ast.Pass()]


class _Supers(ast.NodeTransformer):
    """`super()`, which looks at the function it stands in, with its arguments."""

    def __init__(self, function):
        arguments = [*function.args.posonlyargs, *function.args.args]
        self.first = arguments[0].arg if arguments else None

    def visit_Call(self, node):
        self.generic_visit(node)
        if getattr(node.func, "id", "") == "super" and not node.args and self.first:
            node.args = [ast.Name(n, ast.Load()) for n in ("__class__", self.first)]
        return _located(node, node)


class _Choices(ast.NodeTransformer):
    """`a if test else b`, as a call."""

    count = 0

    def visit_IfExp(self, node):
        self.generic_visit(node)
        self.count += 1
        parts = [_lambda(node.body), _lambda(node.orelse), ast.Tuple([], ast.Load())]
        return _located(_call("branch", _Conditions().visit(node.test), *parts), node)


class _Places(ast.NodeTransformer):
    """`a.b = x`, `a[i] = x` and these with `+=`, as calls."""

    def visit_Assign(self, node):
        place = node.targets[0]
        if len(node.targets) > 1 or not isinstance(place, (ast.Attribute, ast.Subscript)):
            return node
        return self._set(node, place, node.value)

    def visit_AugAssign(self, node):
        place = node.target
        name = _IN_PLACE.get(node.op.__class__)
        # what is on the way to the place must not be evaluated twice
        if isinstance(place, ast.Name) or name is None or has(place, ast.Call):
            return node
        before = copy.deepcopy(place)
        before.ctx = ast.Load()
        return self._set(node, place, _call("changed", ast.Constant(name), before, node.value))

    def _set(self, node, place, value):
        if isinstance(place, ast.Attribute):
            call = _call("set_attribute", place.value, ast.Constant(place.attr), value)
        elif not has(place.slice, ast.Slice):
            call = _call("set_item", place.value, place.slice, value)
        else:
            return node
        return _located(ast.Expr(call), node)


_IN_PLACE = {ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.Div: "itruediv"}


def _call(name, *arguments):
    return ast.Call(_of_runtime(name), list(arguments), [])


def _of_runtime(name):
    return ast.Attribute(ast.Name(RUNTIME, ast.Load()), name, ast.Load())


def function_of(name, parameters, body):
    """The definition of a function."""
    made: Any = ast.FunctionDef(name, parameters, body, [], None, None)
    if "type_params" in ast.FunctionDef._fields:
        made.type_params = []
    return made


def _lambda(body):
    made: Any = ast.Lambda(parameters_of([]), body)
    made.is_made = True  # it is called at once
    return made


def parameters_of(names):
    """Plain parameters of these names."""
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def _tuple(names, context):
    return ast.Tuple([ast.Name(n, context) for n in names], context)


class Writer:
    """Writes one function anew; `count`: how many statements were converted."""

    def __init__(self):
        self.count, self.numbers = 0, itertools.count()
        self.always = set()  # variables that matter everywhere, since functions read them
        self.around = set()  # those that matter at the end of a turn of the loop, and after it

    def function(self, function):
        """Convert a function's body, in place."""
        choices = _Choices()
        body = function.body
        for transformer in _Supers(function), choices, _Places():
            body = [transformer.visit(statement) for statement in body]
        self.count += choices.count
        if not ends(body):
            body.append(_located(ast.Return(ast.Constant(None)), body[-1]))
        self.always = read_by_functions(body)
        body, _ = self.block(settled(body, returns), set())
        package, _, module = _MODULE.rpartition(".")
        runtime = ast.ImportFrom(package, [ast.alias(module, RUNTIME)], 0)
        function.body = [_located(runtime, function), *body]

    def block(self, body, live) -> Any:
        """(the statements converted, which variables matter before them), where those in `live`
        matter after them."""
        made = []
        for statement in reversed(body):
            new, live = self.statement(statement, live)
            made = new + made
        return made, live

    def statement(self, node, live):
        """As `block`, of one statement."""
        if isinstance(node, ast.If):
            return self._if(node, live)
        if isinstance(node, ast.While):
            return self._while(node, live)
        if isinstance(node, ast.For) and self._is_loop(node) and is_over_range(node):
            return self._for(node, live)
        if isinstance(node, ast.Return):
            return [node], read(node) | self.always
        if isinstance(node, (ast.Break, ast.Continue)):
            return [node], self.around
        if isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) for t in node.targets):
            return [node], (live - written(node.targets)) | read(node) | self.always
        live = live | read(node)
        if isinstance(node, ast.With):
            node.body, _ = self.block(node.body, live)
        if isinstance(node, ast.For):
            node.body = self._turn(node.body, live)
        return [node], live

    def _turn(self, body, around):
        """A loop's body, converted."""
        outer, self.around = self.around, around
        body, _ = self.block(body, around)
        self.around = outer
        return body

    def _if(self, node, live):
        both, given = [*node.body, *node.orelse], written(node)
        is_end = has(both, ast.Return)
        is_kept = jumps(both) or not is_plain(both) or leaks(both, given)
        is_kept = is_kept or (is_end and not ends([node]))
        true, before_true = self.block(node.body, live)
        false, before_false = self.block(node.orelse, live)
        before = before_true | before_false | read(node.test)
        if is_kept:
            node.body, node.orelse = true, false
            return [node], before
        names = sorted(given & (before_true | before_false))
        outs = None if is_end else sorted(given & live)
        parts = [
            self._part(kind, names, block, outs)
            for kind, block in (("true", true), ("false", false))
        ]
        test = _Conditions().visit(node.test)
        return self._made(node, "branch", [test], parts, names, outs), before

    def _is_loop(self, node):
        """Whether a loop can be converted: its turns only give variables values."""
        is_left = node.orelse or has(node.body, ast.Return)
        return not is_left and is_plain(node.body) and not leaks([node], written(node))

    def _while(self, node, live):
        if self._is_loop(node) and jumps(node.body):
            return self.block(self._without_jumps(node), live)
        around = live | read(node.test) | self.always
        for _ in range(2):  # what a turn leaves to the next
            around = around | self._twin(around).block(copy.deepcopy(node.body), around)[1]
        is_kept = not self._is_loop(node)
        node.body = self._turn(node.body, around)
        if is_kept:
            return [node], around
        names = sorted(written(node) & around)
        test = [ast.Return(_Conditions().visit(node.test))]
        parts = [
            self._part("test", names, test, None), self._part("turn", names, node.body, names)
        ]  # fmt: skip
        return self._made(node, "while_", [], parts, names, names), around

    def _twin(self, around):
        """A writer whose work is thrown away."""
        twin = Writer()
        twin.always, twin.around = self.always, around | self.always
        return twin

    def _without_jumps(self, node):
        """The statements for a `while` with `break` or `continue`: what they skip is in branches,
        and a variable says whether to stop."""
        stop = f"{RUNTIME}_stop_{next(self.numbers)}"
        before = ast.Assign([ast.Name(stop, ast.Store())], ast.Constant(False))
        going = ast.UnaryOp(ast.Not(), ast.Name(stop, ast.Load()))
        node.test = ast.BoolOp(ast.And(), [going, node.test])
        node.body = _Jumps(stop).block(settled(node.body, jumps))
        return [_located(before, node), _located(node, node)]

    def _for(self, node, live):
        """`for i in range(...)`: a `while` over the next number, the last and the step."""
        names = [f"{RUNTIME}_{part}_{next(self.numbers)}" for part in ("next", "last", "step")]
        bounds = ast.Assign([_tuple(names, ast.Store())], _call("bounds", *node.iter.args))
        now = ast.Assign([node.target], ast.Name(names[0], ast.Load()))
        step = ast.BinOp(ast.Name(names[0], ast.Load()), ast.Add(), ast.Name(names[2], ast.Load()))
        after = ast.Assign([ast.Name(names[0], ast.Store())], step)
        test = _call("is_before", *[ast.Name(n, ast.Load()) for n in names])
        loop = ast.While(test, [now, after, *node.body], [])
        return self.block([_located(one, node) for one in (bounds, loop)], live)

    def _part(self, kind, names, body, outs):
        """The function for a part of a statement; `outs`: what it returns, unless its body does."""
        name = f"{RUNTIME}_{kind}_{next(self.numbers)}"
        last = [] if outs is None else [ast.Return(_tuple(outs, ast.Load()))]
        return function_of(name, parameters_of(names), [*body, *last])

    def _made(self, node, called, arguments, parts, names, outs):
        """The statements in place of one; `outs`: the variables it gives values, None where it
        ends the function."""
        self.count += 1
        # each is read by a function, since it may have no value
        variables: list[ast.expr] = [_lambda(ast.Name(n, ast.Load())) for n in names]
        functions = [ast.Name(p.name, ast.Load()) for p in parts]
        call = _call(called, *arguments, *functions, ast.Tuple(variables, ast.Load()))
        if outs is None:
            made = [*parts, ast.Return(call)]
        else:
            made = [*parts, ast.Assign([_tuple(outs, ast.Store())], call)]
        for name in outs or ():
            is_unbound = ast.Compare(
                ast.Name(name, ast.Load()), [ast.Is()], [_of_runtime("UNBOUND")]
            )
            made.append(ast.If(is_unbound, [ast.Delete([ast.Name(name, ast.Del())])], []))
        return [_located(statement, node) for statement in made]


def _located(node, at):
    """Give what was made the place in the source of what it stands for."""
    for inner in ast.walk(node):
        if isinstance(inner, (ast.expr, ast.stmt, ast.arg)) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, at)
    return node
