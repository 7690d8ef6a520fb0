"""The tables of nodes that `SymbolTree.print_node_tabulate` and `dump` print."""

import inspect

from sporax._src.mindspore.rewrite.scoped_value import NodeType
from sporax.ops.primitive import Primitive

_HEADERS = ("node type", "name", "codes", "arg providers", "target users")


def tabulated(body):
    """Return the table of the nodes of a Body, under its title."""
    rows: list[tuple[str, ...]] = [_HEADERS]
    for node in body.nodes:
        providers = [[i, (n.get_name(), k)] for i, (n, k) in node.get_arg_providers().items()]
        users = [
            [k, [(n.get_name(), i) for n, i in pairs]]
            for k, pairs in node.get_target_users().items()
        ]
        cells = (node.get_node_type(), node.get_name(), node.get_source_code(), providers, users)
        rows.append(tuple(map(str, cells)))
    split = [[cell.split("\n") for cell in row] for row in rows]
    widths = [max(len(line) for row in split for line in row[i]) for i in range(len(_HEADERS))]
    lines = [line for row in split for line in _lines(row, widths)]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(["", f"[{body.title}]", *lines, ""])


def _lines(row, widths):
    """Yield the lines of text of a row whose cells may have several."""
    for i in range(max(map(len, row))):
        cells = [cell[i] if i < len(cell) else "" for cell in row]
        padded = [f"{text:<{width}}" for text, width in zip(cells, widths, strict=True)]
        yield "  ".join(padded).rstrip()


def dumped(tree):
    """Return the nodes of `construct` as text, with the attributes of the called objects."""
    file = inspect.getfile(type(tree.get_origin_network()))
    known = {node.get_targets()[0].value: f"%{node.get_name()}" for node in tree.get_inputs()}
    lines = ["#SymbolTree entry    : @construct ", f"#Inputs num     : {len(known)}"]
    lines += [*known.values(), "", "Symbol Tree @construct { "]
    nodes = [node for node in tree.nodes() if node.get_node_type() != NodeType.Input]
    for number, node in enumerate(nodes):
        if node.get_node_type() == NodeType.Output:
            values = ", ".join(known.get(v.value, str(v)) for v in node.get_args())
            lines += [f"  Return({values}) ", "      : (null) ", f"      # In file {file}"]
            continue
        kind = node.get_instance_type()
        values = ", ".join(known.get(v.value, str(v)) for _, v in node.arguments())
        attributes = ", ".join(f"{k}: {v}" for k, v in node.get_attributes().items())
        targets = node.get_targets() or [None]
        known.update((target.value, f"%{number}") for target in targets if target is not None)
        lines += [
            f"  %{number}({targets[0]}) = {kind.__name__}({values})"
            f"{{instance name: {node.get_name()}}} attributes {{{attributes}}}",
            "      : (null) -> (null)",
            f"      # In file {_file_of(node.get_instance())}",
            f"      # In file {file}",
        ]
    return "\n".join([*lines, "}", ""])


def _file_of(instance):
    """Return the file that defines what a Cell, a Primitive or a function computes."""
    kind = type(instance)
    is_operation = isinstance(instance, Primitive)
    function = kind.__call__ if is_operation else getattr(kind, "construct", instance)
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code and code.co_filename
