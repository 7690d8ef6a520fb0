"""Rewrites `if`, `while` and `for` in a function's source as function calls.

    if test: x = a                 def true(x): x = a; return (x,)
    else: x = b            ->      def false(x): x = b; return (x,)
                                   (x,) = branch(test, true, false, (lambda: x,))

The functions (`control_flow.runtime`) behave as Python unless the condition is a traced Tensor.
Statements whose parts do more than assign variables are not converted: both branches are recorded,
so the branch that is not taken must have no side effects.
"""

import ast
import copy
from typing import Any

from sporax._src.capture.ast_transform.ast_analysis import (
    calls,
    effect,
    ends,
    has,
    is_over_range,
    jumps,
    leaks,
    read,
    read_by_functions,
    returns,
    settled,
    shared,
    written,
)  # fmt: skip
from sporax._src.capture.ast_transform.ast_conditions import (
    AssignmentRewriter,
    Expressions,
    Supers,
    call,
    function_of,
    located,
    names_tuple,
    of_runtime,
    parameters_of,
    thunk,
)
from sporax._src.capture.ast_transform.ast_loops import (
    Returns,
    for_without_jumps,
    fresh,
    iteration_limit,
    over_range,
    while_without_jumps,
)
from sporax._src.capture.ast_transform.ast_prints import PrintRewriter

_LEFT = "leaves-in-one-branch", "", 0


