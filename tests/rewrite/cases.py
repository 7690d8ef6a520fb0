"""Networks and edits of their SymbolTrees, for MindSpore (`tools.record rewrite`) and for
sporax. A row: network, Python statements with `tree`, `ops`, `nn`, `ms` and `x` (a ScopedValue with
that name)."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.rewrite import (
    Node,
    NodeType,
    PatternEngine,
    PatternNode,
    Replacement,
    ScopedValue,
    SymbolTree,
    ValueType,
    VarNode,
)

from tests.rewrite.networks import NETWORKS

CASES = [
    ("LeNet5", "pass"),
    ("LeNet5", "tree.insert(tree.after('conv1'), cell(nn.Tanh(), ['x'], [x], name='new_tanh'))"),
    ("LeNet5", "tree.insert(tree.before('conv1'), cell(ops.Neg(), ['x'], [x], name='new'))"),
    ("LeNet5", "tree.insert(tree.after('fc1'), cell(nn.ReLU(), ['y'], [value('fc1_var')]))"),
    ("LeNet5", "tree.insert(tree.after('conv1'), Node.create_call_function(ops.abs, ['x'], [x]))"),
    ("LeNet5", "tree.erase(tree.get_node('relu_1'))"),
    ("LeNet5", "tree.replace(tree.get_node('relu'), [cell(nn.Tanh(), ['x'], [x], name='new')])"),
    ("LeNet5", "tree.replace(tree.get_node('relu_2'), [cell(nn.Tanh(), ['t'], [value('fc1_var')]), "
     "cell(nn.Sigmoid(), ['x'], [value('t')], name='sigmoid')])"),
    ("LeNet5", "tree.get_node('fc3').set_arg(0, 'fc2_var'); "
     "tree.get_node('fc2').set_arg(0, value('fc1_var'))"),
    ("LeNet5", "tree.get_node('fc2').set_arg_by_node(0, tree.get_node('fc1'), 0)"),
    ("LeNet5", "tree.get_node('fc2').set_arg_by_node(0, tree.get_node('relu_2'))"),
    ("LeNet5", "tree.insert(tree.before(tree.get_node('return')), cell(nn.Tanh(), ['x'], [x]))"),
    ("LeNet5", "tree.insert(tree.after('input_x'), Node.create_input('y', constant(0)))"),
    ("LeNet5", "tree.flatten_static_if_control_flow()"),
    ("Block", "pass"),
    ("Block", "tree.insert(tree.after('binop_pow'), cell(ops.Add(), ['x'], [x, constant(1.5)]))"),
    ("Block", "tree.insert(tree.after('dense'), cell(fill(nn.Dense(4, 4)), ['dense_var'], "
     "[value('dense_var')], name='dense'))"),
    ("Nested", "pass"),
    ("Nested", "sub = tree.get_node('block1').get_sub_tree(); "
     "sub.replace(sub.get_node('relu'), [cell(nn.Tanh(), ['relu_var'], [x], name='tanh')])"),
    ("Nested", "tree.erase(tree.get_node('ReLU'))"),
    ("Nested", "tree.erase(tree.get_node('block2'))"),
    ("Nested", "tree.insert(tree.after(tree.get_node('Dense')), "
     "cell(nn.Tanh(), ['seq_var'], [x], name='new'))"),
    ("Statements", "pass"),
    ("Statements", "tree.insert(tree.after(tree.get_node('binop_sub')), "
     "Node.create_call_function(ops.abs, ['sub_var'], [value('sub_var')]))"),
    ("Keywords", "pass"),
    ("Keywords", "tree.get_node('dense').set_arg(0, 'second')"),
    ("LeNet5", "PatternEngine([nn.ReLU], To(nn.Tanh)).apply(tree)"),
    ("LeNet5", "PatternEngine([nn.MaxPool2d, nn.Conv2d, nn.ReLU], "
     "To(lambda: fill(nn.Conv2d(2, 3, 6, 2, pad_mode='valid')))).apply(tree)"),
    ("LeNet5", "PatternEngine([nn.ReLU, nn.Dense, nn.ReLU], "
     "To(lambda: fill(nn.Dense(5, 4)), nn.Tanh)).apply(tree)"),
    ("LeNet5", "PatternEngine([nn.ReLU, nn.Flatten], To(nn.Flatten, nn.Flatten)).apply(tree)"),
    ("LeNet5", "PatternEngine([nn.ReLU], To()).apply(tree)"),
    ("LeNet5", "PatternEngine(PatternNode('a', nn.ReLU, [VarNode()]), To(nn.Tanh)).apply(tree)"),
    ("Diamond", "PatternEngine(PatternNode('a', ops.Add, [PatternNode('b', nn.ReLU, "
     "[VarNode()]), VarNode()]), To(ops.Neg)).apply(tree)"),
    ("LeNet5", "PatternEngine(PatternNode('a', nn.ReLU, [VarNode(), VarNode()]), "
     "To(nn.Tanh)).apply(tree)"),
    ("Block", "PatternEngine([nn.Dense, nn.ReLU], To(nn.Tanh)).apply(tree)"),
    ("Nested", "PatternEngine([nn.ReLU], To(nn.Tanh)).apply(tree)"),
    ("Nested", "PatternEngine([nn.Dense, nn.ReLU], To(nn.Tanh)).apply(tree)"),
    ("Statements", "PatternEngine([ops.Add], To(ops.Mul, arguments=2)).apply(tree)"),
    ("Diamond", "pass"),
    ("Diamond", "PatternEngine(PatternNode('add', ops.Add, [PatternNode('l', nn.ReLU), "
     "PatternNode('r', nn.Tanh)]), To(nn.ReLU)).apply(tree)"),
    ("Diamond", "PatternEngine(PatternNode('add', ops.Add, [PatternNode('l', nn.ReLU, "
     "[PatternNode('d', nn.Dense)]), PatternNode('r', nn.Tanh, [PatternNode('d', nn.Dense)])]), "
     "To(nn.ReLU)).apply(tree)"),
    ("Diamond", "PatternEngine([nn.Dense, nn.ReLU], To(nn.Tanh)).apply(tree)"),
]  # fmt: skip
ERRORS = [
    ("Block", "tree.nodes(1).__next__()"),
    ("Block", "tree.get_node(1)"),
    ("Block", "tree.before(1)"),
    ("Block", "tree.insert(1, cell(nn.ReLU(), ['x'], [x]))"),
    ("Block", "tree.insert(tree.after('dense'), 1)"),
    ("Block", "tree.insert(tree.after('dense'), tree.get_node('relu'))"),
    ("Block", "tree.insert(tree.before('input_x'), cell(nn.ReLU(), ['x'], [x]))"),
    ("Block", "tree.get_node('dense').set_arg(1, 'x')"),
    ("Block", "tree.get_node('dense').set_arg('x', 0)"),
    ("Block", "tree.get_node('dense').set_arg_by_node(0, 'dense')"),
    ("Block", "tree.get_node('dense').get_sub_tree()"),
    ("Block", "tree.replace('dense', [])"),
    ("Block", "tree.replace(tree.get_node('dense'), ['relu'])"),
    ("Block", "tree.unique_name(1)"),
    ("Block", "PatternEngine([int], To(nn.ReLU))"),
    ("Block", "PatternEngine([nn.ReLU], nn.ReLU)"),
    ("Block", "PatternEngine(nn.ReLU, To(nn.ReLU))"),
    ("Block", "PatternEngine([nn.ReLU], To(nn.ReLU)).apply(1)"),
    ("Block", "PatternNode(1)"),
    ("Block", "PatternNode('a', nn.ReLU, [1])"),
    ("Block", "PatternNode('a').add_input(1)"),
    ("Block", "PatternNode('a').match(1)"),
    ("Block", "PatternNode.create_pattern_from_list((nn.ReLU,))"),
    ("Block", "Replacement()"),
    ("Block", "SymbolTree.create(1)"),
    ("Block", "cell(1, ['x'], [x])"),
    ("Block", "cell(nn.ReLU(), 'x', [1])"),
    ("Block", "cell(nn.ReLU(), ['x', 'y'], [x], {'z': x})"),
    ("Block", "ScopedValue.create_naming_value(1)"),
    ("Block", "ScopedValue.create_name_values(['a'], ['b', 'c'])"),
    ("Nested", "sub = tree.get_node('block1').get_sub_tree(); "
     "tree.insert(sub.after('relu'), cell(nn.ReLU(), ['x'], [x]))"),
]  # fmt: skip
QUERIES = [
    ("LeNet5", "[n.get_name() for n in tree.nodes()]"),
    ("Nested", "[n.get_name() for n in tree.nodes(all_nodes=True)]"),
    ("Nested", "tree.all_nodes(subtree_nodes=False)"),
    ("LeNet5", "[tree.unique_name(), tree.unique_name(), tree.unique_name('x')]"),
    ("LeNet5", "tree.get_inputs()"),
    ("LeNet5", "tree.get_node('absent')"),
    ("LeNet5", "tree.get_node('return').get_users()"),
    ("LeNet5", "tree.get_node('conv1').get_arg_providers()"),
    ("LeNet5", "tree.get_node('conv1').get_target_users()"),
    ("LeNet5", "tree.get_node('conv1').get_target_users(0)"),
    ("LeNet5", "tree.get_node('conv1').get_attribute('kernel_size')"),
    ("LeNet5", "n = tree.get_node('conv1'); n.set_attribute('mine', 3); n.get_attribute('mine')"),
    ("LeNet5", "sorted(set(tree.get_node('flatten').get_attributes()) & {'cls', 'start_dim'})"),
    ("LeNet5", "tree.get_node('conv1').get_instance_type().__name__"),
    ("LeNet5", "tree.get_node('conv1').get_handler().get_instance() is "
     "tree.get_origin_network().conv1"),
    ("Nested", "tree.get_node('block1').get_instance_type().__name__"),
    ("Nested", "[Node(n).get_name() for n in tree.get_node('block1').get_handler()"
     ".symbol_tree.nodes()]"),
    ("Nested", "whole = ms.rewrite.common.namespace._subtree_black_list; "
     "whole.append(tree.get_node('block1').get_instance_type()); "
     "new = SymbolTree.create(tree.get_origin_network()); whole.pop(); "
     "new.get_node('block1').get_node_type()"),
    ("LeNet5", "n = tree.get_node('conv2').get_handler(); "
     "n.set_arg_providers(0, (tree.get_node('input_x').get_handler(), 0)); "
     "[i.get_name() for i in n.get_inputs()]"),
    ("LeNet5", "SymbolTree(tree.get_node('fc1').get_handler().get_belong_symbol_tree())"
     ".get_node('fc1').get_name()"),
    ("Nested", "type(tree.get_node('block1').get_sub_tree()).__name__"),
    ("Statements", "tree.get_node('twice').get_instance_type().__name__"),
    ("Statements", "tree.get_node('add').get_instance_type().__name__"),
    ("LeNet5", "type(tree.get_node('conv1').get_symbol_tree()).__name__"),
    ("LeNet5", "cell(nn.ReLU(), ['x'], [x]).get_symbol_tree()"),
    ("LeNet5", "cell(nn.ReLU(), ['x', 'y'], [], {'input': x}).get_kwargs()"),
    ("LeNet5", "cell(nn.ReLU(), ['x', 'y'], [x]).get_targets()"),
    ("LeNet5", "cell(nn.ReLU(), ['x'], [x]).get_node_type()"),
    ("LeNet5", "cell(ops.Neg(), ['x'], [x]).get_node_type()"),
    ("LeNet5", "cell(tree.get_origin_network(), ['x'], [x], is_sub_net=True).get_node_type()"),
    ("LeNet5", "Node.create_call_function(ops.abs, ['x'], [x]).get_node_type()"),
    ("LeNet5", "[tree.get_saved_file_name(), tree.set_saved_file_name('a'), "
     "tree.get_saved_file_name()]"),
    ("LeNet5", "tree.get_node('conv1') == tree.get_node('conv1')"),
    ("LeNet5", "tree.get_node('conv1') == tree.get_node('conv2')"),
    ("Nested", "tree.set_output(0, 'x').get_args()"),
    ("LeNet5", "tree.flatten_nodes(tree.get_node('if_node')); "
     "[n.get_name() for n in tree.nodes()]"),
    ("LeNet5", "tree.erase('fc3').get_name()"),
    ("LeNet5", "tree.replace(tree.get_node('relu'), [cell(nn.Tanh(), ['x'], [x], name='a'), "
     "cell(nn.Tanh(), ['x'], [x], name='a')]).get_name()"),
    ("LeNet5", "list(NodeType)"),
    ("LeNet5", "list(ValueType)"),
    ("LeNet5", "[constant(1), constant('a'), constant(None), value('a', 'b'), value('c')]"),
    ("LeNet5", "[constant(v).type for v in (1, 'a', (1,), [1], x)]"),
    ("LeNet5", "[constant(2) == constant(2), constant(2) == constant(3), x == value('x', 'self')]"),
    ("LeNet5", "ScopedValue.create_name_values(names=['z', 'z_1'], scopes=['self', 'self'])"),
    ("LeNet5", "ScopedValue.create_name_values(('z', 'y'))"),
    ("LeNet5", "PatternEngine([nn.Flatten], To(nn.Tanh)).apply(tree)"),
    ("LeNet5", "PatternEngine([nn.Sigmoid], To(nn.Tanh)).apply(tree)"),
    ("LeNet5", "[PatternEngine([nn.Dense, nn.ReLU], To()).pattern().type().__name__, "
     "PatternEngine([nn.Dense, nn.ReLU], To()).pattern().get_inputs()[0].type().__name__]"),
    ("LeNet5", "[PatternNode('a', nn.ReLU).match(n) for n in tree.nodes()]"),
    ("LeNet5", "[VarNode().name(), PatternNode('a').name(), PatternNode('a').get_inputs()]"),
    ("LeNet5", "t = To(nn.Tanh); PatternEngine([nn.Conv2d, nn.ReLU], t).apply(tree); t.seen"),
    ("LeNet5", "t = To(); PatternEngine(PatternNode('a', nn.ReLU, [PatternNode('b', nn.Dense)]), "
     "t).apply(tree); t.seen"),
]  # fmt: skip


class To(Replacement):
    """Replaces a match by calls of new Cells in sequence, which read the inputs of its first node
    and assign the output of its last one; keeps the names of the matched nodes."""

    def __init__(self, *kinds, arguments=1):
        self.kinds, self.arguments, self.seen = kinds, arguments, []

    def build(self, pattern, is_chain_pattern, matched):
        calls = [n for n in matched.values() if n.get_node_type() != NodeType.Input]
        first, last = calls[0], matched[pattern.name()]
        self.seen.append((is_chain_pattern, [node.get_name() for node in matched.values()]))
        target, args, nodes = last.get_targets(), first.get_args()[: self.arguments], []
        for kind in self.kinds:
            nodes.append(Node.create_call_cell(kind(), target, args))
            args = target
        return nodes


def fill(network):
    """Set deterministic weights."""
    for i, p in enumerate(network.get_parameters()):
        size = np.arange(p.size) + i
        p.set_data(ms.Tensor((np.sin(size) / 2).reshape(p.shape).astype(np.float32)))
    return network


def edited(name, edit):
    """Return the SymbolTree of a network after an edit."""
    tree = SymbolTree.create(fill(NETWORKS[name][0]()))
    names = dict(
        tree=tree, ops=ops, nn=nn, ms=ms, Node=Node, ScopedValue=ScopedValue, NodeType=NodeType,
        ValueType=ValueType, SymbolTree=SymbolTree, x=ScopedValue.create_naming_value("x"),
        value=ScopedValue.create_naming_value, constant=ScopedValue.create_variable_value,
        cell=Node.create_call_cell, fill=fill, PatternEngine=PatternEngine,
        PatternNode=PatternNode, VarNode=VarNode, Replacement=Replacement, To=To,
    )  # fmt: skip
    exec(edit, names)
    tree.found = names.get("found")
    return tree


def text(value):
    """Return a name or a constant as text; for other values the name of the type, as MindSpore
    prints."""
    plain = value.type in (ValueType.NamingValue, ValueType.ConstantValue)
    return str(value) if plain else value.type.name


def description(node):
    """Return the properties of a node."""
    return [
        node.get_name(), node.get_node_type().name, str(node.get_targets()),
        [text(value) for value in node.get_args()],
        {name: text(value) for name, value in node.get_kwargs().items()},
        [n.get_name() for n in node.get_inputs()], sorted(n.get_name() for n in node.get_users()),
    ]  # fmt: skip


def construct_of(code, name):
    """Return the lines of `construct` of a class in generated source."""
    lines = code.split(f"class {name}")[1].split("def construct")[1].split("\nclass ")[0]
    return [line.strip() for line in lines.split("\n")[1:] if line.strip() not in ("", "#")]


def answers(name, edit):
    """Return the nodes and code of an edited SymbolTree, and the result and parameters of its
    network."""
    tree = edited(name, edit)
    network = tree.get_network()
    shape = NETWORKS[name][1]
    x = ms.Tensor(np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32))
    return {
        "nodes": [description(node) for node in tree.nodes()],
        "construct": construct_of(tree.get_code(), f"{name}Opt"),
        "result": np.round(network(x).asnumpy().ravel().astype(float), 5).tolist()[:40],
        "parameters": sorted(p.name for p in network.get_parameters()),
    }


def error_of(name, edit):
    """Return the type of the error that an edit raises."""
    try:
        edited(name, edit)
    except (TypeError, ValueError, RuntimeError) as error:
        return type(error).__name__
    return "none"


def shown(value):
    """Convert a result to text, with nodes as their names."""
    if isinstance(value, dict):
        return {str(key): shown(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown(item) for item in value]
    return value.get_name() if isinstance(value, Node) else str(value)


def queried(name, expression):
    """Return the value of an expression, the last of several statements, as text."""
    *statements, expression = expression.split("; ")
    tree = edited(name, "; ".join([*statements, f"found = {expression}"]))
    return shown(tree.found)


QUESTIONS = [(answers, CASES), (error_of, ERRORS), (queried, QUERIES)]
