"""Cells: names, containers, state, printed text, checkpoints."""

from tests.programs.generated import lines

NETS = {
    "Dense": "nn.Dense(2, 3, 'ones', 'zeros')",
    "sequence": "nn.SequentialCell(nn.Dense(2, 3, 'ones', 'zeros'), nn.ReLU(), nn.Dense(3, 1, 'ones', 'zeros'))",
    "convolutions": "nn.SequentialCell(OrderedDict([('conv', nn.Conv2d(1, 2, 3, weight_init='ones')), ('bn', nn.BatchNorm2d(2)), ('act', nn.ReLU())]))",
    "list": "nn.CellList([nn.Dense(2, 2, 'ones', 'zeros'), nn.LayerNorm((2,))])",
    "custom": "Net()",
    "nested": "nn.SequentialCell(Net(), Net())",
}  # fmt: skip
CLASS = """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 2, 'ones', 'zeros')
        self.scale = Parameter(Tensor([1.0, 2.0]), name="scale")
        self.blocks = nn.CellList([nn.ReLU(), nn.Dense(2, 2, 'ones', has_bias=False)])
        self.k = 3

    def construct(self, x):
        x = self.fc(x) * self.scale
        for block in self.blocks:
            x = block(x)
        return x * self.k

"""
SHOWN = """
    str(net)
    repr(net)
    [p.name for p in net.get_parameters()]
    [(p.name, p.requires_grad) for p in net.trainable_params()]
    [p.name for p in net.untrainable_params()]
    list(net.parameters_dict())
    [(name, p.name) for name, p in net.parameters_and_names()]
    [(name, type(cell).__name__) for name, cell in net.cells_and_names()]
    [name for name, cell in net.name_cells().items()]
    [type(cell).__name__ for cell in net.cells()]
    len(list(net.get_parameters()))
    sum(p.size for p in net.get_parameters())
    [p.shape for p in net.get_parameters(expand=False)]
    net.training
    net.set_train().training
    [cell.training for _, cell in net.set_train(True).cells_and_names()]
    net.cls_name
    net.param_prefix
    type(net).__name__
    list(net.state_dict()) if hasattr(net, "state_dict") else "none"
    [p.name for p in net.parameters_broadcast_dict().values()] if hasattr(net, "parameters_broadcast_dict") else 0
    net.set_grad().requires_grad
    [p.requires_grad for p in net.set_train(False).get_parameters()]
    net.phase
    isinstance(net, nn.Cell), callable(net)
    [n for n, _ in net.parameters_and_names(expand=False)]
    [n for n, _ in net.parameters_and_names(name_prefix="a")]
    [n for n, _ in net.cells_and_names(name_prefix="a")]
    net.update_parameters_name("top.") or [p.name for p in net.get_parameters()]
    net.no_such
    len(copy.deepcopy(list(net.get_parameters())))
    [p.name for p in copy.deepcopy(net).get_parameters()]
    net.apply(lambda cell: None) is net
    [str(p.dtype) for p in net.to_float(ms.float16).get_parameters()]
    [type(c).__name__ for c in net.children()] if hasattr(net, "children") else "none"
    list(net.buffers()) if hasattr(net, "buffers") else "none"
    [name for name, _ in net.named_parameters()] if hasattr(net, "named_parameters") else "none"
    net.get_sub_cell("0").__class__.__name__ if hasattr(net, "get_sub_cell") else "none"
    hash(net) == hash(net)
    net.bprop_debug
    net.set_jit_config if False else 0
    net.check_names() if hasattr(net, "check_names") else 0
    net.get_flags()
    net.set_param_ps if False else 0
    net.parameters_dict().keys() == dict(net.parameters_and_names()).keys()
"""
KEPT = r"""
    ms.save_checkpoint(net, path)\nms.load_checkpoint(path)
    ms.save_checkpoint(net, path)\nms.load_param_into_net(net, ms.load_checkpoint(path))
    ms.save_checkpoint(net, path)\n[(k, type(v).__name__, v.name) for k, v in ms.load_checkpoint(path).items()]
    ms.save_checkpoint([{"name": "a", "data": Tensor([1.0])}, {"name": "b", "data": Tensor([2])}], path)\nms.load_checkpoint(path)
    ms.save_checkpoint(net, path, append_dict={"epoch": 3, "lr": 0.1, "done": True})\n{k: v.asnumpy() if hasattr(v, "asnumpy") else v for k, v in ms.load_checkpoint(path).items() if k in ("epoch", "lr", "done")}
    ms.save_checkpoint(net, path)\nms.load_checkpoint(path, net)\n[p.value() for p in net.get_parameters()]
    ms.save_checkpoint({"w": Tensor([1.0])}, path)\nms.load_checkpoint(path)
    ms.save_checkpoint(net, path)\nlist(ms.load_checkpoint(path, choice_func=lambda name: "weight" in name))
    ms.save_checkpoint(net, path, choice_func=lambda name: "bias" not in name)\nlist(ms.load_checkpoint(path))
    ms.load_param_into_net(net, {})
    ms.load_param_into_net(net, {"nothing": Parameter(Tensor([1.0]), name="nothing")})
    ms.load_param_into_net(net, {"weight": Tensor([1.0])})
    ms.load_param_into_net(net, {"weight": Parameter(Tensor([1.0]), name="weight")})
    ms.load_param_into_net(3, {})
    ms.save_checkpoint(3, path)
    ms.save_checkpoint(net, 3)
    ms.load_checkpoint(path + "none.ckpt")
    ms.load_checkpoint(3)
    ms.save_checkpoint(net, path)\nos.path.exists(path)
    ms.save_checkpoint(net, path[:-5], integrated_save=False)\nlen(ms.load_checkpoint(path))
    ms.save_checkpoint(net, path[:-5], format="safetensors")\nsorted(ms.load_checkpoint(path[:-5] + ".safetensors", format="safetensors"))
    ms.save_checkpoint(net, path)\nms.load_checkpoint(path, filter_prefix="w")
    ms.save_checkpoint(nn.Adam(net.trainable_params()), path)\nlist(ms.load_checkpoint(path))
    ms.save_checkpoint(nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)), path)\nlist(ms.load_checkpoint(path))
    ms.load_param_into_net(net, {p.name: Parameter(p * 0 + 7, name=p.name) for p in net.get_parameters()})\n[p.value() for p in net.get_parameters()]
    ms.load_param_into_net(net, {p.name: Parameter(p.astype(ms.float16), name=p.name) for p in net.get_parameters()})
"""
CHANGED = r"""
    net.fc.weight.set_data(Tensor([[5.0, 6.0], [7.0, 8.0]]))\nnet(x)
    net.scale.requires_grad = False\n[p.name for p in net.trainable_params()]
    net.fc = nn.Dense(2, 2, "zeros", "ones")\nnet(x), [p.name for p in net.get_parameters()]
    net.k = 1\nnet(x)
    net.more = nn.Dense(2, 1)\n[p.name for p in net.get_parameters()]
    net.extra = Parameter(Tensor([1.0]), name="mine")\n[p.name for p in net.get_parameters()]
    net.extra = Parameter(Tensor([1.0]))\n[p.name for p in net.get_parameters()]
    net.buffer = Tensor([1.0])\n[p.name for p in net.get_parameters()], net.buffer
    del net.scale\n[p.name for p in net.get_parameters()]
    net.blocks.append(nn.ReLU())\nlen(net.blocks), net(x)
    net.blocks[0] = nn.Sigmoid()\nnet(x)
    net.blocks.insert(0, nn.Tanh())\n[name for name, _ in net.cells_and_names()]
    del net.blocks[0]\nlen(net.blocks), [p.name for p in net.get_parameters()]
    net.insert_child_to_cell("child", nn.Dense(1, 1))\n[p.name for p in net.get_parameters()]
    net.insert_param_to_cell("w", Parameter(Tensor([1.0])))\n[p.name for p in net.get_parameters()]
    net.scale = Tensor([3.0, 4.0])\nnet(x)
    net.scale = 3\nnet(x)
    net.set_train()\n[c.training for c in net.cells()]
    net(x, x)
    net()
    net(x=x)
    net(3)
    net(None)
    net("a")
    net(x.astype(ms.float16))
    net.construct(x)
    net(x) is net(x)
    net.extend_repr()
    net.fc.in_channels, net.fc.out_channels, net.fc.has_bias
    net.fc.weight.name, net.fc.bias.shape
    net.blocks[1].weight.name
    [b.__class__.__name__ for b in net.blocks]
    net.blocks[:1].__class__.__name__
    net.blocks[5]
    net.blocks + 1
    nn.SequentialCell(nn.ReLU())[0].__class__.__name__
    len(nn.SequentialCell(nn.ReLU(), nn.Tanh()))
    nn.SequentialCell(nn.ReLU()).append(nn.Tanh())(x)
    nn.SequentialCell(3)
    nn.CellList([3])
    nn.CellList([nn.ReLU()])(x)
    nn.CellDict({"a": nn.ReLU(), "b": nn.Dense(2, 2)}).keys()
    [p.name for p in nn.CellDict({"a": nn.ReLU(), "b": nn.Dense(2, 2)}).get_parameters()]
    nn.Cell()(x)
    nn.Cell().construct
    nn.Dense(2, 2)(Tensor([[1.0, 2.0, 3.0]]))
    nn.Dense(0, 2)
    nn.Dense(2, 2, weight_init=Tensor([1.0]))
    nn.Dense(2, "a")
    nn.Dense(2)
    nn.Dense(2, 2, activation="nothing")
    nn.Conv2d(1, 2, 3, pad_mode="pads")
    nn.Conv2d(1, 2, 3, padding=1)
    nn.Conv2d(3, 4, 3, group=2)
    nn.Dropout(p=1.5)
    nn.Dropout(0.5, p=0.5)
    nn.BatchNorm2d(0)
    nn.LayerNorm(3)
    nn.Embedding(2, 2)(Tensor([0.5]))
    nn.MaxPool2d(2, 2)(x)
    nn.LSTM(2, 3)(x)
    nn.Flatten()(x).shape
    nn.GroupNorm(3, 4)
    nn.PReLU(w=Tensor([1.0, 2.0]))
    nn.Softmax(axis="a")
    nn.LeakyReLU("a")
    [n for n, p in nn.LSTM(2, 3).parameters_and_names()]
    [n for n, p in nn.GRU(2, 3, num_layers=2, bidirectional=True).parameters_and_names()]
    [n for n, p in nn.BatchNorm2d(3).parameters_and_names()]
    [n for n, p in nn.TransformerEncoderLayer(4, 2).parameters_and_names()]
    [n for n, p in nn.MultiheadAttention(4, 2).parameters_and_names()]
    str(nn.LSTM(2, 3))
    str(nn.TransformerEncoderLayer(4, 2))
    str(nn.Embedding(3, 4))
    str(nn.MaxPool2d(2))
    str(nn.Dropout(p=0.3))
    str(nn.LayerNorm((4,)))
    str(nn.GroupNorm(2, 4))
    str(nn.Conv1d(2, 3, 3))
    str(nn.Conv2dTranspose(2, 3, 3))
    str(nn.CellDict({"a": nn.ReLU()}))
    str(nn.Flatten())
    str(nn.CrossEntropyLoss())
    str(nn.Softmax())
    str(nn.AvgPool2d(3, 2))
    str(nn.LeakyReLU())
    str(nn.PReLU())
    str(nn.Cell())
"""
ATTRIBUTES = "path = os.path.join(tempfile.mkdtemp(), 'net.ckpt')\n"


def checks(draw):
    for name, built in NETS.items():
        for shown in lines(SHOWN):
            yield f"{shown} of {name}", f"{CLASS}net = {built}\n{shown}"
    for shown in lines(KEPT):
        shown = shown.replace("\\n", "\n")
        for name in ["Dense", "custom", "convolutions"]:
            title = shown.replace("\n", "; ")
            yield f"{title} of {name}", f"{CLASS}net = {NETS[name]}\n{ATTRIBUTES}{shown}"
    for shown in lines(CHANGED):
        shown = shown.replace("\\n", "\n")
        yield shown.replace("\n", "; "), f"{CLASS}net = Net()\nx = Tensor([[1.0, -2.0]])\n{shown}"
