"""Private and removed names that packages import, what is refused, and settings of one device.

`tests/recorded/checks.json` comes from MindSpore, by `tools.record checks`.
"""

import functools
from pathlib import Path

import numpy as np
import pytest

import sporax
from sporax import Parameter, Tensor, grad, mint, nn, ops
from sporax._src.devices.distributed.parallel_context import (
    get_auto_parallel_context,
    set_auto_parallel_context,
)
from sporax._src.mindspore.compat import module_names
from sporax._src.mindspore.compat.refused_names import REFUSED
from sporax.data import NumpySlicesDataset
from tests import records
from tests.compat import surface
from tests.compat.check_cases import CASES, evaluate

sporax.install_as_mindspore()
CHECKED = records.read("checks")


@pytest.fixture(autouse=True)
def settings_as_at_the_start():
    yield
    sporax.reset_auto_parallel_context()
    sporax.set_context(pynative_synchronize=False)


def test_a_mixed_precision_cast_leaves_what_does_not_float():
    """As MindSpore 2.10 returns it, but that a list stays one."""
    from mindspore.ops import functional

    inputs = {"a": (Tensor([1.5]), Tensor([1]), 3.0, None), "b": [Tensor([2.0], sporax.float16)]}
    cast = functional.mixed_precision_cast(sporax.float16, inputs)
    first, second, *rest = cast["a"]
    assert (first.dtype, second.dtype, rest) == (sporax.float16, sporax.int64, [3.0, None])
    assert cast["b"][0].dtype == sporax.float16 and first.asnumpy() == 1.5
    assert functional.mixed_precision_cast(sporax.float32, Tensor(2)).dtype == sporax.int64


# checks of arguments -------------------------------------------------------------------------


@pytest.mark.parametrize("call", CASES)
def test_a_check_returns_what_mindspores_returns(call):
    from mindspore import _checkparam

    assert evaluate(call, _checkparam, sporax) == CHECKED[call]


def test_a_check_of_a_range_is_one():  # MindSpore 2.10 refuses every value, with no words
    from mindspore import _checkparam as checks

    assert checks.check("n", 3, "m", (1, 5), checks.INC_BOTH) == 3
    with pytest.raises(ValueError, match=r"For 'Op', the 'n' should be in m: \[1, 5\), but got 5"):
        checks.check("n", 5, "m", (1, 5), checks.INC_LEFT, "Op")


def test_a_validator_has_the_checks_of_releases_before_2_0():
    from mindspore._checkparam import Rel, Validator
    from mindspore._checkparam import Validator as validator

    assert Validator.check_positive_int(3, "n") == 3
    assert validator.check_integer("n", 3, 0, Rel.GT, "Op") == 3
    assert Validator.check_float_legal_value("r", 0.5, None) == 0.5
    assert Validator.check("n", 3, "m", 4, Rel.LE) == 3 and Rel.LE == Validator.LE
    with pytest.raises(ValueError, match="For 'Op', the 'r' must be float and must > 0"):
        Validator.check_float_positive("r", -0.5, "Op")
    with pytest.raises(TypeError, match="For 'Op', the type of 'x' should be 'int'"):
        Validator.check_value_type("x", "a", [int], "Op")


def test_arguments_of_the_transformers_layers_are_checked():
    from mindspore._checkparam import Validator
    from mindspore.nn.transformer.layers import _args_type_validator_check, _valid_value_checks

    class Layer:
        @_args_type_validator_check(
            size=Validator.check_positive_int,
            dtype=_valid_value_checks([sporax.float32, sporax.float16], "Layer"),
        )
        def __init__(self, size, dtype=sporax.float32):
            self.size = size

    assert Layer(3, dtype=sporax.float16).size == 3
    with pytest.raises(ValueError, match="The 'size' must be int and must > 0, but got '0'"):
        Layer(0)
    with pytest.raises(TypeError, match="For 'Layer', the 'dtype' should be one of"):
        Layer(3, dtype=sporax.int32)


# other private functions ----------------------------------------------------------------------


def test_a_directory_is_made(tmp_path):
    from mindspore.train._utils import _make_directory

    built = _make_directory(str(tmp_path / "a" / "b"))
    assert Path(built).is_dir() and _make_directory(built) == built
    for wrong, error in ((3, TypeError), (" ", ValueError)):
        with pytest.raises(error, match="The path is invalid"):
            _make_directory(wrong)


