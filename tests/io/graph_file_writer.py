"""`python -m tests.io.graph_file_writer FILE`: writes the graph of the files in `graph_files`, one
for each JAX version, and one in version 2 of the format."""

import sys

import numpy as np

import sporax as ms
from sporax import Tensor, nn, ops

WEIGHT = (np.arange(12).reshape(4, 3) / 8 - 0.5).astype(np.float32)
BIAS = (np.arange(4) / 4).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 4, weight_init=Tensor(WEIGHT), bias_init=Tensor(BIAS))

    def construct(self, x, scale):
        y = ops.tanh(self.dense(x))
        return {"rows": ops.softmax(y * scale, -1), "sum": y.sum(0), "sizes": x.shape[1]}


def results(x):
    """Return the results of the graph for a scale of 2, by NumPy in float64."""
    y = np.tanh(x.astype(np.float64) @ WEIGHT.T + BIAS)
    powers = np.exp(2 * y)
    return {"rows": powers / powers.sum(-1, keepdims=True), "sum": y.sum(0), "sizes": 3}


if __name__ == "__main__":
    rows = Tensor(shape=[None, 3], dtype=ms.float32)
    ms.export(Net(), rows, 2.0, file_name=sys.argv[1], file_format="MINDIR")
