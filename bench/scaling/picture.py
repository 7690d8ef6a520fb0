"""`docs/scaling.svg`: bytes that a device sends, and predicted times, by the number of devices."""

from bench.scaling import model

COLORS = {"data": "#1f77b4", "states": "#ff7f0e", "tensor": "#2ca02c"}
LABELS = {"data": "data parallel", "states": "states divided", "tensor": "tensor parallel"}
NETWORKS = "MLP", "transformer", "large transformer"


def write(results, path):
    """Write the picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    here = model.machine(results["measured"])
    panels = [
        ("bytes sent by a device: counted", None),
        ("seconds a step: predicted, like this machine", here),
        ("seconds a step: predicted, assumed cluster", model.ASSUMED),
    ]
    with matplotlib.rc_context({"svg.hashsalt": "sporax", "font.size": 9}):
        figure, axes = plt.subplots(3, 3, figsize=(12, 10), layout="constrained")
        for line, network in zip(axes, NETWORKS, strict=True):
            for ax, (title, machine) in zip(line, panels, strict=True):
                _panel(ax, results, network, machine)
                ax.set_title(title, fontsize=9)
            line[0].set_ylabel(network, fontsize=11)
        axes[0][0].legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def _panel(ax, results, network, machine):
    rows = [r for r in results["counted"] if r["network"] == network and not r["topology"]]
    for way, color in COLORS.items():
        costs = [model.cost(r) for r in rows if r["way"] == way]
        n = [c.devices for c in costs]
        if machine is None:
            some = [c for c in costs if c.traffic]
            ax.plot([c.devices for c in some], [c.traffic for c in some], "o-", ms=3, color=color,
                    label=LABELS[way])  # fmt: skip
        else:
            times = [c.seconds(machine) for c in costs]
            ax.fill_between(n, *zip(*times, strict=True), color=color, alpha=0.2, lw=0)
            ax.plot(n, [long for _, long in times], "o-", ms=3, color=color)
    if machine is not None:
        first = model.cost(rows[0]).seconds(machine)[1]
        sizes = sorted({r["devices"] for r in rows})
        ax.plot(sizes, [first / n for n in sizes], ":", color="gray")
        ax.annotate("1/N", (sizes[-1], first / sizes[-1]), color="gray", fontsize=8, ha="right")
    ax.set_xscale("log", base=2)
    ax.set_xticks([1, 8, 64, 512], ["1", "8", "64", "512"])
    ax.set_yscale("log")
    ax.set_xlabel("devices")
    ax.grid(alpha=0.3)
