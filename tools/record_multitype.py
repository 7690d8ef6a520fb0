"""Record the arguments that MindSpore's `MultitypeFuncGraph` accepts for each type name.

Run with a Python that has MindSpore; writes `tests/recorded/multitype.json`.
"""

import json
import sys
from pathlib import Path

import mindspore as ms
from mindspore import ops

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.graph_capture.multitype_values import values

NAMES = [
    "Number", "Bool", "Int", "Int32", "Int64", "UInt8", "Float", "Float32", "Float64", "Tensor",
    "Tensor[Float32]", "String", "Tuple", "List", "Dictionary", "Function", "None", "TypeType",
    "COOTensor",
]  # fmt: skip


def takes(name, value):
    """Return True if a function registered for that type is called with the value."""
    graph = ops.MultitypeFuncGraph("graph")
    graph.register(name)(lambda x: True)
    graph.register("Tensor", "Tensor")(lambda x, y: None)  # a single function accepts everything
    try:
        return graph(value)
    except ValueError:
        return False


taken = {name: [key for key, value in values(ms).items() if takes(name, value)] for name in NAMES}
path = Path(__file__).parents[1] / "tests" / "recorded" / "multitype.json"
path.write_text(json.dumps(taken, indent=1) + "\n", encoding="utf8")
