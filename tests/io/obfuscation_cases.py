"""Networks and configurations to obfuscate, for MindSpore (`tools.record obfuscation`) and
sporax."""

import os

import mindspore as ms
import numpy as np
from mindspore import nn


class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense1, self.dense2, self.relu = nn.Dense(3, 4), nn.Dense(4, 2), nn.ReLU()

    def construct(self, x):
        return self.dense2(self.relu(self.dense1(x)))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.backbone, self.head = Part(), nn.Dense(2, 2)

    def construct(self, x):
        return self.head(self.backbone(x))


class Blocks(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.CellList([Net(), Net(), Net()])

    def construct(self, x):
        return sum(block(x) for block in self.blocks)


def config():
    """A configuration with a permutation, a product and a number."""
    rows = [
        {"name": "obf_metadata_p", "shape": [4], "type": "rearrange", "save_metadata": True},
        {"name": "obf_metadata_m", "shape": [4, 4], "type": "rearrange", "save_metadata": True},
        {"name": "obf_metadata_${layer}", "shape": [1], "type": "random", "save_metadata": True,
         "metadata_op": "invert", "layers": [1, 2]},
    ]  # fmt: skip
    product = {"name": "matmul", "input_x": "obf_metadata_m", "input_y": "weight",
               "transpose_a": True}  # fmt: skip
    multiply = {"name": "mul", "input_x": "weight", "input_y": "obf_metadata_${layer}"}
    return {
        "obf_metadata_config": rows,
        "weight_obf_config": [
            {"target": "backbone/dense1/weight", "weight_obf_ops": [product]},
            {"target": "backbone/dense1/bias",
             "weight_obf_ops": [
                 {"name": "permuate", "input_x": "obf_metadata_p", "input_y": "weight"}]},
            {"target": "backbone/dense${layer}/weight", "weight_obf_ops": [multiply],
             "layers": [2]},
        ],
        "network_obf_config": [
            {"module": "/backbone", "target": "dense2", "layers": [2], "insert_ops": [multiply]}
        ],
    }  # fmt: skip


CASES = {
    "modules": {"target_modules": ["backbone", "dense1|dense2"]},
    "scale": {"target_modules": ["backbone", "dense2"], "obfuscate_scale": 5},
    "config": {"obf_config": config()},
}


def fill(network):
    for i, p in enumerate(network.get_parameters()):
        p.set_data(ms.Tensor(np.cos(np.arange(p.size) + i).reshape(p.shape).astype(np.float32)))
    return network


def obfuscated(name, folder):
    """Return ({file: {parameter name: its elements}}, the returned metadata)."""
    network, source, target = fill(Net()), f"{folder}/plain", f"{folder}/obfuscated"
    os.makedirs(f"{source}/rank_0")
    os.makedirs(target)
    ms.save_checkpoint(network, f"{source}/a.ckpt")
    ms.save_checkpoint(network, f"{source}/rank_0/b.ckpt")
    np.random.seed(3)
    metadata = ms.obfuscate_ckpt(network, source, saved_path=target, **CASES[name])
    found = {}
    for path in ("a_obf.ckpt", "rank_0/b_obf.ckpt"):
        loaded = ms.load_checkpoint(f"{target}/{path}")
        found[path] = {k: p.asnumpy().astype(float).round(5).tolist() for k, p in loaded.items()}
    metadata = {k: [str(v.dtype), v.astype(float).tolist()] for k, v in metadata.items()}
    return {"files": found, "metadata": metadata}