@pytest.mark.parametrize(
    "loss, shown",
    [(Tensor([1.0, 3.0]), 2.0), ((Tensor(2.0), 1), 2.0), (3, 3), ("x", "x"), ([1], [1])],
    ids=str,
)
def test_a_loss_is_shown_as_its_mean(loss, shown):
    from mindspore.train.callback._callback import _handle_loss

    assert _handle_loss(loss) == shown


def test_names_of_activations_and_networks_without_numbers():
    from mindspore.nn.layer.activation import _activation
    from mindspore.nn.utils import no_init_parameters
    from mindspore.ops.functional import pows

    assert {"relu", "gelu", "tanh"} <= set(_activation.keys())
    with no_init_parameters():
        net = nn.Dense(2, 3)
    assert net(ops.ones((1, 2))).shape == (1, 3)
    assert float(pows(Tensor(3.0), 2)) == 9


@pytest.mark.parametrize(
    "kind, error, shown",
    [
        ("value", ValueError, "size 3"),
        ("type", TypeError, "size <class 'int'>"),
        ("runtime", RuntimeError, "size 3"),
        ("unimplemented", NotImplementedError, "size 3"),
    ],
)
def test_an_error_is_raised_by_a_function(kind, error, shown):
    from mindspore.numpy import utils_const

    raising = getattr(utils_const, f"_raise_{kind}_error")
    for args, text in ((("size ", 3), shown), (("size",), "size")):
        with pytest.raises(error) as raised:
            raising(*args)
        assert str(raised.value) == text


def test_values_are_drawn_for_initializers_of_ones_own():
    from mindspore.common import initializer

    drawn = initializer._init_random_uniform(2.0, 3.0, (4, 5))
    assert drawn.dtype == np.float32 and drawn.min() >= 2 and drawn.max() < 3
    assert (initializer._init_random_normal(2.0, 0.0, (4,)) == 2).all()
    drawn = initializer._init_truncated_normal(-1, 2, 10, 3, (10000,))
    assert drawn.min() >= -1 and drawn.max() <= 2
    assert abs(drawn.mean() - 1.167) < 0.05  # 10 + 3 (f(-11/3) - f(-8/3)) / (F(-8/3) - F(-11/3))


def test_a_batch_is_one_to_isinstance():
    from mindspore.dataset.engine.datasets import BatchDataset

    data = NumpySlicesDataset({"x": np.ones(4)})
    assert isinstance(data.batch(2), BatchDataset) and not isinstance(data, BatchDataset)


def test_the_installation_checks_itself(capsys):
    import mindspore

    mindspore.run_check()
    assert capsys.readouterr().out == "sporax multiplies matrices on CPU as it should.\n"


# mint's functions under other names ----------------------------------------------------------

EXT_NAMES = records.read("ext_names")


def test_functions_of_mint_are_there_under_the_names_of_ops():
    for path, face in EXT_NAMES.items():
        expected = functools.reduce(getattr, face.split("."), mint)
        result = surface.follow(path)
        own = getattr(ops, path.rpartition(".")[2], None)  # where ops has a function of that name
        assert result is (expected if own is None else own), path
    for name in ("kthvalue", "empty_like", "kl_div_ext", "relu_", "matrix_norm_ext"):
        assert callable(surface.follow(f"mindspore.ops.{name}")), name
    for name in ("moon_ext", "moon", "Conv2dExt", "nn", "special"):
        assert surface.follow(f"mindspore.ops.function.nn_func.{name}") is None, name


# what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(path for path in REFUSED if path[-1] != "*"))
def test_a_refused_name_is_imported_and_says_why_it_is_refused_where_it_is_used(path):
    module, _, name = path.rpartition(".")
    kinds = nn.Cell, nn.Optimizer, Tensor, Parameter
    kind = {kind.__name__: kind for kind in kinds}.get(module.split(".")[-1])
    if kind is not None:
        assert not hasattr(kind, name)
        return
    scope = {}
    exec(f"from {module} import {name} as refused", scope)
    call = "refused(1)()" if module_names.is_primitive(path) else "refused(1)"
    for use in (call, "refused.attribute", "class Own(refused): pass"):
        with pytest.raises(NotImplementedError) as raised:
            exec(use, scope)
        assert str(raised.value).endswith(f".{name}': {REFUSED[path]}")
    assert "sporax has no" in repr(scope["refused"])


