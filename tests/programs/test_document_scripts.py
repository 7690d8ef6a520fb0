"""The examples of the documents that this project began with (keyword arguments of a bprop; Cells,
parameters and hooks; building networks; functional differentiation; GradOperation), as scripts that
import `mindspore`: they print here what they print there, in dynamic mode, GRAPH_MODE and under
jit."""

import re

import pytest

from tests import records
from tests.programs.script_runs import assert_prints, printed

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.read("cells_documents")

RUNS = [
    ("cells_and_parameters.py", ""),
    ("functional_differentiation.py", ""),
    ("functional_differentiation.py", "--graph"),
    ("functional_differentiation.py", "--jit"),
    ("grad_operation.py", ""),
    ("grad_operation.py", "--graph"),
    ("hooks.py", ""),
    ("migration_networks.py", ""),
    ("migration_networks.py", "--graph"),
    ("numpy_in_a_network.py", ""),
    ("numpy_in_a_network.py", "--again"),
    ("numpy_in_a_network.py", "--again --graph"),
    ("numpy_in_a_network.py", "--again --jit"),
    ("parameters.py", ""),
    ("parameters.py", "--graph"),
]


@pytest.mark.parametrize("script, option", RUNS, ids=lambda item: item or "dynamic")
def test_prints_what_mindspore_prints(script, option):
    lines = printed(script, option).splitlines()
    expected = RECORDED[f"{script} --again" if "--again" in option else script]
    assert_prints(lines, expected, rel_tol=5e-7)


KEYWORDS = "[1.0015925] (Tensor(shape=[1], dtype=Float32, value= [ 1.59254798e-03]), {})"

# what the documents themselves show, where MindSpore 2.10 shows something else or fails
SHOWN = {
    # the article shows 1.25169754e-06 and 2.0 in the first and third line, as what goes wrong
    "bprop_keywords.py": [
        KEYWORDS.format(f"Tensor(shape=[1], dtype=Float32, value= [{value}])")
        for value in ("-9.99998748e-01", "-9.99998748e-01", "-1.99999750e+00", "-1.99999750e+00")
    ],
    "custom_layers.py": [
        "(4, 30, 2, 2) (4, 30, 2, 2) Bool",
        "whole channels: True",
        "by the mask: True",
        "scaled: True",
        "some are dropped: True",
        "gradient: True",
        "(Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00]), "
        "(Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00]),))",
    ],
}


@pytest.mark.parametrize("option", ["", "--graph", "--jit"])
@pytest.mark.parametrize("script", SHOWN)
def test_prints_what_the_document_shows(script, option):
    assert printed(script, option).splitlines() == SHOWN[script]


# what the GradOperation tutorial shows, letter by letter; its last two cells show 4.5 and 9.0,
# which are not what is computed (4.51 and 9.02)
GRADIENTS = [
    "[[4.5099998 2.7       3.6000001]",
    " [4.5099998 2.7       3.6000001]]",
    "(Tensor(shape=[1], dtype=Float32, value= [ 2.15359993e+01]),)",
    " [5.588     2.68      4.07     ]]",
    "[[9.0199995 5.4       7.2000003]",
    " [9.0199995 5.4       7.2000003]]",
]


def test_prints_what_the_tutorial_shows():
    lines = printed("grad_operation.py").splitlines()
    assert [line for line in GRADIENTS if line not in lines] == []


# what the migration guide shows of its sampler, but for the widths of numbers: the sample that is
# differentiated is another one, then, with `set_grad`, that of the call before
SAMPLES = [
    "pos_indices forword [[3 1 3] [1 4 1]]",
    "pos_indices forword [[3 0 1] [3 3 1]]",
    "dx [[0. 0. 0. 0. 0.] [0. 0. 0. 0. 0.]]",
    "pos_indices forword [[0 0 1] [3 2 1]]",
    "dx [[0. 0. 0. 0. 0.] [0. 0. 0. 0. 0.]]",
    "pos_indices forword [[3 1 3] [1 4 1]]",
    "pos_indices backward [[3 1 3] [1 4 1]]",
    "grad_x backward [[1. 1. 1.] [1. 1. 1.]]",
    "dx [[0. 1. 0. 2. 0.] [0. 2. 0. 0. 1.]]",
]


def test_prints_what_the_guide_shows_of_its_sampler():
    lines = re.sub(r"\]\n +\[", "] [", printed("numpy_in_a_network.py")).splitlines()
    assert [line for line in lines if line.startswith(("pos_indices", "grad_x", "dx"))] == SAMPLES


@pytest.mark.parametrize(
    "option", ["", *[pytest.param(o, marks=pytest.mark.slow) for o in ("--graph", "--jit")]]
)
def test_random_state_repeats_with_the_program(option):
    first = printed("random_state.py", option)
    assert first.splitlines()[2:] == ["True", "True", "True"]
    assert printed("random_state.py", option) == first
