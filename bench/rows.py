"""The rows of the benchmark, in the order of measurement, and their peers."""

from dataclasses import dataclass

from bench import shapes

LIBRARIES = ("sporax", "torch", "jax", "mindspore")
# a peer is a library in one style; MindSpore is measured if --peers names it
PEERS = ("sporax", "sporax-jit", "torch", "torch-channels-last", "torch-compile", "jax")
OTHER_PEERS = ("mindspore", "mindspore-jit")
OWN = ("sporax", "sporax-jit")
COMPILING = ("sporax", "sporax-jit", "torch-compile", "jax")  # with a cache on disk


def library(peer):
    return peer.partition("-")[0]


@dataclass
class Row:
    """Cases that are measured in the same processes, one process per peer.

    `how`: "steps" (first calls, memory, then rounds), "once" (only the first call) or "each" (a
    hundred calls, all different). `starts_warm`: also measured with the cached programs.
    """

    name: str
    cases: tuple
    how: str = "steps"
    starts_warm: bool = False
    peers: tuple = PEERS + OTHER_PEERS


def _step(name, starts_warm=False):
    return Row(name, (f"{name} step",), starts_warm=starts_warm)


NETWORKS = (
    "MLP", "LeNet-5", "ResNet-18", "MobileNetV2", "DenseNet", "U-Net block", "LSTM", "GRU", "GPT",
    "ViT-tiny", "PINN", "recommender",
)  # fmt: skip
LOOPS = ("full, then cat", "m[i, j] = v", "x = cat((x, row))", "x[:i].sum()")
TRAINING = (
    Row("small operation", tuple(f"small operation, forward{s}" for s in ("", " + backward"))),
    Row("elementwise", ("elementwise, 10 million",)),
    _step("MLP", True),
    _step("LeNet-5", True),
    _step("ResNet-18", True),
    _step("GPT", True),
    _step("LSTM"),
    _step("U-Net block"),
    _step("PINN"),
    _step("MobileNetV2", True),
    _step("GRU"),
    _step("ViT-tiny"),
    _step("DenseNet"),
    _step("recommender"),
    _step("neural operator"),
    _step("graph network"),
    _step("policy gradient"),
    Row("many Parameters", tuple(shapes.block_cases(str))),
    Row("per-sample gradients", ("per-sample gradients",)),
    _step("molecular dynamics"),
)
ONCE = tuple(Row(f"loop: {loop}", (f"loop: {loop}",), "once") for loop in LOOPS)
FIRST_STEPS = tuple(
    Row(f"first step: {name}", (f"{name} first step",), "once",
        peers=("sporax", "torch", "torch-channels-last", "mindspore"))
    for name in ("ResNet-50", "DenseNet-121", "HRNet-W32")
)  # fmt: skip
ACCURACY = Row("digits", ("digits to 97 %",), "once")
CHANGING = Row("changing lengths", ("encoder, a new length each step",), "each")
INFERENCE = tuple(
    Row(f"inference: {part}", tuple(f"{name}, batch 1" for name in names))
    for part, names in (("small", ("MLP", "LeNet-5", "PINN", "recommender", "U-Net block")),
                        ("sequences", ("LSTM", "GRU", "GPT", "ViT-tiny", "GPT with a cache")),
                        ("convolutions", ("ResNet-18", "MobileNetV2", "DenseNet")))
)  # fmt: skip
DATA = tuple(
    Row(f"data: {name}", (name,), peers=("sporax", "torch", "mindspore"))
    for name in ("JPEG files", "arrays in memory")
)
SCALED = tuple(
    Row(f"scaling: {what}", tuple(f"{what} x{n}" for n in (1, 2, 4, 8)),
        peers=("sporax", "sporax-jit", "torch", "jax"))
    for what in shapes.SCALING
)  # fmt: skip
ROWS = TRAINING + FIRST_STEPS + ONCE + (ACCURACY, CHANGING) + INFERENCE + DATA + SCALED

# Multiplications in the matrix products and convolutions of one training step, counted by
# torch.utils.flop_counter (recurrent layers with oneDNN switched off)
MULTIPLICATIONS = {
    "MLP step": 102_694_912,
    "LeNet-5 step": 72_445_440,
    "ResNet-18 step": 53_263_958_016,
    "MobileNetV2 step": 5_429_222_400,
    "DenseNet step": 5_766_330_240,
    "U-Net block step": 3_189_768_192,
    "LSTM step": 5_360_566_272,
    "GRU step": 10_066_000_000,
    "GPT step": 11_255_414_784,
    "ViT-tiny step": 17_251_356_672,
    "recommender step": 201_719_808,
}
BYTES = {"elementwise, 10 million": 2 * 4 * 10_000_000}
