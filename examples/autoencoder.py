"""Generate handwritten digits with a variational autoencoder.

The encoder turns an image into a normal distribution over two numbers, the decoder turns a sample
of it into an image. Both learn to reconstruct 1,797 digits of 8 x 8 while the distributions stay
near the standard normal distribution (their Kullback-Leibler divergence is added to the loss).
Afterwards any two numbers decode to a digit.

    sporax run examples/autoencoder.py --out outputs

60 epochs take about ten seconds on two cores. It prints the loss (nats per image) and writes
`autoencoder.png`: digits beside their reconstructions, digits decoded from a grid of latent values,
and the latent position of each class.
"""

import argparse
import time
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

DATA = Path(__file__).resolve().parents[1] / "sporax" / "data" / "digits.npz"


class Autoencoder(nn.Cell):
    """Images (n, 64) in [0, 1]; each is encoded as `latent` numbers, two by default."""

    def __init__(self, width=128, latent=2):
        super().__init__()
        self.latent = latent
        self.encoder = nn.SequentialCell(
            nn.Dense(64, width, activation="relu"),
            nn.Dense(width, width, activation="relu"),
            nn.Dense(width, 2 * latent),
        )
        self.decoder = nn.SequentialCell(
            nn.Dense(latent, width, activation="relu"),
            nn.Dense(width, width, activation="relu"),
            nn.Dense(width, 64),
        )

    def encode(self, images):
        """Mean and logarithm of the variance, (n, latent) each."""
        both = self.encoder(images)
        return both[:, : self.latent], both[:, self.latent :]

    def construct(self, images, noise):
        """The loss: the reconstruction error plus the divergence of the distributions."""
        mean, log_variance = self.encode(images)
        logits = self.decoder(mean + ops.exp(log_variance / 2) * noise)
        # cross-entropy of each pixel with its logit: log(1 + e^z) - x z
        rebuilt = (ops.softplus(logits) - images * logits).sum(-1)
        divergence = (ops.exp(log_variance) + mean * mean - 1 - log_variance).sum(-1) / 2
        return (rebuilt + divergence).mean()


def load():
    with np.load(DATA) as file:
        return file["images"].reshape(-1, 64).astype(np.float32) / 16, file["labels"]


def train(net, images, epochs, size, rng):
    """Returns the mean loss of each epoch."""
    steps = len(images) // size
    schedule = nn.cosine_decay_lr(1e-5, 3e-3, epochs * steps, 1, epochs * steps)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=schedule)
    gradient = ms.value_and_grad(net, None, optimizer.parameters)
    history = []
    for epoch in range(1, epochs + 1):
        order, losses = rng.permutation(len(images)), []
        for start in range(0, steps * size, size):
            noise = rng.standard_normal((size, net.latent)).astype(np.float32)
            batch = images[order[start : start + size]]
            loss, gradients = gradient(Tensor(batch), Tensor(noise))
            optimizer(gradients)
            losses.append(loss)
        history.append(float(ops.stack(losses).mean()))
        if epoch % max(1, epochs // 10) == 0:
            print(f"epoch {epoch:3d}/{epochs}  loss {history[-1]:.3f}")
    return history


def decode(net, latent):
    return ops.sigmoid(net.decoder(Tensor(latent.astype(np.float32)))).asnumpy()


def tile(images, rows):
    """(n, 64) images side by side, `rows` rows of them."""
    framed = np.pad(images.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))  # not to touch each other
    return np.block([list(row) for row in np.split(framed, rows)])


def draw(net, images, labels, picture):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    mean = net.encode(Tensor(images))[0].asnumpy()
    some = np.arange(40)
    pairs = np.stack([np.split(images[some], 5), np.split(decode(net, mean[some]), 5)], 1)
    x, y = np.meshgrid(np.linspace(-2, 2, 12), np.linspace(2, -2, 12))
    drawn = decode(net, np.stack([x.ravel(), y.ravel()], -1))
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 5), layout="constrained")
    left.imshow(tile(pairs.reshape(-1, 64), 10), cmap="gray_r")
    left.set_title("Digits, and below each row its reconstruction")
    middle.imshow(tile(drawn, 12), cmap="gray_r", extent=(-2.2, 2.2, -2.2, 2.2))
    middle.set_title("What the decoder draws of each two numbers")
    left.set(xticks=[], yticks=[])
    points = right.scatter(*mean.T, c=labels, cmap="tab10", vmin=-0.5, vmax=9.5, s=6)
    right.set(title="Where the encoder puts the digits", xlim=(-3.5, 3.5), ylim=(-3.5, 3.5))
    right.set_aspect("equal")
    figure.colorbar(points, ax=right, ticks=range(10), shrink=0.8)
    figure.savefig(picture, dpi=120)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--out", type=Path, default=Path("outputs"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    ms.set_seed(0)
    images, labels = load()
    net = Autoencoder()
    start = time.perf_counter()
    history = train(net, images, options.epochs, options.batch, np.random.default_rng(0))
    seconds = time.perf_counter() - start
    draw(net, images, labels, options.out / "autoencoder.png")
    print(
        f"{options.epochs} epochs in {seconds:.1f} s; picture: "
        f"{options.out / 'autoencoder.png'}; loss {history[-1]:.3f}"
    )


if __name__ == "__main__":
    main()
