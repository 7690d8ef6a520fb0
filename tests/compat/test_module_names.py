"""All names of MindSpore's modules, recorded from MindSpore 2.10: they resolve, or say why not."""

import importlib
import inspect
import re
import subprocess
import sys

import numpy as np
import pytest

import sporax
from sporax import Tensor, mint, nn, ops
from sporax._src.mindspore.compat import library_names, module_names
from sporax._src.mindspore.compat.refused_names import Refused

sporax.install_as_mindspore()
TABLE = module_names.table()
PACKAGES = sorted({".".join(module.split(".")[:2]) for module in TABLE})
# names that are of another kind in MindSpore, whose classes of Primitives are functions here
OF_ANOTHER_KIND = {"_cell_graph_executor", "Pool", "SliceGetItem", "list_equal", "make_range",
                   "shape_mul", "tuple_equal"}  # fmt: skip


@pytest.mark.parametrize("package", PACKAGES)
def test_each_name_resolves_or_says_why_not(package):
    for path in TABLE:
        if f"{path}.".startswith(f"{package}."):
            module = importlib.import_module(path)
            members = dict(inspect.getmembers(module))
            assert {*TABLE[path]} <= members.keys() and {*dir(module)} == members.keys()
            for name, (origin, _) in TABLE[path].items():
                value = members[name]
                if isinstance(value, Refused):
                    assert value.reason, f"{path}.{name}"
                elif origin in ("class", "primitive") and name not in OF_ANOTHER_KIND:
                    assert isinstance(value, type), f"{path}.{name}"
                elif origin == "function" and name not in OF_ANOTHER_KIND:
                    assert callable(value), f"{path}.{name}"


def test_names_that_mindspore_lacks():
    for path in ("mindspore.nn.Nowhere", "mindspore.ops.auto_generate.NowhereExt"):
        module, _, name = path.rpartition(".")
        said = f"sporax has no '{path}': MindSpore 2.10 has no such name"
        with pytest.raises(AttributeError, match=re.escape(said)):
            getattr(importlib.import_module(module), name)


def test_a_name_without_a_counterpart_can_be_asked():
    from mindspore._c_expression import FuncGraph

    assert not hasattr(FuncGraph, "name") and not isinstance(3, FuncGraph)
    assert not issubclass(int, FuncGraph)
    with pytest.raises(NotImplementedError, match="part of MindSpore's compiler"):
        FuncGraph()
    with pytest.raises(ModuleNotFoundError, match="registers kernels of MindSpore's own backends"):
        importlib.import_module("mindspore.ops._op_impl.tbe.abs")


# names that libraries import ---------------------------------------------------------------------

X, H = (Tensor(np.random.default_rng(0).standard_normal((2, n)).astype("f")) for n in (3, 4))


@pytest.mark.parametrize(
    ("name", "cell", "state"),
    [
        ("_rnn_tanh_cell", nn.RNNCell(3, 4), H),
        ("_rnn_relu_cell", nn.RNNCell(3, 4, nonlinearity="relu"), H),
        ("_gru_cell", nn.GRUCell(3, 4), H),
        ("_lstm_cell", nn.LSTMCell(3, 4), (H, H * 2)),
    ],
)
def test_steps_of_recurrent_cells(name, cell, state):
    step = getattr(importlib.import_module("mindspore.nn.layer.rnn_cells"), name)
    weights = cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh
    for one, other in zip(step(X, state, *weights), cell(X, state), strict=True):
        assert np.array_equal(one.asnumpy(), other.asnumpy())


def test_a_recurrent_cell_of_ones_own():
    from mindspore.nn.layer.rnn_cells import RNNCellBase, _gru_cell

    class Gated(RNNCellBase):
        def __init__(self):
            super().__init__(3, 4, True, num_chunks=3)

        def construct(self, x, h):
            return _gru_cell(x, h, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)

    cell = Gated()
    assert cell(X, H).shape == (2, 4)
    assert [p.shape for p in cell.get_parameters()] == [(12, 3), (12, 4), (12,), (12,)]
    assert max(abs(p.asnumpy()).max() for p in cell.get_parameters()) <= 0.5


@pytest.mark.parametrize(
    ("name", "arguments", "function"),
    [
        ("AddExt", (X, X, 2), lambda x, y, a: mint.add(x, y, alpha=a)),
        ("SubExt", (X, X, 2), lambda x, y, a: mint.sub(x, y, alpha=a)),
        ("SumExt", (X, 1), mint.sum),
        ("MeanExt", (X, 1), mint.mean),
        ("CumsumExt", (X, 1), mint.cumsum),
        ("SortExt", (X, 1), lambda x, dim: mint.sort(x, dim=dim)[0]),
        ("TopkExt", (X, 2), lambda x, k: mint.topk(x, k)[0]),
        ("IndexSelect", (X, 1, Tensor([0, 2])), mint.index_select),
    ],
)
def test_generated_primitives(name, arguments, function):
    primitive = getattr(importlib.import_module("mindspore.ops.auto_generate"), name)()
    assert isinstance(primitive, ops.Primitive) and primitive.name == name
    result = primitive(*arguments)
    result = result[0] if isinstance(result, tuple) else result
    assert np.array_equal(result.asnumpy(), function(*arguments).asnumpy())


def test_datasets_of_other_names():
    from mindspore.dataset.engine.datasets import ConcatDataset, NumpySlicesDataset, RepeatDataset

    def rows(data):
        return [int(x) for (x,) in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    def two():
        return NumpySlicesDataset([1, 2], "x", shuffle=False)

    assert rows(RepeatDataset(two(), 2)) == rows(ConcatDataset([two(), two()])) == [1, 2, 1, 2]


def test_small_names():
    from mindspore.communication._comm_helper import _is_initialized

    net = nn.Dense(3, 2)
    assert np.array_equal(library_names._VirtualDatasetCell(net)(X).asnumpy(), net(X).asnumpy())
    assert library_names._MicroBatch(2)(1, X, H)[1].asnumpy().tolist() == H[1:].asnumpy().tolist()
    with pytest.raises(ValueError, match="'inputs' must be a multiple of 'micro_size', but got 2"):
        library_names._MicroBatch(3)(0, X)
    assert library_names.twice(3), library_names.twice((1, 2)) == ((3, 3), (1, 2))
    assert library_names.tensor_to_np_type("Float32") == np.float32
    assert library_names.tensor_to_np_type("str") is np.str_
    assert library_names.tensor_to_ms_type["Bool"] is sporax.bool_
    assert library_names._is_sharding_propagation() is _is_initialized() is False


def test_warnings_are_logged_once(caplog):
    import logging

    logger = logging.getLogger("once")

    @library_names._LogActionOnce(logger, key="a key of this test")
    def warned(x):
        logger.warning("seen")
        return x

    assert [warned(1), warned(2)] == [1, 2]
    assert [record.message for record in caplog.records] == ["seen"]


SCRIPT = """
import sporax; sporax.install_as_mindspore()
import mindspore as ms, mindspore.nn as nn, mindspore.ops as ops, mindspore.dataset as ds
from mindspore import Tensor, Parameter, context, mint
from mindspore.common.initializer import Normal
from mindspore.train import Model, LossMonitor
from sporax._src.mindspore.compat import module_names
assert not module_names.table.cache_info().currsize
"""


def test_names_that_scripts_import_do_not_need_the_table():
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)
