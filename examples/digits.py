"""Train a small convolutional network on 1,797 handwritten digits.

The script imports MindSpore and NumPy only: it runs on MindSpore, and unmodified on sporax:

    sporax run examples/digits.py --out outputs

It writes `digits.ckpt` (the trained network) and `digits.npz` (history and predictions) into the
output folder.
"""

import argparse
import sys
import time
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

DATA = Path(__file__).resolve().parents[1] / "sporax" / "data" / "digits.npz"


class DigitNet(nn.Cell):
    """Two convolutions with batch normalisation, one pooling, two dense layers."""

    def __init__(self, classes=10):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 16, 3, pad_mode="same"),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, pad_mode="same"),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Flatten(),
        )
        self.hidden = nn.Dense(32 * 4 * 4, 64, activation="relu")
        self.drop = nn.Dropout(p=0.2)
        self.classify = nn.Dense(64, classes)

    def construct(self, x):
        return self.classify(self.drop(self.hidden(self.features(x))))


def load(held_out=5):
    """Images in [0, 1] as (n, 1, 8, 8) and labels; every fifth is held out."""
    with np.load(DATA) as file:
        images = file["images"][:, None].astype(np.float32) / 16
        labels = file["labels"].astype(np.int32)
    order = np.random.default_rng(0).permutation(len(labels))
    test, train = order[::held_out], np.delete(order, np.s_[::held_out])
    return (images[train], labels[train]), (images[test], labels[test])


def batches(images, labels, size, rng):
    """One epoch of shuffled batches, all of the same size."""
    order = rng.permutation(len(labels))
    for start in range(0, len(order) - size + 1, size):
        chosen = order[start : start + size]
        yield Tensor(images[chosen]), Tensor(labels[chosen])


def show_progress(done, total, text):
    width = 30
    filled = width * done // total
    sys.stdout.write(f"\r[{'#' * filled}{'.' * (width - filled)}] {text}")
    sys.stdout.flush()


def predict(net, images):
    """Class probabilities."""
    net.set_train(False)
    return ops.softmax(net(Tensor(images)), axis=-1).asnumpy()


def train(net, data, held_out, epochs, size):
    """Train; returns the loss of each step and the held-out accuracy of each epoch."""
    (images, labels), (test_images, test_labels) = data, held_out
    steps = len(labels) // size
    rate = nn.cosine_decay_lr(1e-4, 3e-3, epochs * steps, steps, epochs)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=rate)
    loss_fn = nn.CrossEntropyLoss()

    def forward(x, y):
        return loss_fn(net(x), y)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)

    def train_step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    rng = np.random.default_rng(1)
    losses, accuracies = [], []
    for epoch in range(epochs):
        net.set_train()
        for x, y in batches(images, labels, size, rng):
            losses.append(train_step(x, y))
        accuracy = float((predict(net, test_images).argmax(1) == test_labels).mean())
        accuracies.append(accuracy)
        loss = float(losses[-1].asnumpy())
        show_progress(
            epoch + 1, epochs,
            f"epoch {epoch + 1:2d}/{epochs}  loss {loss:.4f}  held-out accuracy {accuracy:.2%}",
        )  # fmt: skip
    print()
    return np.array([float(loss.asnumpy()) for loss in losses]), np.array(accuracies)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("outputs"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    ms.set_seed(options.seed)
    data, held_out = load()
    net = DigitNet()
    print(net)
    start = time.perf_counter()
    losses, accuracies = train(net, data, held_out, options.epochs, options.batch)
    seconds = time.perf_counter() - start

    checkpoint = str(options.out / "digits.ckpt")
    ms.save_checkpoint(net, checkpoint)
    again = DigitNet()
    ms.load_param_into_net(again, ms.load_checkpoint(checkpoint))
    probabilities = predict(again, held_out[0])
    correct = probabilities.argmax(1) == held_out[1]
    np.savez(
        options.out / "digits.npz",
        losses=losses, accuracies=accuracies,
        images=held_out[0][:, 0], labels=held_out[1], probabilities=probabilities,
    )  # fmt: skip
    print(
        f"{len(losses)} steps in {seconds:.1f} s; {correct.sum()} of {len(correct)} held-out "
        f"digits right ({correct.mean():.2%}), from the checkpoint {checkpoint}"
    )


if __name__ == "__main__":
    main()