def test_a_refused_name_is_so_under_its_legacy_paths():
    from mindspore.ops.operations import Push

    with pytest.raises(NotImplementedError, match=r"sporax has no 'mindspore.*Push'"):
        Push()()
    assert not hasattr(Push, "__wrapped__")


# one device ----------------------------------------------------------------------------------


def test_settings_of_parallel_training_are_kept():
    import mindspore as ms
    from mindspore import context
    from mindspore.parallel._auto_parallel_context import auto_parallel_context
    from mindspore.parallel._utils import (
        _get_device_num,
        _get_gradients_mean,
        _get_parallel_mode,
        _get_parameter_broadcast,
    )

    mode = context.ParallelMode.DATA_PARALLEL
    assert _get_parallel_mode() == "stand_alone" and _get_parameter_broadcast() is False
    context.set_auto_parallel_context(parallel_mode=mode, gradients_mean=True, device_num=1)
    assert ms.get_auto_parallel_context("parallel_mode") == _get_parallel_mode() == mode
    assert (_get_gradients_mean(), _get_device_num()) == (True, 1)
    assert auto_parallel_context().get_gradients_mean() is True
    auto_parallel_context().set_full_batch(True)
    assert get_auto_parallel_context("full_batch") is True
    context.reset_auto_parallel_context()
    assert (_get_gradients_mean(), _get_parallel_mode()) == (False, "stand_alone")
    with pytest.raises(AttributeError, match="has no 'nothing'"):
        auto_parallel_context().nothing  # noqa: B018


@pytest.mark.parametrize(
    "given, error, says",
    [
        ({"nonsense": 1}, ValueError, "there is no setting 'nonsense'"),
        ({"parallel_mode": "x"}, ValueError, "'parallel_mode' must be one of"),
        ({"search_mode": "x"}, ValueError, "'search_mode' must be one of"),
        ({"gradients_mean": 3}, TypeError, "'gradients_mean' must be a bool, but got int"),
        ({"device_num": True}, TypeError, "'device_num' must be an int, but got bool"),
        ({"device_num": 0}, ValueError, "'device_num' must be an int greater than 0"),
        (
            {"full_batch": True, "parallel_mode": "auto_parallel", "device_num": 512},
            ValueError,
            "there must be 512 devices",
        ),
    ],
)
def test_settings_of_parallel_training_that_are_refused_change_nothing(given, error, says):
    with pytest.raises(error, match=says):
        set_auto_parallel_context(**given)
    assert get_auto_parallel_context("full_batch") is False


@pytest.mark.executors
def test_collective_operations_of_one_process_give_what_came():
    x = Tensor([1.0, 2.0])
    for operation in (ops.AllReduce(ops.ReduceOp.MAX), ops.AllGather(), ops.ReduceScatter("sum")):
        np.testing.assert_array_equal(operation(x).asnumpy(), [1, 2])
        slope = grad(lambda x, operation=operation: operation(x * x))(x)
        np.testing.assert_array_equal(slope.asnumpy(), [2, 4])
    np.testing.assert_array_equal(ops.Broadcast(0)((x, x))[1].asnumpy(), [1, 2])
    weight = Parameter(x, name="w")
    reducer = nn.DistributedGradReducer([weight], True, 1)
    assert reducer((x,))[0] is x
    for call, error, says in (
        (lambda: ops.AllReduce("mean")(x), ValueError, "'op' must be one of"),
        (lambda: ops.AllReduce(group=3)(x), TypeError, "'group' must be a string"),
        (lambda: ops.AllGather()(3), TypeError, "'input_x' must be a Tensor"),
        (lambda: ops.Broadcast(1)((x,)), ValueError, "'root_rank' must be one of the ranks"),
        (lambda: nn.DistributedGradReducer([weight], 3), TypeError, "'mean' must be a bool"),
        (lambda: nn.DistributedGradReducer([weight], degree=0), ValueError, "'degree' must be"),
        (lambda: nn.DistributedGradReducer([weight], degree=8), ValueError, "number of processes"),
        (lambda: sporax.distributed.create_group("g", [0, 1]), ValueError, "ranks from 0 to 0"),
        (lambda: sporax.distributed.create_group("g", 0), TypeError, "'rank_ids' must be a list"),
    ):
        with pytest.raises(error, match=says):
            call()
    sporax.distributed.create_group("g", [0])
    sporax.distributed.destroy_group("g")


