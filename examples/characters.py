"""Train a character-level transformer on the project's documents, then generate text.

The network reads 64 characters and predicts the next one at each position: token and position
embeddings, two blocks of causal self-attention and a dense layer each, as in GPT.

    sporax run examples/characters.py --out outputs

1,000 steps take about 80 seconds on two cores. It prints the loss (nats per character; an untrained
network has the logarithm of the number of characters, about 4.5) and writes `characters.txt`,
generated text: words of the documents in a new order.
"""

import argparse
import math
import time
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer

DOCUMENTS = Path(__file__).resolve().parents[1] / "docs"
CONTEXT = 64


class Attention(nn.Cell):
    """Causal self-attention with several heads: (batch, position, width) to the same."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.scale = heads, 1 / math.sqrt(width // heads)
        self.project = nn.Dense(width, 3 * width)
        self.merge = nn.Dense(width, width)
        later = np.triu(np.ones((CONTEXT, CONTEXT), np.float32), 1)
        self.mask = Tensor(-1e9 * later)

    def construct(self, x):
        batch, length, width = x.shape
        parts = self.project(x).reshape(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)  # (batch, head, position, width) each
        scores = ops.matmul(query, key.swapaxes(-1, -2)) * self.scale + self.mask
        mixed = ops.matmul(ops.softmax(scores, axis=-1), value)
        return self.merge(mixed.swapaxes(1, 2).reshape(batch, length, width))


class Block(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.before_attention, self.before_dense = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.attention = Attention(width, heads)
        self.dense = nn.SequentialCell(
            nn.Dense(width, 4 * width), nn.GELU(), nn.Dense(4 * width, width)
        )

    def construct(self, x):
        x = x + self.attention(self.before_attention(x))
        return x + self.dense(self.before_dense(x))


class Writer(nn.Cell):
    """Characters, (batch, CONTEXT) integers, to the logits of the next one at each position."""

    def __init__(self, characters, width=64, heads=4, blocks=2):
        super().__init__()
        self.embed = nn.Embedding(characters, width, embedding_table=Normal(0.5))
        self.positions = Parameter(initializer(Normal(0.5), (CONTEXT, width)), name="positions")
        self.blocks = nn.SequentialCell(*[Block(width, heads) for _ in range(blocks)])
        self.classify = nn.SequentialCell(nn.LayerNorm((width,)), nn.Dense(width, characters))

    def construct(self, tokens):
        return self.classify(self.blocks(self.embed(tokens) + self.positions))


def load():
    """The documents' prose, without tables, as integers, and the characters that they represent."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(DOCUMENTS.glob("*.md"))]
    lines = [line for line in "\n".join(texts).splitlines() if not line.startswith("|")]
    text = "".join(character for character in "\n".join(lines) if character.isascii())
    characters = sorted(set(text))
    index = {character: i for i, character in enumerate(characters)}
    return np.array([index[character] for character in text], np.int32), characters


def train(net, tokens, steps, size, rng):
    """Returns the loss of each step, on `size` random pieces of the documents."""
    schedule = nn.cosine_decay_lr(1e-4, 3e-3, steps, 1, steps)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=schedule)

    def forward(pieces):
        logits = net(pieces[:, :-1])
        return ops.cross_entropy(logits.reshape(-1, logits.shape[-1]), pieces[:, 1:].reshape(-1))

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)
    losses = []
    for step in range(1, steps + 1):
        starts = rng.integers(0, len(tokens) - CONTEXT, (size, 1))
        loss, gradients = gradient(Tensor(tokens[starts + np.arange(CONTEXT + 1)]))
        optimizer(gradients)
        losses.append(loss)
        if step % max(1, steps // 10) == 0:
            print(f"step {step:5d}  loss {float(loss):.4f}")
    return np.array([float(loss) for loss in losses])


def write(net, start, characters, length, rng, temperature=0.7):
    """Continue `start`, one sampled character at a time."""
    net.set_train(False)
    tokens = [characters.index(character) for character in start]
    for _ in range(length):
        seen = tokens[-CONTEXT:]
        padded = seen + [0] * (CONTEXT - len(seen))  # later positions are masked
        logits = net(Tensor([padded], ms.int32))[0, len(seen) - 1].asnumpy()
        odds = np.exp((logits - logits.max()).astype(np.float64) / temperature)
        tokens.append(int(rng.choice(len(odds), p=odds / odds.sum())))
    return "".join(characters[token] for token in tokens)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--length", type=int, default=600, help="characters to write")
    parser.add_argument("--start", default="# sporax\n\nAn operation")
    parser.add_argument("--out", type=Path, default=Path("outputs"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    ms.set_seed(0)
    rng = np.random.default_rng(0)
    tokens, characters = load()
    net = Writer(len(characters))
    print(f"{len(tokens)} characters, {len(characters)} different ones")
    start = time.perf_counter()
    losses = train(net, tokens, options.steps, options.batch, rng)
    seconds = time.perf_counter() - start
    text = write(net, options.start, characters, options.length, rng)
    (options.out / "characters.txt").write_text(text, encoding="utf-8")
    print(f"\n{text}\n")
    print(f"{options.steps} steps in {seconds:.1f} s; loss {losses[-20:].mean():.4f}")


if __name__ == "__main__":
    main()