class FunctionRewriter:
    """Rewrites a function and its inner functions. `count`: number of converted statements and
    expressions; `class_name`: name of the enclosing class; `lines`: the source."""

    def __init__(self, class_name=None, lines=()):
        self.class_name, self.lines, self.count = class_name, lines, 0
        self.always = set()  # variables that are live everywhere: inner functions read them
        self.around = set()  # variables that are live at the end of a loop body, and after the loop
        self.shared = set()  # variables that are not local to the function

    def function(self, function):
        """Convert a function or lambda in place."""
        expressions, prints = Expressions(), PrintRewriter(call)
        if isinstance(function, ast.Lambda):
            function.body = expressions.visit(prints.visit(function.body))
            self.count += expressions.count + prints.count
            return
        body = function.body
        for transformer in (
            prints,
            Supers(function),
            expressions,
            AssignmentRewriter(self.class_name),
        ):
            body = [transformer.visit(statement) for statement in body]
        self.count += expressions.count + prints.count
        if not ends(body):
            body.append(located(ast.Return(ast.Constant(None)), body[-1]))
        whole: Any = Returns().generic_visit(ast.Module(body, []))
        body = whole.body
        self.shared = shared(function)
        self.always = read_by_functions(body) | self.shared
        function.body, _ = self.block(settled(body, returns) or body, set())

    def block(self, body, live) -> Any:
        """Return (converted statements, variables live before them), given the variables `live`
        after them."""
        statements = []
        for statement in reversed(body):
            new, live = self.statement(statement, live)
            statements = new + statements
        return statements, live

    def statement(self, node, live):
        """As `block`, for one statement."""
        if isinstance(node, ast.If):
            return self._if(node, live)
        if isinstance(node, ast.While):
            return self._while(node, live)
        if isinstance(node, ast.For) and self._is_loop(node):
            if is_over_range(node):
                return self.block(over_range(node), live)
            if jumps(node.body) and not hasattr(node, "is_done"):
                return self.block(for_without_jumps(node), live)
        if isinstance(node, ast.Return):
            return [node], read(node) | self.always
        if isinstance(node, (ast.Break, ast.Continue)):
            return [node], self.around
        if isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) for t in node.targets):
            return [node], (live - written(node.targets)) | read(node) | self.always
        live = live | read(node)
        self._inside(node, live)
        return [node], live

    def _inside(self, node, live):
        """Convert the statements inside a statement that is not converted itself."""
        if isinstance(node, ast.For):
            node.body = self._loop_body(node.body, live)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            self._definitions(node, self.class_name)
        elif not isinstance(node, ast.AsyncFunctionDef):
            for inner in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                for name in "body", "orelse", "finalbody":
                    if isinstance(block := getattr(inner, name, None), list):
                        setattr(inner, name, self.block(block, live)[0])

    def _definitions(self, node, class_name):
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                self._definitions(inner, node.name)
        elif isinstance(node, ast.FunctionDef):
            writer = FunctionRewriter(class_name, self.lines)
            writer.function(node)
            self.count += writer.count

    def _loop_body(self, body, around):
        """Return the converted body of a loop."""
        outer, self.around = self.around, around
        body, _ = self.block(body, around)
        self.around = outer
        return body

    def _obstacle(self, node, body):
        """Return why a statement with this body cannot be converted, as `python_condition` takes
        it; None if it can."""
        assigned, first_effect = written(node), effect(body)
        if first_effect is not None:
            text = self.lines[first_effect.lineno - 1].strip() if self.lines else ""
            return "does-more-than-values", text, first_effect.lineno
        if names := assigned & self.shared:
            return "gives-shared-value", min(names), 0
        if leaks(body, assigned) or (assigned & self.always and calls(body)):
            names = assigned & self.always or assigned
            return "gives-read-value", min(names), 0
        return None

    def _if(self, node, live):
        both, assigned = [*node.body, *node.orelse], written([*node.body, *node.orelse])
        is_end = has(both, ast.Return)
        obstacle = self._obstacle(ast.Module(both, []), both)
        if obstacle is None and (jumps(both) or (is_end and not ends([node]))):
            obstacle = _LEFT
        true, before_true = self.block(node.body, live)
        false, before_false = self.block(node.orelse, live)
        before = before_true | before_false | read(node.test)
        if obstacle is not None:
            node.test = located(
                call(
                    "python_condition",
                    node.test,
                    ast.Tuple([*map(ast.Constant, obstacle)], ast.Load()),
                ),
                node.test,
            )
            node.body, node.orelse = true, false
            self.count += 1
            return [node], before
        names = sorted(assigned & (before_true | before_false))
        outs = None if is_end else sorted(assigned & live)
        definitions = [
            self._definition(kind, names, block, outs)
            for kind, block in (("true", true), ("false", false))
        ]
        return self._replacement(node, "branch", [node.test], definitions, names, outs), before

    def _is_loop(self, node):
        """Return True if a loop can be converted: its body only assigns variables."""
        if node.orelse or has(node.body, ast.Return) or self._obstacle(node, node.body) is not None:
            return False
        return not jumps(node.body) or settled(node.body, jumps) is not None

    def _while(self, node, live):
        is_kept = not self._is_loop(node)
        if not is_kept and (jumps(node.body) or has(node.test, ast.NamedExpr)):
            node.iteration_limit = iteration_limit(node)
            return self.block(while_without_jumps(node), live)
        limit = None if is_kept else iteration_limit(node)
        around = live | read(node.test) | self.always
        # variables live at the start of an iteration; a second pass would not add any
        around = around | self._scratch_rewriter(around).block(copy.deepcopy(node.body), around)[1]
        obstacle = self._obstacle(node, node.body) or _LEFT
        node.body = self._loop_body(node.body, around)
        if is_kept:
            node.test = located(
                call(
                    "python_condition",
                    node.test,
                    ast.Tuple([*map(ast.Constant, obstacle)], ast.Load()),
                ),
                node.test,
            )
            self.count += 1
            return [node], around
        names = sorted(written(node) & around)
        definitions = [
            self._definition("test", names, [ast.Return(node.test)], None),
            self._definition("body", names, node.body, names),
            self._definition("most", names, [ast.Return(limit or ast.Constant(None))], None),
        ]
        return self._replacement(node, "while_", [], definitions, names, names), around

    def _scratch_rewriter(self, around):
        """Return a rewriter for liveness alone; its output is discarded."""
        writer = FunctionRewriter(self.class_name, self.lines)
        writer.always, writer.around = self.always, around | self.always
        writer.shared = self.shared
        return writer

    def _definition(self, kind, names, body, outs):
        """Return the function definition for a block of a statement; `outs`: the variables that it
        returns, None if its body returns."""
        last = [] if outs is None else [ast.Return(call("all_bound", *_readers(outs)))]
        return function_of(fresh(kind), parameters_of(names), [*body, *last])

    def _replacement(self, node, called, arguments, definitions, names, outs):
        """Return the statements that replace `node`; `outs`: the variables that it assigns, None if
        it ends the function."""
        self.count += 1
        functions = [ast.Name(p.name, ast.Load()) for p in definitions]
        made_call = call(called, *arguments, *functions, ast.Tuple(_readers(names), ast.Load()))
        if outs is None:
            statements = [*definitions, ast.Return(made_call)]
        else:
            statements = [*definitions, ast.Assign([names_tuple(outs, ast.Store())], made_call)]
        for name in outs or ():
            is_unbound = ast.Compare(
                ast.Name(name, ast.Load()), [ast.Is()], [of_runtime("UNBOUND")]
            )
            statements.append(ast.If(is_unbound, [ast.Delete([ast.Name(name, ast.Del())])], []))
        return [located(statement, node) for statement in statements]


def _readers(names) -> list[ast.expr]:
    """Return thunks that read variables, which may be unbound."""
    return [thunk(ast.Name(n, ast.Load())) for n in names]
