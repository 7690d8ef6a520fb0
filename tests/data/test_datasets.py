"""Data pipelines: what MindSpore's rows, orders and refusals are (`tools.record training`)."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from sporax import data, nn, train
from sporax._src.core import dtype, random
from sporax._src.core.tensor import Tensor
from tests import records
from tests.case_results import result_or_error
from tests.data.data_cases import CASES
from tests.data.data_cases import evaluate as evaluate_pipeline
from tests.data.training_cases import DATA, firsts, numbers, rows

RECORDED = records.read("training")
MS = SimpleNamespace(
    ds=data, transforms=data.transforms, train=train, Tensor=Tensor, dtype=dtype,
    set_seed=random.set_seed,
)  # fmt: skip


@pytest.mark.parametrize("name", DATA)
def test_answers_as_mindspore(name):
    outcome = result_or_error(DATA[name], MS)
    expected = RECORDED["data"][name]
    if expected == "no numbers":
        assert not isinstance(outcome, str)
    else:
        assert json.loads(json.dumps(outcome)) == expected


def test_an_iterator_gives_tensors():
    row = next(iter(data.GeneratorDataset([(1.5, [1, 2])], ["a", "b"], shuffle=False)))
    assert [type(x) for x in row] == [Tensor, Tensor]
    assert str(row[1].dtype) == "Int64"
    named = next(numbers(MS).create_dict_iterator())
    assert list(named) == ["x"] and isinstance(named["x"], Tensor)


def test_nothing_is_read_before_it_is_asked_for():
    read = []

    def source():
        for i in range(100):
            read.append(i)
            yield (i,)

    pipeline = data.GeneratorDataset(source, ["x"]).map(lambda x: x + 1).batch(4).repeat(2)
    assert read == []
    next(pipeline.create_tuple_iterator())
    assert read == [0, 1, 2, 3]


def test_errors_of_the_users_functions_come_as_they_are():
    with pytest.raises(ZeroDivisionError):
        rows(numbers(MS).map(lambda x: 1 // 0))
    with pytest.raises(TypeError, match="For 'map', rows must hold numbers"):
        rows(numbers(MS).map(lambda x: None))


def test_orders_differ_without_a_seed():
    many = numbers(MS, 100, shuffle=True)
    assert rows(many) != rows(many)
    assert sorted(rows(many)) == sorted(rows(numbers(MS, 100)))


@pytest.mark.parametrize(
    "count, wanted",
    [  # of MindSpore 2.10: two positions from each random number, or one in larger sets
        (65534, [19281, 49385, 789, 24746, 61464, 18005]),
        (65535, [921, 17773, 59330, 60320, 61465, 12545]),
        (65537, [8986, 12675, 36710, 27644, 37101, 63324]),
    ],
)
def test_orders_of_many_rows_are_those_of_mindspore(count, wanted):
    data.config.set_seed(5)
    order = data.RandomSampler().begin(count)()
    assert order[:6] == wanted and len(set(order)) == count


def test_without_replacement_each_row_comes_once():
    weights = np.arange(1.0, 9.0)
    sampler = data.WeightedRandomSampler(weights, 8, replacement=False)
    assert sorted(rows(numbers(MS, shuffle=None, sampler=sampler))) == [[i] for i in range(8)]


def test_a_sampler_of_ones_own():
    class Backward(data.Sampler):
        def __iter__(self):
            return iter(range(self.dataset_size - 1, -1, -1))

    assert rows(numbers(MS, 3, shuffle=None, sampler=Backward())) == [[2], [1], [0]]


@pytest.mark.parametrize(
    "child, parent, wanted",
    [
        (lambda: data.SubsetSampler([4, 2, 7, 1]), lambda: data.SequentialSampler(1, 2), [2, 7]),
        (lambda: data.SequentialSampler(3, 4), lambda: data.SubsetSampler([2, 0]), [5, 3]),
        (lambda: data.SubsetSampler([4, 2, 7, 1]),
         lambda: data.DistributedSampler(2, 1, shuffle=False), [2, 1]),
        (lambda: data.SubsetSampler([4, 2]), lambda: data.SequentialSampler(1, 5), [2]),
    ],
)  # fmt: skip
def test_a_sampler_chooses_among_its_childs_rows_as_mindspores(child, parent, wanted):
    sampler, inner = parent(), child()
    sampler.add_child(inner)
    assert sampler.get_child() is inner
    chosen = numbers(MS, 10, shuffle=None, sampler=sampler)
    assert chosen.get_dataset_size() == len(wanted)
    assert rows(chosen) == [[i] for i in wanted]
    with pytest.raises(RuntimeError, match="there is a"):
        sampler.add_child(inner)


def test_parts_of_a_split_have_no_row_in_common():
    first, second = numbers(MS, 50, shuffle=None).split([0.5, 0.5])
    assert not {r[0] for r in rows(first)} & {r[0] for r in rows(second)}


def test_smoothed_labels_sum_to_one():
    built = data.transforms.OneHot(4, 0.1)(np.array([1, 3]))
    np.testing.assert_allclose(built[0], [0.025, 0.925, 0.025, 0.025], rtol=1e-6)
    np.testing.assert_allclose(built.sum(axis=1), 1, rtol=1e-6)


@pytest.mark.parametrize(
    "shape, wanted", [((), (4,)), ((1, 1), (4,)), ((2, 1), (2, 4)), ((1, 2), (2, 4))]
)
def test_one_hot_rows_are_one_a_label_whatever_their_shape(shape, wanted):
    built = data.transforms.OneHot(4)(np.full(shape, 2))
    assert built.shape == wanted and (built[..., 2] == 1).all() and built.sum() == built.size / 4


def test_flat_map_and_apply():
    pipeline = numbers(MS, 3).flat_map(lambda x: numbers(MS, int(x)))
    assert rows(pipeline) == [[0], [0], [1]]
    assert rows(numbers(MS, 3).apply(lambda d: d.skip(2))) == [[2]]


@pytest.mark.parametrize("name", ["GraphData", "UnknownDataset"])
def test_what_is_missing_says_so(name):
    with pytest.raises(AttributeError, match=f"sporax has no 'mindspore.dataset.{name}'"):
        getattr(data, name)
    with pytest.raises(AttributeError, match=r"no 'mindspore\.dataset\.Dataset\.device_que'"):
        numbers(MS).device_que("x")


def test_column_types_and_shapes_that_differ():
    ragged = data.GeneratorDataset(lambda: iter([np.zeros((2, 1)), np.zeros((2, 3))]), ["x"])
    assert ragged.output_shapes(estimate=True) == [[2, None]]


def test_parts_of_a_split_are_the_same_in_every_epoch():
    for randomize in (False, True):
        part, _ = numbers(MS, 20, shuffle=None).split([0.5, 0.5], randomize)
        first, second = firsts(part, 2)
        assert first == second


def test_settings_of_workers_are_kept(monkeypatch):
    config = data.config
    for state in ("_times", "_values"):
        monkeypatch.setattr(config, state, dict(getattr(config, state)))
    for name, value in (("enable_shared_mem", False), ("num_parallel_workers", 3)):
        before = getattr(config, f"get_{name}")()
        getattr(config, f"set_{name}")(value)
        assert getattr(config, f"get_{name}")() == value != before
        getattr(config, f"set_{name}")(before)
    config.set_num_parallel_workers(num=2)
    with pytest.raises(TypeError, match="For 'set_numa_enable', 'numa_enable' must be a bool"):
        config.set_numa_enable(1)
    with pytest.raises(TypeError, match="For 'set_prefetch_size', 'size' must be an int"):
        config.set_prefetch_size(True)
    with pytest.raises(ValueError, match="For 'set_callback_timeout', 'timeout' must be in"):
        config.set_callback_timeout(0)
    with pytest.raises(TypeError, match="'debug_hook_list' must hold DebugHooks, but got builtin"):
        config.set_debug_mode(True, [print])


# as recorded ---------------------------------------------------------------------------------

ROWS = records.read("data_rows")


@pytest.mark.parametrize("case", CASES)
def test_rows_are_those_of_mindspore(case):
    assert json.loads(json.dumps(evaluate_pipeline(data, case))) == ROWS[case]


@pytest.mark.parametrize("data_given", [5, 2.5, None, {1}, "abc", ([1, 2], 3)])
def test_what_has_no_slices(data_given):
    with pytest.raises(TypeError, match=r"For 'NumpySlicesDataset', .* must be a list"):
        data.NumpySlicesDataset(data_given)


@pytest.mark.parametrize("made", [None, 5, [1, 2, 3]])
def test_a_per_batch_map_that_gives_no_rows(made):
    rows = data.NumpySlicesDataset([1, 2], ["x"], shuffle=False)
    rows = rows.batch(2, per_batch_map=lambda x, info: (made,))
    with pytest.raises(RuntimeError, match=r"'per_batch_map' must return a list of 2 rows for col"):
        next(rows.create_tuple_iterator())


def trained_on(rows, **options):
    """Train for two epochs; return the number in each step's row."""
    steps = []

    class Steps(train.Callback):
        def on_train_step_end(self, run_context):
            steps.append(int(run_context.original_args().train_dataset_element[0].item()))

    train.Model(nn.ReLU()).train(2, rows, Steps(), **options)
    return steps


@pytest.mark.parametrize("sink", [True, False])
@pytest.mark.parametrize(("initial_epoch", "seen"), [(0, [2, 3, 0, 1, 2, 3]), (1, [2, 3])])
def test_the_first_step_of_a_resumed_training(sink, initial_epoch, seen):
    """Read by Model, from the dataset around too."""
    source = data.NumpySlicesDataset(np.arange(4, dtype=np.float32), shuffle=False)
    source.set_init_step(6)
    batched = source.batch(1)
    assert source.get_init_step() == batched.get_init_step() == 6
    assert [int(row[0].item()) for row in batched.create_tuple_iterator()] == [0, 1, 2, 3]
    options = {"dataset_sink_mode": sink, "initial_epoch": initial_epoch}
    assert trained_on(batched, **options) == seen


def test_a_resumed_training_continues_the_shuffled_order():
    data.config.set_seed(0)
    source = data.NumpySlicesDataset(np.arange(10, dtype=np.int32))
    source.set_init_step(13)
    assert trained_on(source.batch(1), initial_epoch=1) == [8, 7, 9, 4, 5, 2, 6]  # MindSpore's