def test_memory_settings_and_waiting():
    from mindspore import runtime

    runtime.set_memory(max_size="10GB", optimize_level="O1")
    assert sporax.get_context("max_device_memory") == "10GB"
    with pytest.raises(ValueError, match=r"'optimize_level' must be one of .'O0', 'O1'."):
        runtime.set_memory(optimize_level="O9")
    y = Tensor([1.0]) + 1
    runtime.synchronize()
    runtime.launch_blocking()
    assert sporax.get_context("pynative_synchronize") is True
    assert float(y) == 2


# data that a step fetches itself ----------------------------------------------------------------


def test_a_sunk_function_fetches_its_rows():
    rows = {"x": np.arange(3.0, dtype=np.float32), "y": np.ones(3, np.float32)}
    data = NumpySlicesDataset(rows, shuffle=False)
    seen = []
    step = sporax.data_sink(lambda x, y: seen.append(float(x)) or x + y, data, sink_size=2)
    assert [float(step()) for _ in range(3)] == [2.0, 1.0, 3.0]
    assert seen == [0, 1, 2, 0, 1, 2]
    captured = sporax.data_sink(lambda x, y: x - y, data, jit_config=sporax.JitConfig("O1"))
    assert [float(captured()) for _ in range(4)] == [-1.0, 0.0, 1.0, -1.0]


@pytest.mark.parametrize(
    "given, error, says",
    [
        ({"fn": 3}, TypeError, "'fn' must be a function, but got int"),
        ({"dataset": 3}, TypeError, "'dataset' must be a dataset"),
        ({"sink_size": 0}, ValueError, "'sink_size' must be an int greater than 0"),
        ({"sink_size": 0.5}, TypeError, "'sink_size' must be an int"),
        ({"jit_config": "O1"}, TypeError, "'jit_config' must be a JitConfig or None"),
    ],
)
def test_a_sunk_function_refuses_wrong_arguments(given, error, says):
    data = NumpySlicesDataset({"x": np.ones(2)})
    with pytest.raises(error, match=f"For 'data_sink', {says}"):
        sporax.data_sink(**{"fn": lambda x: x, "dataset": data, **given})


def test_dependences_that_the_programs_order_keeps():
    from mindspore.ops import functional as F
    from mindspore.ops import operations as P

    counter = Parameter(Tensor(1.0), name="counter")

    @sporax.jit
    def step(x):
        first = counter * x
        second = ops.assign(counter, x + 5)
        assert F.control_depend(first, second) is first
        return P.ControlDepend(depend_mode=1)(first, second), second

    first, second = step(Tensor(3.0))
    assert (float(first), float(second), float(counter)) == (3.0, 8.0, 8.0)


def test_a_helper_gives_the_rows_of_an_epoch():
    data = NumpySlicesDataset({"x": np.arange(4.0), "y": np.arange(4)}, shuffle=False).batch(2)
    helper = sporax.DatasetHelper(data, dataset_sink_mode=False, epoch_num=2)
    seen = [[(x.asnumpy().tolist(), y.shape) for x, y in helper] for _ in range(2)]
    assert seen == 2 * [[([0.0, 1.0], (2,)), ([2.0, 3.0], (2,))]]
    with pytest.raises(RuntimeError, match="'num_epochs' have been gone through"):
        list(helper)
    assert helper.sink_size() == 2
    assert helper.types_shapes() == ([sporax.float64, sporax.int64], [[2], [2]])
    network = nn.Cell()
    assert sporax.connect_network_with_dataset(network, helper) is network
    for args, error in (((data, 3), TypeError), ((data, False, 0), ValueError), ((3,), TypeError)):
        with pytest.raises(error, match="For 'DatasetHelper'"):
            sporax.DatasetHelper(*args)


