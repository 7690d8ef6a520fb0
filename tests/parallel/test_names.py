"""MindSpore's names of parallel training, on one device: what they take, return and refuse."""

import re

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops, parallel
from sporax._src.mindspore.compat import install_as_mindspore
from sporax.parallel.auto_parallel import AutoParallel

install_as_mindspore()
import mindspore  # noqa: E402

X = Tensor(np.ones((4, 2), np.float32))


@pytest.mark.parametrize(
    "path",
    [
        "parallel.auto_parallel.AutoParallel",
        "parallel.auto_parallel.Layout",
        "parallel.shard.Layout",
        "parallel.auto_parallel.Cell",
        "parallel.auto_parallel.jit",
        "context.get_ps_context",
        "context.set_ps_context",
        "get_algo_parameters",
        "set_algo_parameters",
        "reset_algo_parameters",
        "parallel.set_op_strategy_config",
        "parallel.sync_pipeline_shared_parameters",
        "parallel.Layout",
        "shard",
        "parallel.get_algo_parameters",
        "train.merge_sliced_parameter",
    ],
)
def test_paths(path):
    value = mindspore
    for name in path.split("."):
        value = getattr(value, name, None) or getattr(parallel, name)
    assert callable(value)


def test_a_layout_is_that_of_mindspore():
    layout = ms.Layout((2, 2, 2), ("dp", "sp", "mp"))("dp", ("sp", "mp"), "None")
    assert layout.to_dict() == {
        "device_matrix": (2, 2, 2), "tensor_map": (2, (1, 0), -1), "interleaved_parallel": False,
        "alias_name": ("dp", "sp", "mp"), "rank_list": [*range(8)],
    }  # fmt: skip
    interleaved = ms.Layout((2, 2), ("dp", "interleaved_parallel"))(("dp", "interleaved_parallel"))
    assert interleaved.to_dict()["interleaved_parallel"]


def test_settings_of_a_search():
    ms.set_algo_parameters(fully_use_devices=True, algo_approxi_epsilon=0.5)
    assert ms.get_algo_parameters("fully_use_devices") is True
    assert ms.get_algo_parameters("algo_approxi_epsilon") == 0.5
    ms.reset_algo_parameters()
    defaults = {"fully_use_devices": False, "tensor_slice_align_size": 16}
    assert {n: ms.get_algo_parameters(n) for n in defaults} == defaults
    ms.set_ps_context(config_file_path="a", enable_ssl=True)
    assert ms.get_ps_context("config_file_path") == "a"
    assert ms.get_ps_context("scheduler_port") == 6667


def test_strategies_change_nothing_on_one_device():
    add = ops.Add().shard(((4, 2), (4, 2)), ((4, 2),))
    assert repr(add) == ("Prim[Add]<in_strategy=((4, 2), (4, 2)), out_strategy=((4, 2),)>")
    np.testing.assert_array_equal(add(X, X).asnumpy(), 2 * X.asnumpy())
    net = nn.Dense(2, 3)
    for function in (
        net.shard(((4, 1),)),
        ms.shard(net, ((4, 1),)),
        parallel.shard(net, ((4, 1),)),
    ):
        np.testing.assert_array_equal(function(X).asnumpy(), net(X).asnumpy())
    parallel.sync_pipeline_shared_parameters(net)
    with parallel.Mesh(data=1):
        np.testing.assert_array_equal(
            ops.Add().shard(((1, 1), (1, 1)))(X, X).asnumpy(), 2 * X.asnumpy()
        )


IGNORED = {
    "no_init_parameters_in_compile": (), "comm_fusion": ({},), "enable_fp32_communication": (),
    "set_group_ckpt_save_file": ("a",), "print_local_norm": (), "dump_local_norm": ("a",),
    "enable_device_local_norm": (), "enable_gradients_mean": (), "disable_gradient_fp32_sync": (),
    "disable_loss_repeated_mean": (), "transformer_opt": (None,),
    "save_operator_strategy_file": ("/tmp/a.json",),
    "load_operator_strategy_file": ("/tmp/a.json",),
}  # fmt: skip


def test_auto_parallel_on_one_device(tmp_path):
    net = AutoParallel(nn.Dense(2, 3), parallel_mode="sharding_propagation")
    net.dataset_strategy("full_batch")
    net.hsdp(optimizer_level="level2")
    net.pipeline(stages=2, scheduler="gpipe")
    net.disable_strategy_file_only_for_trainable_params()
    net.save_param_strategy_file(str(tmp_path / "s.ckpt"))
    assert net.get_pipeline_stages() == 2
    np.testing.assert_array_equal(net(X).asnumpy(), net.network(X).asnumpy())
    saved = parallel.build_searched_strategy(str(tmp_path / "s.ckpt"))
    assert saved.keys() == {"weight", "bias"}
    net.load_param_strategy_file(str(tmp_path / "s.ckpt"))
    parallel.leave_devices()


@pytest.mark.parametrize(("name", "arguments"), IGNORED.items())
@pytest.mark.filterwarnings("ignore:.*has no effect")
def test_settings_of_auto_parallel_without_effect(name, arguments):
    getattr(AutoParallel(nn.ReLU()), name)(*arguments)


