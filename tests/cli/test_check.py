"""`sporax check`: what it says of a program, and what it leaves alone."""

import json
import textwrap

import pytest

from sporax._src.workbench.cli.command import main

# a program, and what is said of it: (line, part of what is printed), in order
ROWS = {
    "all there": (
        "import mindspore as ms\nms.nn.Dense(2, 3, has_bias=False)\nms.GRAPH_MODE\n",
        [],
    ),
    "another package's": ("import numpy as np\nnp.nowhere\n", []),
    "missing": (
        "import mindspore\nfrom mindspore import ops as P\nmindspore.nn.Nowhere(1)\nP.nowhere\n",
        [(3, "sporax has no 'mindspore.nn.Nowhere'"), (4, "no 'mindspore.ops.nowhere': MindSpore")],
    ),
    "missing where it is imported and where it is used": (
        "from mindspore.nn import Dense, Nowhere\n\nNowhere()\n",
        [(1, "'mindspore.nn.Nowhere'"), (3, "'mindspore.nn.Nowhere'")],
    ),
    "a missing module": (
        "import mindspore.nowhere.deeper as d\n",
        [(1, "'mindspore.nowhere': MindSpore 2.10 has no such name")],
    ),
    "refused: importing it is fine": (
        "from mindspore import SummaryLandscape\n\nSummaryLandscape()\n",
        [(3, "sporax has no 'mindspore.SummaryLandscape': TensorBoard")],
    ),
    "a keyword": (
        "from mindspore import nn\nnn.Conv2d(1, 2, 3, kernel=3)\n",
        [(2, "mindspore.nn.Conv2d takes no 'kernel' (it takes in_channels, out_channels,")],
    ),
    "a keyword of a method of a value": ("import mindspore as ms\nms.float32.any(x=1)\n", []),
    "an import that the program guards": (
        """
        try:
            from mindspore.nn import Nowhere
        except ImportError:
            Nowhere = None
        """,
        [],
    ),
    "a name that gets another value": (
        "from mindspore import dataset\ndataset = load()\ndataset.nowhere()\n",
        [],
    ),
    "an argument of the same name": (
        "from mindspore import ops\ndef f(ops):\n    return ops.nowhere\n",
        [],
    ),
    "a star": ("from mindspore.ops import *\nrelu\n", []),
    "inside an expression": (
        "import mindspore as ms\nms.Tensor([1]).sum() + [ms.nowhere for _ in range(3)][0]\n",
        [(2, "'mindspore.nowhere'")],
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_what_is_said(row, tmp_path, capsys):
    source, expected = ROWS[row]
    path = tmp_path / "train.py"
    path.write_text(textwrap.dedent(source))
    assert main(["check", str(path)]) == bool(expected)
    *lines, _ = capsys.readouterr().out.splitlines()
    assert len(lines) == len(expected)
    for said, (line, part) in zip(lines, expected, strict=True):
        assert said.startswith(f"{path}:{line}: ") and part in said


def test_the_last_line_counts(tmp_path, capsys):
    (tmp_path / "a.py").write_text("import mindspore as ms\nms.nowhere\nms.nowhere\nms.Tensor\n")
    (tmp_path / "b.py").write_text("import numpy\n")
    assert main(["check", str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        "of MindSpore: 3 names, used 4 times, files: 1; "
        "names that fail: 1, used 2 times: mindspore.nowhere (2)"
    )


def test_a_notebook(tmp_path, capsys):
    cells = [
        {"cell_type": "markdown", "source": ["import mindspore.nowhere"]},
        {"cell_type": "code", "source": ["!pip install x\n", "%matplotlib inline\n", "import os"]},
        {"cell_type": "code", "source": ["import mindspore as ms\n", "if ms:\n", "    !ls"]},
        {"cell_type": "code", "source": "%%bash\nls"},
        {"cell_type": "code", "source": ["x = 1\n", "ms.nowhere\n"]},
    ]
    (tmp_path / "lesson.ipynb").write_text(json.dumps({"cells": cells}))
    assert main(["check", str(tmp_path)]) == 1
    first, _ = capsys.readouterr().out.splitlines()
    assert "lesson.ipynb, cell 5:2: sporax has no 'mindspore.nowhere': " in first


@pytest.mark.parametrize("text", ["x = (\n", "\0", b"\xff\xfe\x00", "print 'old'\n"])
def test_what_is_no_program_is_said(text, tmp_path, capsys):
    path = tmp_path / "wrong.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert main(["check", str(path)]) == 1
    assert capsys.readouterr().out.startswith(f"{path}: is no Python program: ")


def test_a_path_that_is_not_there(capsys):
    assert main(["check", "nowhere.py"]) == 2
    assert capsys.readouterr().err == "sporax: no file or folder 'nowhere.py'\n"


def test_nothing_of_the_program_runs(tmp_path):
    (tmp_path / "train.py").write_text("import mindspore\nraise SystemExit(9)\n")
    assert main(["check", str(tmp_path)]) == 0
