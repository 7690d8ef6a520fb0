"""Plot the results of `digits.py`: loss, accuracy and some predictions, as `digits.png`."""

import sys
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def smooth(values, width=25):
    """Running mean over at most `width` preceding steps."""
    sums = np.cumsum(np.insert(values, 0, 0.0))
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - width, 0)
    return (sums[ends] - sums[starts]) / (ends - starts)


def show(axis, image, label, probabilities):
    guess = int(probabilities.argmax())
    axis.imshow(image, cmap="gray_r")
    axis.set_xticks([])
    axis.set_yticks([])
    right = guess == label
    axis.set_title(
        f"{guess}  ({probabilities[guess]:.0%})" + ("" if right else f", is {label}"),
        fontsize=9, color="black" if right else "crimson",
    )  # fmt: skip


def draw(file, picture):
    result = np.load(file)
    labels, probabilities = result["labels"], result["probabilities"]
    wrong = np.flatnonzero(probabilities.argmax(1) != labels)
    right = np.flatnonzero(probabilities.argmax(1) == labels)
    chosen = [*wrong[:8], *right[: 24 - len(wrong[:8])]]

    figure = plt.figure(figsize=(11, 7), layout="constrained")
    curves, digits = figure.subfigures(2, 1, height_ratios=[1, 1.3])
    left, other = curves.subplots(1, 2)
    left.plot(result["losses"], color="lightsteelblue", linewidth=0.8, label="each step")
    left.plot(smooth(result["losses"]), color="navy", label="mean of 25")
    left.set(title="Training loss", xlabel="step", ylabel="cross-entropy", yscale="log")
    left.legend()
    accuracies = 100 * result["accuracies"]
    other.plot(np.arange(1, len(accuracies) + 1), accuracies, marker="o", color="seagreen")
    other.xaxis.get_major_locator().set_params(integer=True)
    other.axhline(97, color="grey", linestyle=":", label="97 %")
    other.set(title="Held-out accuracy", xlabel="epoch", ylabel="per cent")
    other.legend()
    digits.suptitle(
        f"{len(right)} of {len(labels)} held-out digits right; mistakes first, in red", fontsize=11
    )
    for axis, i in zip(digits.subplots(3, 8).flat, chosen, strict=True):
        show(axis, result["images"][i], int(labels[i]), probabilities[i])
    figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "outputs")
    draw(folder / "digits.npz", folder / "digits.png")
    print(f"picture: {folder / 'digits.png'}")
