"""Members of Cells, Optimizers and Models that tools read, as MindSpore 2.10 shows them."""

import copy
import gc
import subprocess
import sys
import time
from typing import TypeVar

import numpy as np
import pytest

import sporax as ms
from sporax import nn, ops
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax.data import NumpySlicesDataset
from sporax.nn.parameter_tuple import ParameterTuple
from sporax.train.model import Model

pytestmark = pytest.mark.usefixtures("on_numpy")


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(3, 4)
        self.b = nn.SequentialCell(nn.ReLU(), nn.Dense(4, 2))

    def construct(self, x):
        return self.b(self.a(x))


X = np.ones((1, 3), np.float32)

# what MindSpore 2.10 gives for a new Cell, and for an Optimizer of its parameters
FRESH = {
    "compile_cache": set(), "compile_phase": None, "compiled": False, "exist_names": set(),
    "exist_objs": set(), "jit_config_dict": {}, "parallel_parameter_merge_net_dict": {},
    "parallel_parameter_name_list": (), "parameter_layout_dict": {}, "phase_cache": {},
    "cell_init_args": "", "enable_backward_hook": False,
}  # fmt: skip


@pytest.mark.parametrize("name", FRESH)
def test_a_new_cell(name):
    net = Net()
    assert getattr(net, name) == FRESH[name]
    for cell in (net, nn.SGD(net.trainable_params())):
        assert type(getattr(cell, name)) is type(FRESH[name])
        assert hasattr(type(cell), name)


# attribute, a value, one of a wrong type, one out of range
SETTINGS = [
    ("cell_init_args", "x", 1, None),
    ("compile_phase", "x", 1, None),
    ("parameter_layout_dict", {"w": 1}, [], None),
    ("parallel_parameter_name_list", ["w"], (), None),
    ("parallel_parameter_merge_net_dict", {"w": 1}, 1, None),
    ("pipeline_stage", 2, "2", -1),
    ("pipeline_segment", 2, True, -1),
]


@pytest.mark.parametrize(("name", "value", "wrong", "outside"), SETTINGS)
def test_a_setting_is_checked(name, value, wrong, outside):
    net = Net()
    setattr(net, name, value)
    assert getattr(net, name) == value
    with pytest.raises(TypeError, match=name):
        setattr(net, name, wrong)
    if outside is not None:
        with pytest.raises(ValueError, match=name):
            setattr(net, name, outside)
        assert not hasattr(Net(), name)
    assert net(Tensor(X)).shape == (1, 2)


def test_scopes():
    net = Net()
    assert net.a.get_scope() is None
    net.generate_scope()
    scopes = {name: cell.get_scope() for name, cell in net.cells_and_names()}
    assert scopes == {
        "": None, "a": "Default/a-Dense", "b": "Default/b-SequentialCell",
        "b.0": "Default/b-SequentialCell/0-ReLU", "b.1": "Default/b-SequentialCell/1-Dense",
    }  # fmt: skip
    ms.set_context(reserve_class_name_in_scope=False)
    try:
        other = Net()
        other.generate_scope()
        assert other.b[1].get_scope() == "Default/b/1"
    finally:
        ms.set_context(reserve_class_name_in_scope=True)


def test_the_phases_of_a_compiled_cell():
    net = Net()
    net.compile(Tensor(X))
    assert net.compiled and not net.a.compiled
    assert net.compile_cache == {net.compile_phase}
    assert net.phase_cache == {"train": net.compile_phase}
    assert net.compile_phase.startswith(f"train.{net.create_time}.{id(net)}.")
    net.compile_phase = "mine"
    assert net.b[0].compile_phase == "mine"


def test_times_and_counts():
    before = time.time_ns()
    net = Net()
    assert before <= net.create_time <= net.b.create_time <= time.time_ns() + 10**6
    assert copy.deepcopy(net).create_time == net.create_time
    gc.collect()
    count = nn.Cell.total_instance_count
    more = Net()
    assert more is not None and nn.Cell.total_instance_count == count + 5
    assert len(nn.Cell.global_cells) == 0
    assert isinstance(nn.Cell.T_destination, TypeVar)
    assert "_params" in nn.Optimizer.IGNORE_LIST


def test_names_of_parameters():
    cell = nn.Cell()
    cell.pair = ParameterTuple([Parameter(Tensor(1.0), name=name) for name in "vw"])
    assert cell.exist_names == {"v", "w"} and cell.exist_objs == set(cell.pair)
    net = Net()
    net.b[1].weight.name = net.a.weight.name = "w"
    net.check_names_and_refresh_name()
    assert [p.name for p in net.get_parameters()] == [
        "a.weight", "a.bias", "b.1.weight", "b.1.bias",
    ]  # fmt: skip
    assert net.remove_redundant_parameters() is None


def test_precision():
    net = Net()
    assert net.get_mixed_precision_type().name == "NOTSET"
    kinds = {ms.float16: "FP16", ms.float32: "FP32", ms.bfloat16: "BF16"}
    for number, (dtype, name) in enumerate(kinds.items(), 1):
        net.to_float(dtype)
        assert net.a.get_mixed_precision_type().name == name
        assert net.get_mixed_precision_type().value == number
    net.to_float(ms.float32)
    net.a.set_mixed_precision_type(type(net.get_mixed_precision_type()).FP16)
    assert net.a(Tensor(X)).dtype == ms.float16 and net.b[1](ops.ones((1, 4))).dtype == ms.float32
    net.a.set_mixed_precision_type(0)
    assert net.a(Tensor(X)).dtype == ms.float32


def test_calls():
    net = Net()
    net.register_forward_hook(lambda cell, inputs, out: out * 2)
    assert net.enable_backward_hook
    twice, plain = net.run_construct((Tensor(X),), {}), net.construct(Tensor(X))
    np.testing.assert_allclose(twice.asnumpy(), 2 * plain.asnumpy(), rtol=1e-6)
    assert [t.dtype for t in net.cast_inputs((Tensor(X),), ms.float16)] == [ms.float16]
    net.update_cell_type("second-order")
    assert net.cell_type == "second-order"
    net.set_jit_config(ms.JitConfig(jit_level="O1"))
    assert net.jit_config_dict["jit_level"] == "O1"


def test_members_of_an_optimizer():
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    assert optimizer.unique is True and optimizer.target == "CPU"
    optimizer.unique = False
    assert optimizer.unique is False
    with pytest.raises(TypeError, match="'unique'"):
        optimizer.unique = 1
    (parameters,) = optimizer.broadcast_params(True)
    assert [p.shape for p in parameters] == [p.shape for p in optimizer.parameters]


def test_layouts_of_a_model():
    net = Net()
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    assert model.infer_predict_layout(Tensor(X)) == {}
    data = NumpySlicesDataset((X, np.ones((1, 2), np.float32)), ["x", "y"]).batch(1)
    before = net.a.weight.asnumpy()
    assert model.infer_train_layout(data) == {}
    np.testing.assert_array_equal(net.a.weight.asnumpy(), before)
    with pytest.raises(ValueError, match="'dataset_sink_mode'"):
        model.infer_train_layout(data, False)
    with pytest.raises(ValueError, match="'sink_size'"):
        model.infer_train_layout(data, sink_size=0)


def test_sources_of_layers_can_be_read():
    """In another process, since tests clear Python's cache of sources."""
    code = "import inspect; from sporax import nn; print(inspect.getsource(nn.ELU.construct))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "return function(x, alpha=self.alpha)" in done.stdout
