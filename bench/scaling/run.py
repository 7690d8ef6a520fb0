"""Count and measure for `docs/scaling.json`; then `python -m bench.scaling.page` writes the page.

    python -m bench.scaling.run count [--topologies]
    python -m bench.scaling.run measure

Each count runs in a separate process, because the number of simulated devices is set before JAX
starts. `--topologies`: also for TPUs, if libtpu is installed; other rows are unchanged.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "scaling.json"
DEVICES = {
    "MLP": [2**k for k in range(10)],
    "transformer": [2**k for k in range(10)],
    "large transformer": [1, 8, 64, 512],
}
# MLP only: XLA:TPU compiles the transformer's step for more than ten minutes
TOPOLOGIES = {4: "v5e:2x2", 16: "v5e:4x4", 64: "v5e:8x8", 256: "v5e:16x16"}
BYTES = [1024, 16_384, 131_072, 1_048_576, 4_194_304, 16_777_216]
HIDDEN = [128, 256, 512, 1024, 2048]


def output(*command, **environ):
    """The JSON in the last line that a process prints."""
    run = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environ}, text=True, stdout=subprocess.PIPE,
        check=True, timeout=600,
    )  # fmt: skip
    return json.loads(run.stdout.strip().splitlines()[-1].removeprefix("[0] "))


def count(results, topologies):
    """Replace the rows of simulated devices, or of topologies."""
    kept = [row for row in results.get("counted", []) if bool(row["topology"]) != topologies]
    plan = [("MLP", n, text) for n, text in TOPOLOGIES.items()] if topologies else [
        (network, n, None) for network, devices in DEVICES.items() for n in devices
    ]  # fmt: skip
    rows = []
    for network, n, topology in plan:
        print(network, n, topology or "", file=sys.stderr)
        command = [sys.executable, "-m", "bench.scaling.count", network, str(n)]
        rows += output(*command, *([topology] if topology else []))
    results["counted"] = kept + rows


def measure(results):
    """All-reduces of 2 and 4 ranks, and training steps of 1 and 2, each rank on a core. The minimum
    of several runs is used, because other work on the machine can only add time."""

    def ranks(n, what, sizes):
        text = ",".join(map(str, sizes))
        launch = [sys.executable, "-m", "sporax", "launch", "-n", str(n)]
        rows = output(*launch, str(Path(__file__).with_name("ranks.py")), what, text)
        before = results.get("measured", {}).get(what, {}).get(str(n), rows)
        return [list(map(min, zip(*pair, strict=True))) for pair in zip(rows, before, strict=True)]

    results["measured"] = {
        "load": os.getloadavg()[0],
        "links": {n: ranks(n, "links", BYTES) for n in (2, 4)},
        "steps": {n: ranks(n, "steps", HIDDEN) for n in (1, 2)},
        "programs": [[hidden, *_step(hidden)] for hidden in HIDDEN],
    }


def _step(hidden):
    """(floating-point operations, bytes of gradients) of the measured step on one device."""
    from bench.scaling.networks import Training, batch, mlp
    from bench.scaling.ranks import CLASSES, ROWS, WIDTH
    from sporax import parallel

    net = mlp((WIDTH, hidden, CLASSES))
    with parallel.DescribedMesh(data=1):
        cost = parallel.estimate(Training(net).step, *batch((ROWS, WIDTH)))
    return cost.flops, sum(4 * p.size for p in net.trainable_params())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["count", "measure"])
    parser.add_argument("--topologies", action="store_true")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text("utf8")) if RESULTS.exists() else {}
    if options.what == "count":
        count(results, options.topologies)
    else:
        measure(results)
    rows = ",\n".join(json.dumps(row) for row in results.get("counted", []))
    measured = json.dumps(results.get("measured", {}))
    RESULTS.write_text(f'{{"measured": {measured},\n"counted": [\n{rows}\n]}}\n', "utf8")


if __name__ == "__main__":
    main()