@pytest.mark.parametrize("wrap", [lambda f: f, sporax.jit], ids=["dynamic", "jit"])
def test_rows_of_a_queue(wrap):
    from mindspore import nn, ops

    data = NumpySlicesDataset({"x": np.arange(4.0), "y": np.arange(4)}, shuffle=False).batch(2)
    helper = sporax.DatasetHelper(data, dataset_sink_mode=True, epoch_num=2)
    queue = helper.iter.dataset.__transfer_dataset__.queue_name
    get_next = nn.GetNextSingleOp(*helper.types_shapes(), queue)
    step = wrap(lambda: [x * 2 for x in get_next()])
    seen = [[x.asnumpy().tolist() for x in step()] for _ in range(4)]
    assert seen == 2 * [[[0.0, 2.0], [0, 2]], [[4.0, 6.0], [4, 6]]]
    with pytest.raises(RuntimeError, match=r"gone through|must be another row"):
        step()
    kinds, shapes = helper.types_shapes()
    for args, error, says in (
        ((kinds, shapes, 1, queue), ValueError, "'output_num' must be the number"),
        ((kinds, shapes, 2, 1), TypeError, "'shared_name' must be a str"),
        ((kinds, 3, 2, queue), TypeError, "'shapes' must be a tuple or list"),
    ):
        with pytest.raises(error, match=f"For 'GetNext', {says}"):
            ops.GetNext(*args)
    with pytest.raises(RuntimeError, match="there is no 'absent'"):
        ops.GetNext(kinds, shapes, 2, "absent")()
    sporax.DatasetHelper(data, True)
    queue = data.__transfer_dataset__.queue_name
    with pytest.raises(ValueError, match="a row must have the 'types' and 'shapes'"):
        ops.GetNext(kinds, [(3,), (3,)], 2, queue)()


def test_gradients_of_a_cell_by_its_primitive():
    """The first that arrive are the outputs', the second the inputs', as in MindSpore."""
    from mindspore.ops.operations import _inner_ops

    seen = []

    def hook(cell, inside, outside):
        seen.append((cell, inside[0].item(), outside[0].item()))
        return (inside[0] * 3,)

    gate = _inner_ops.CellBackwardHook("cell", "the cell", {0: hook})
    slope = grad(lambda x: gate(gate(x) * 2) * 5)
    assert slope(Tensor(1.0)).item() == 10.0 and not seen
    gate.register_backward_hook()
    assert slope(Tensor(1.0)).item() == 30.0 and seen == [("the cell", 10.0, 5.0)]
    gate.remove_backward_hook()
    assert slope(Tensor(1.0)).item() == 10.0 and len(seen) == 1


