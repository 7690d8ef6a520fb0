"""Small files of PyTorch, and the numbers in them."""

import io

import torch
from torch import nn

DTYPES = (
    "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool",
    "complex64", "complex128",
)  # fmt: skip
LATER = ("uint16", "uint32", "uint64")  # old files have no storages of these


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, 4)
        self.line = nn.Conv1d(4, 6, 3, padding=1)
        self.norm = nn.BatchNorm1d(6)
        self.layers = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.LayerNorm(5))
        self.recurrent = nn.LSTM(5, 3, batch_first=True)

    def forward(self, ids):
        x = self.norm(self.line(self.table(ids).transpose(1, 2))).transpose(1, 2)
        return self.recurrent(self.layers(x))[0]


def contents(later):
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    tensors = {name: torch.arange(6).reshape(2, 3).to(getattr(torch, name)) for name in DTYPES}
    tensors |= {n: torch.arange(3).to(getattr(torch, n)) for n in (LATER if later else ())}
    views = {
        "base": base, "turned": base.T, "part": base[1:3, 2:5], "every other": base[::2, 1::2],
        "expanded": base[0, :1].expand(3, 4), "scalar": base[3, 5], "empty": base[:0],
    }  # fmt: skip
    parameter = nn.Parameter(torch.tensor([1.5]))
    return {
        "model": tensors | views | {"parameter": parameter},
        "optimizer": {"state": {0: {"step": torch.tensor(3.0)}}, "groups": [{"betas": (0.9, 0.5)}]},
        "epoch": 3, "name": "näher", "size": base.shape, "none": None, "dtype": torch.float16,
    }  # fmt: skip


def torch_files(pt):
    """Return torch.pth (tensors of each dtype, views, shared storages, nested containers),
    torch_legacy.pth (the same as PyTorch before 1.6 wrote it), torch_net.pth (a network's weights)
    and the numbers in them, the network's input and output."""
    arrays = {}
    for name, later in (("torch", True), ("torch_legacy", False)):
        yield f"{name}.pth", _saved(contents(later), _use_new_zipfile_serialization=later)
    for name, x in contents(True)["model"].items():
        x = x.detach()
        arrays[name] = (x.float() if x.dtype == torch.bfloat16 else x).numpy()
    torch.manual_seed(0)
    net = Net()
    ids = torch.randint(7, (3, 5))
    net(ids)  # updates the norm's means
    arrays["ids"], arrays["y"] = ids.numpy(), net.eval()(ids).detach().numpy()
    yield "torch_net.pth", _saved({"state_dict": net.state_dict(), "epoch": 1})
    yield "torch_files.npz", arrays


def _saved(content, **options):
    file = io.BytesIO()
    torch.save(content, file, **options)
    return file.getvalue()
