"""The rows of `sporax bench`, sizes of their networks, and inputs: the same for every library."""

from types import SimpleNamespace

import numpy as np

CHAIN = SimpleNamespace(operations=50, elements=16)
MLP = SimpleNamespace(sizes=(784, 512, 512, 10), input=(64, 784), classes=10)
LENET = SimpleNamespace(input=(64, 1, 32, 32), classes=10)
LSTM = SimpleNamespace(input=(32, 128, 256), hidden=256, classes=10)
GPT = SimpleNamespace(words=1000, width=256, heads=8, layers=4, batch=8, length=128)

# name of a row: its cases
ROWS = {
    "small operation": tuple(f"small operation, forward{s}" for s in ("", " + backward")),
    **{name: (f"{name} step",) for name in ("MLP", "LeNet-5", "LSTM", "GPT")},
}
OPERATIONS = dict.fromkeys(ROWS["small operation"], CHAIN.operations)  # in one call
SAMPLES = {  # examples in one call
    "MLP step": MLP.input[0], "LeNet-5 step": LENET.input[0], "LSTM step": LSTM.input[0],
    "GPT step": GPT.batch,
}  # fmt: skip


def numbers(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def classes(shape):
    """Return labels for a batch of `shape.input`."""
    return (np.arange(shape.input[0]) % shape.classes).astype(np.int32)


def text(batch=GPT.batch):
    """Return tokens and the next tokens, each `(batch, length)`."""
    words = np.random.default_rng(0).integers(0, GPT.words, (batch, GPT.length + 1))
    return words[:, :-1].astype(np.int32), words[:, 1:].astype(np.int32)


def causal_mask():
    """Return the `(length, length)` attention mask: -1e9 at later tokens, else 0."""
    return np.triu(np.full((GPT.length, GPT.length), -1e9, np.float32), 1)