def pipelines(**config):
    """Sets 'pipeline_config'."""
    ms.set_auto_parallel_context(pipeline_config={f"pipeline_{n}": v for n, v in config.items()})


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (TypeError, "'device_matrix' must be a tuple", lambda: ms.Layout([2], ("a",))),
        (ValueError, "a name for each axis", lambda: ms.Layout((2,), ("a", "b"))),
        (TypeError, "must be of type int, but got str", lambda: ms.Layout(("2",), ("a",))),
        (ValueError, "must differ", lambda: ms.Layout((2, 2), ("a", "a"))),
        (ValueError, "must be the last", lambda: ms.Layout((2, 2), ("interleaved_parallel", "a"))),
        (TypeError, "a list of ints", lambda: ms.Layout((2,), ("a",), (0, 1))),
        (ValueError, "each of the 2 devices", lambda: ms.Layout((2,), ("a",), [0])),
        (ValueError, "must be one of ('a',)", lambda: ms.Layout((2,), ("a",))("b")),
        (ValueError, "'a' is named twice", lambda: ms.Layout((2,), ("a",))("a", "a")),
        (ValueError, "has not been called", lambda: ms.Layout((2,), ("a",)).to_dict()),
        (TypeError, "'in_strategy' must be a tuple, but got int", lambda: ops.Add().shard(3)),
        (TypeError, "a tuple or a Layout, but got int", lambda: ops.Add().shard((3,))),
        (TypeError, "must have ints, but got float", lambda: ops.Add().shard(((1.0,),))),
        (TypeError, "'fn' must be a function or a Cell", lambda: ms.shard(3, ((1,),))),
        (
            TypeError, "'parameter_plan' must be a dict",
            lambda: nn.Dense(2, 2).shard(((1, 1),), parameter_plan=3),
        ),
        (
            ValueError, "must name Parameters of 'fn' (weight, bias), but got 'x'",
            lambda: nn.Dense(2, 2).shard(((1, 1),), parameter_plan={"x": (1, 1)}),
        ),
        (
            ValueError, "must divide the shape of 'weight', but it is (2, 2)",
            lambda: nn.Dense(2, 2).shard(((1, 1),), parameter_plan={"weight": (3, 1)}),
        ),
        (ValueError, "there is no setting 'x'", lambda: ms.set_algo_parameters(x=0)),
        (TypeError, "must be a bool", lambda: ms.set_algo_parameters(fully_use_devices=1)),
        (ValueError, "(0, 1024]", lambda: ms.set_algo_parameters(tensor_slice_align_size=0)),
        (ValueError, "(0, 1]", lambda: ms.set_algo_parameters(algo_approxi_epsilon=2.0)),
        (ValueError, "there is no setting 'x'", lambda: ms.get_algo_parameters("x")),
        (NotImplementedError, "no parameter servers", lambda: ms.set_ps_context(enable_ps=True)),
        (ValueError, "must not be a password", lambda: ms.get_ps_context("client_password")),
        (KeyError, "must be absolute", lambda: parallel.set_op_strategy_config("SAVE", "a.json")),
        (KeyError, "'SAVE' or 'LOAD'", lambda: ms.set_op_strategy_config("X", "/tmp/a.json")),
        (TypeError, "must be a Cell", lambda: ms.sync_pipeline_shared_parameters(3)),
        (ValueError, "'parallel_mode' must be one of", lambda: AutoParallel(nn.ReLU(), "x")),
        (TypeError, "must be a function or a Cell", lambda: AutoParallel(3)),
        (
            ValueError, "'config' must be one of",
            lambda: AutoParallel(nn.ReLU()).dataset_strategy("x"),
        ),
        (ValueError, "'shard_size' must be -1 or 1", lambda: AutoParallel(nn.ReLU()).hsdp(4)),
        (ValueError, "'optimizer_level' must be", lambda: AutoParallel(nn.ReLU()).hsdp(-1, 4, "x")),
        (ValueError, "'stages'", lambda: AutoParallel(nn.ReLU()).pipeline(0)),
        (
            ValueError, "'scheduler' must be",
            lambda: AutoParallel(nn.ReLU()).pipeline(scheduler="x"),
        ),
        (
            NotImplementedError, "'scheduler' must be one of ('1f1b', 'gpipe')",
            lambda: AutoParallel(nn.ReLU()).pipeline(scheduler="seqvpp"),
        ),
        (
            NotImplementedError, "interleave=True",
            lambda: AutoParallel(nn.ReLU()).pipeline(interleave=True),
        ),
        (ValueError, "'pipeline_scheduler' must be one of", lambda: pipelines(scheduler="x")),
        (TypeError, "'pipeline_interleave' must be a bool", lambda: pipelines(interleave=1)),
        (NotImplementedError, "must be False", lambda: pipelines(interleave=True)),
        (ValueError, "must have names of", lambda: pipelines(x=1)),
        (TypeError, "a dict or None", lambda: AutoParallel(nn.ReLU()).comm_fusion(3)),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*has no effect")
def test_refusals(error, message, call):
    with pytest.raises(error, match=re.escape(message)):
        call()
