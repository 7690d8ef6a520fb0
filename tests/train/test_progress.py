"""The line that shows how far a run is: on a terminal, and nowhere else."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

SCRIPT = """
import numpy as np
from sporax import nn
from sporax.data import NumpySlicesDataset
from sporax.train import MAE, LossMonitor, Model, progress

rows = np.ones((12, 3), np.float32)
dataset = NumpySlicesDataset((rows, rows[:, :1]), ["x", "y"]).batch(4)
net = nn.Dense(3, 1)
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01), metrics={"mae": MAE()})
callbacks = LossMonitor() if MONITOR else None
model.fit(2, dataset, dataset, callbacks=callbacks, dataset_sink_mode=False)
model.eval(dataset, dataset_sink_mode=False)
assert sum(progress([1, 2, 3], desc="adding")) == 6
assert len(list(progress(dataset.create_tuple_iterator(num_epochs=1)))) == 3
"""


def run(monitor, on_terminal, **environment):
    """What a script writes to stderr."""
    command = [sys.executable, "-c", SCRIPT.replace("MONITOR", str(monitor))]
    environment = {**os.environ, "SPORAX_TIERS": "on", **environment}
    if not on_terminal:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        return done.stderr
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    process = subprocess.Popen(command, stderr=theirs, stdout=subprocess.PIPE, env=environment)
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    process.stdout.close()
    assert process.wait() == 0
    return written.decode()


def test_a_terminal_shows_epochs_losses_and_metrics():
    shown = run(monitor=False, on_terminal=True)
    for epoch in (1, 2):
        assert re.search(rf"epoch {epoch}/2: 100%.*3/3.*loss=[\d.e-]+.*mae=[\d.e-]+", shown)
    assert re.search(r"evaluation: 100%.*3/3.*mae=[\d.e-]+", shown)
    assert "the first step is traced and compiled" in shown
    assert re.search(r"adding: 100%.*3/3", shown)


@pytest.mark.parametrize(
    "arguments",
    [
        {"monitor": False, "on_terminal": False},
        {"monitor": False, "on_terminal": True, "SPORAX_PROGRESS": "off"},
    ],
    ids=["no terminal", "switched off"],
)
def test_nothing_is_shown_elsewhere(arguments):
    assert "%|" not in run(**arguments)


def test_nothing_is_shown_beside_lines_of_losses():
    assert "epoch" not in run(monitor=True, on_terminal=True)
