"""The tables of README.md and README.zh.md, from the same numbers as `docs/performance.md`."""

import re

from bench.rows import ACCURACY, CHANGING, INFERENCE, TRAINING

# case -> its name in English and Chinese; ordered by ratio in the tables
STEPS = {
    "small operation, forward": ("small operation, forward, us", "小算子，前向，微秒"),
    "small operation, forward + backward": (
        "small operation, forward and backward, us", "小算子，前向加反向，微秒",
    ),
    "elementwise, 10 million": (
        "`tanh(x) * sigmoid(x) + x / 2`, 10 million",
        "`tanh(x) * sigmoid(x) + x / 2`，一千万个元素",
    ),
    "recommender step": ("recommender", "推荐网络"),
    "GPT step": ("GPT, 4 layers of 256, 8 x 128 tokens", "GPT，4 层，宽 256，8 × 128 个词元"),
    "ViT-tiny step": ("ViT-tiny", "ViT-tiny"),
    "U-Net block step": ("U-Net block", "U-Net 块"),
    "LeNet-5 step": ("LeNet-5, batch 64", "LeNet-5，批大小 64"),
    "ResNet-18 step": ("ResNet-18, 32 x 32, batch 32", "ResNet-18，32 × 32，批大小 32"),
    "MLP step": ("MLP 784-512-512-10, batch 64", "MLP 784-512-512-10，批大小 64"),
    "GRU step": ("GRU, 3 layers, both directions", "GRU，3 层双向"),
    "MobileNetV2 step": ("MobileNetV2, 96 x 96, batch 32", "MobileNetV2，96 × 96，批大小 32"),
    "DenseNet step": ("DenseNet, 32 x 32, batch 32", "DenseNet，32 × 32，批大小 32"),
    "LSTM step": ("LSTM, 128 steps of 256", "LSTM，128 步，宽 256"),
    "PINN step": (
        "network of a differential equation, second derivatives", "求解微分方程的网络，二阶导数",
    ),
    "molecular dynamics step": ("molecular dynamics, 1,000 atoms", "分子动力学，1,000 个原子"),
    "16 Parameters step": ("4 small blocks, 16 Parameters", "4 个小模块，16 个 Parameter"),
    "128 Parameters step": ("32 small blocks, 128 Parameters", "32 个小模块，128 个 Parameter"),
    "1024 Parameters step": (
        "256 small blocks, 1,024 Parameters", "256 个小模块，1,024 个 Parameter",
    ),
    "neural operator step": ("Fourier neural operator", "傅里叶神经算子"),
    "graph network step": ("graph network, 8,000 edges", "图网络，8,000 条边"),
    "policy gradient step": (
        "reinforcement learning, 32 actions and a step", "强化学习，32 个动作加一步训练",
    ),
    "per-sample gradients": ("gradients for each of 64 samples", "64 个样本各自的梯度"),
}  # fmt: skip
INFER = {
    f"{name}, batch 1": (f"inference of one example, {name}", f"单样本推理，{name}")
    for row in INFERENCE for name in (case.removesuffix(", batch 1") for case in row.cases)
}  # fmt: skip
ACCURATE = ("digits to 97 %, from a cold start, s", "手写数字训练到 97 %，从零开始，秒")
FIRST = {
    "MobileNetV2 step": ("first step, MobileNetV2, s", "第一步，MobileNetV2，秒"),
    "ResNet-18 step": ("first step, ResNet-18, s", "第一步，ResNet-18，秒"),
}
LENGTHS = (
    "encoder, 100 steps of 100 lengths, cold, s",
    "编码器，100 步、每步长度都不同，从零开始，秒",
)
HEADS = {
    "README.md": ("ms", "sporax", "PyTorch 2.13", "plain JAX", "sporax / best"),
    "README.zh.md": ("毫秒", "sporax", "PyTorch 2.13", "直接用 JAX", "sporax / 最快者"),
}
_MARKS = re.compile(r"(<!-- measured -->\n).*?(<!-- /measured -->)", re.DOTALL)


def _best(cells, library):
    values = [v for peer, v in cells.items() if peer.partition("-")[0] == library]
    return min(values, default=None)


def rows(results, ratio):
    """(names, sporax, PyTorch, JAX, ratio), each the best of a library's styles."""
    steps = {name.removesuffix(", us"): cells for name, cells in results.medians(TRAINING)}
    steps = [(STEPS[case], cells) for case, cells in steps.items() if case in STEPS]
    first = [
        (FIRST[case], cells)
        for case, cells in results.answers(TRAINING, lambda a: a["first"])
        if case in FIRST
    ]
    steps += [(INFER[case], cells) for case, cells in results.medians(INFERENCE)]
    lengths = [(LENGTHS, c) for _, c in results.answers((CHANGING,), lambda a: sum(a["each"]))]
    lengths += [(ACCURATE, c) for _, c in results.answers((ACCURACY,), lambda a: a["first"])]
    for part in (sorted(steps, key=lambda row: ratio(row[1]) or 0), first, lengths):
        for names, cells in part:
            best = [_best(cells, library) for library in ("sporax", "torch", "jax")]
            if ratio(cells) is not None:
                yield names, best, ratio(cells)


def table(file, results, ratio, number):
    """Markdown."""
    language = list(HEADS).index(file)
    lines = ["| " + " | ".join(HEADS[file]) + " |", "|---" * 5 + "|"]
    for names, best, quotient in rows(results, ratio):
        cells = ["-" if v is None else number(v) for v in best]
        lines.append("| " + " | ".join([names[language], *cells, f"{quotient:.2f}"]) + " |")
    return "\n".join(lines) + "\n"


def with_table(text, content):
    """The page with another table between its marks."""
    replaced, count = _MARKS.subn(lambda m: f"{m[1]}{content}{m[2]}", text)
    assert count == 1, "the page has no marks for its table"
    return replaced
