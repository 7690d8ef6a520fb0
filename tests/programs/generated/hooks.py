"""Hooks of Cells and Tensors: when they are called, with what, and what they change."""

NETS = {
    "one": "net = nn.Dense(2, 2, <w>, 'zeros')",
    "two": "net = nn.SequentialCell(nn.Dense(2, 3, <w>, 'zeros'), nn.Tanh(), nn.Dense(3, 1, 'ones', 'zeros'))",
    "custom": """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = nn.Dense(2, 2, <w>, 'zeros')

    def construct(self, x):
        return self.inner(x) * 2

net = Net()""",
    "activation": "net = nn.Sigmoid()",
}  # fmt: skip
SEEN = "seen = []\nx = Tensor(<x>, ms.float32)\n"
GRADIENT = "\nslope = ms.grad(lambda x: (net(x) * net(x)).sum())(x)"
ONCE = "\nslope = ms.grad(lambda x: (net(x) * 3).sum())(x)"
HOOKS = {
    "forward pre": ("net.register_forward_pre_hook(lambda cell, inputs: seen.append(('pre', inputs)))", "\nout = net(x)", "out, seen"),
    "forward pre that changes": ("net.register_forward_pre_hook(lambda cell, inputs: (inputs[0] * 2,))", "\nout = net(x)", "out"),
    "forward": ("net.register_forward_hook(lambda cell, inputs, output: seen.append((inputs, output)))", "\nout = net(x)", "out, seen"),
    "forward that changes": ("net.register_forward_hook(lambda cell, inputs, output: output + 1)", "\nout = net(x)", "out"),
    "forward in a gradient": ("net.register_forward_hook(lambda cell, inputs, output: output * 3)", ONCE, "slope"),
    "two forward": ("net.register_forward_hook(lambda *a: seen.append(1))\nnet.register_forward_hook(lambda *a: seen.append(2))", "\nout = net(x)", "out, seen"),
    "removed": ("handle = net.register_forward_hook(lambda cell, inputs, output: output + 1)\nhandle.remove()", "\nout = net(x)", "out"),
    "backward": ("net.register_backward_hook(lambda cell, g_in, g_out: seen.append((g_in, g_out)))", ONCE, "slope, seen"),
    "backward that changes": ("net.register_backward_hook(lambda cell, g_in, g_out: (g_in[0] * 10,))", ONCE, "slope"),
    "backward pre": ("net.register_backward_pre_hook(lambda cell, g_out: seen.append(g_out))", ONCE, "slope, seen"),
    "backward pre that changes": ("net.register_backward_pre_hook(lambda cell, g_out: (g_out[0] * 10,))", ONCE, "slope"),
    "backward removed": ("net.register_backward_hook(lambda *a: seen.append(1)).remove()", ONCE, "slope, seen"),
    "called twice": ("net.register_backward_hook(lambda *a: seen.append(1))", GRADIENT, "slope, seen"),
    "all": ("net.register_forward_pre_hook(lambda *a: seen.append('a'))\nnet.register_forward_hook(lambda *a: seen.append('b'))\nnet.register_backward_pre_hook(lambda *a: seen.append('c'))\nnet.register_backward_hook(lambda *a: seen.append('d'))", ONCE, "slope, seen"),
    "forward with kwargs": ("net.register_forward_hook(lambda cell, a, kw, out: seen.append(kw), with_kwargs=True)", "\nout = net(x)", "out, seen"),
    "forward that is no function": ("net.register_forward_hook(3)", "", "0"),
    "backward that is no function": ("net.register_backward_hook('a')", "", "0"),
    "forward, parts in order": ("for name, cell in net.cells_and_names():\n    cell.register_forward_hook(lambda *a, name=name: seen.append(name))", "\nout = net(x)", "seen"),
    "backward, parts in order": ("for name, cell in net.cells_and_names():\n    cell.register_backward_hook(lambda *a, name=name: seen.append(name))", ONCE, "seen"),
    "the Cell": ("net.register_forward_hook(lambda cell, a, out: seen.append(cell is net))", "\nout = net(x)", "seen"),
}  # fmt: skip
TENSORS = {
    "of an input": "y = x * 1\n    y.register_hook(lambda g: seen.append(g))\n    return (y * y).sum()",
    "that changes": "y = x * 2\n    y.register_hook(lambda g: g * 10)\n    return (y * y).sum()",
    "two": "y = x * 2\n    y.register_hook(lambda g: g + 1)\n    y.register_hook(lambda g: g * 2)\n    return y.sum()",
    "removed": "y = x * 2\n    h = y.register_hook(lambda g: g * 10)\n    h.remove()\n    return y.sum()",
    "of x itself": "x.register_hook(lambda g: g * 5)\n    return (x * x).sum()",
    "in a chain": "a = x.exp()\n    a.register_hook(lambda g: seen.append(('a', g)))\n    b = a * a\n    b.register_hook(lambda g: seen.append(('b', g)))\n    return b.sum()",
    "used twice": "y = x * 2\n    y.register_hook(lambda g: seen.append(g))\n    return (y + y * y).sum()",
    "HookBackward": "y = ops.HookBackward(lambda g: seen.append(g))(x * 2)\n    return y.sum()",
    "HookBackward that changes": "y = ops.HookBackward(lambda g: (g[0] * 4,))(x * 2)\n    return y.sum()",
    "not a function": "x.register_hook(3)\n    return x.sum()",
    "of another dtype": "y = x * 2\n    y.register_hook(lambda g: g.astype(ms.float16))\n    return y.sum()",
}  # fmt: skip


def checks(draw):
    for name, net in NETS.items():
        for what, (registered, called, shown) in HOOKS.items():
            ready = net.replace("<w>", "Tensor(np.arange(6, dtype=np.float32).reshape(3, 2) / 5)")
            if name != "two":
                ready = net.replace("<w>", "Tensor([[0.5, -1.0], [2.0, 0.25]])")
            ready += "\n" + SEEN.replace("<x>", str(draw.numbers("float32", (1, 2), -1.0, 1.0)))
            yield f"{what} of {name}", f"{ready}{registered}{called}\n{shown}"
    for what, body in TENSORS.items():
        for shape in [(2,), (2, 2), ()]:
            ready = SEEN.replace("<x>", str(draw.numbers("float32", shape, -1.0, 1.0)))
            source = f"{ready}\ndef f(x):\n    {body}\n\nslope = ms.grad(f)(x)\nslope, seen"
            yield f"Tensor hook {what} {shape}", source
    for kind in ["Parameter"]:
        for shape in [(2,), (2, 2)]:
            w = draw.numbers("float32", shape)
            yield (
                f"hook of a {kind} {shape}",
                f"w = Parameter(Tensor({w}, ms.float32), name='w')\nseen = []\n"
                "w.register_hook(lambda g: seen.append(g))\n"
                "slopes = ms.grad(lambda: (w * w).sum(), None, [w])()\nslopes, seen",
            )