@pytest.mark.parametrize("wrap", [lambda f: f, sporax.jit], ids=["dynamic", "jit"])
def test_hooks_of_parameters(wrap):
    from mindspore.graph.api import _set_parameter_forward_hook_enabled as enable

    net = nn.Dense(2, 1, weight_init="ones")
    net.weight._register_forward_hook(lambda p: p * 10)
    run, x = wrap(lambda x: net(x)), Tensor([[1.0, 2.0]])
    values = []
    for enabled in (None, True, False):
        if enabled is not None:
            enable(net, enabled)
        values.append(run(x).item() - net.bias.item())
    np.testing.assert_allclose(values, [3.0, 30.0, 3.0], rtol=1e-6)
    for call, says in (
        (enable, "must be a Cell"), (net.weight._register_forward_hook, "must be a function"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=says):
            call(3)


def test_a_place_of_a_primitive_has_no_effect():
    product = ops.MatMul()
    with pytest.warns(RuntimeWarning, match="'Primitive.place' has no effect"):
        assert product.place("MS_WORKER", 0) is None
    assert product.get_attr_dict()["ms_role"] == "MS_WORKER"
    for role, rank in (("MS_SERVER", 0), ("MS_WORKER", -1), (1, 0)):  # as MindSpore does
        with pytest.raises(ValueError, match=r"For 'place', '(role|rank_id)' must be"):
            product.place(role, rank)


def test_the_graph_of_a_cell():
    from mindspore.train.serialization import _get_funcgraph

    graph = _get_funcgraph(nn.Dense(2, 3), Tensor(np.ones((4, 2), np.float32)))
    assert "parameter weight: Float32 (3, 2)" in str(graph)
    with pytest.raises(ValueError, match="'net' must be a Cell, but got function"):
        _get_funcgraph(lambda x: x, 1)


def test_settings_of_parameter_servers_start_again():
    sporax.set_ps_context(worker_num=3)
    sporax.reset_ps_context()
    assert sporax.parallel.get_ps_context("worker_num") == 0


def test_layouts_of_tensors():
    """`sharding_strategy` as MindSpore 2.10 gives it."""
    from mindspore.parallel.shard import _DistributedTensorInfo

    layout = sporax.Layout((2, 2), ("dp", "mp"))
    strategies = {("dp", "mp"): [2, 2], (("dp", "mp"), "None"): [4, 1]}
    for names, strategy in strategies.items():
        info = _DistributedTensorInfo(layout(*names))
        assert info.sharding_strategy == strategy and info.layout is info.distributed_info
    with pytest.raises(TypeError, match="must be a Layout, but got int"):
        _DistributedTensorInfo(1)
    x = Tensor([1.0])
    assert x._dtensor_info is None
    x._dtensor_info = info
    assert x._dtensor_info is info


def test_what_a_loop_of_ones_own_takes_from_models():
    from mindspore.dataset.engine.datasets import _set_training_dataset
    from mindspore.parallel._ps_context import _is_role_pserver
    from mindspore.parallel._utils import _device_number_check
    from mindspore.train.callback import Callback, RunContext, _CallbackManager
    from mindspore.train.model import _StepSync, _transfer_tensor_to_tuple

    class Logged(Callback):
        def __init__(self):
            self.events = []

        def begin(self, run_context):
            self.events.append("begin")

        def step_end(self, run_context):
            self.events.append("step_end")

    messages, run = Logged(), RunContext({})
    with _CallbackManager([_StepSync(), messages]) as callbacks:
        callbacks.begin(run)
        callbacks.epoch_begin(run)
        callbacks.step_end(run)
    assert messages.events == ["begin", "step_end"]
    x = Tensor([1.0])
    assert _transfer_tensor_to_tuple(x) == (x,) and _transfer_tensor_to_tuple([x]) == [x]
    assert not _is_role_pserver() and _set_training_dataset(None) is None
    _device_number_check("data_parallel", 1)
    with pytest.raises(ValueError, match="device_number must be 1, but got 2"):
        _device_number_check("stand_alone", 2)


def test_layers_and_steps_that_model_zoos_build_on():
    from mindspore.nn.layer.conv import _Conv
    from mindspore.nn.layer.normalization import _BatchNorm
    from mindspore.nn.optim.adam import _adam_opt
    from mindspore.nn.wrap.loss_scale import _grad_scale

    class Squared(_Conv):
        def construct(self, x):
            return ops.conv2d(x, self.weight * self.weight, stride=self.stride)

    layer = Squared(2, 3, 1, 1, "valid", 0, 1, 1, False, "ones", "zeros")
    assert layer(ops.ones((1, 2, 4, 4))).asnumpy().tolist() == [[[[2.0] * 4] * 4] * 3]
    shape = _Conv(2, 4, (3, 3), 1, "same", 0, 1, 1, True, "ones", "zeros", transposed=True)
    assert (shape.weight.shape, shape.bias.shape) == ((2, 4, 3, 3), (4,))

    class Always(_BatchNorm):
        _ndims = (2,)

    assert (
        Always(3, use_batch_statistics=True)(ops.ones((2, 3))).asnumpy().tolist() == [[0.0] * 3] * 2
    )
    assert _grad_scale(Tensor(4.0), Tensor([8.0], sporax.float16)).asnumpy().tolist() == [2.0]

    net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
    adam = nn.AdamWeightDecay(net.trainable_params(), 0.1, weight_decay=0.5)
    mine = Parameter(Tensor([[1.0, 1.0]]), name="mine")
    m, v = [Parameter(ops.zeros((1, 2)), name=name) for name in "mv"]
    settings = [Tensor(x) for x in (0.9, 0.999, 1e-6, 0.1, 0.5)]
    for gradient in (Tensor([[1.0, -2.0]]), Tensor([[0.5, 3.0]])):
        adam((gradient,))
        _adam_opt(*settings, mine, m, v, gradient, True, True)
    np.testing.assert_allclose(mine.asnumpy(), net.weight.asnumpy(), 1e-6)
