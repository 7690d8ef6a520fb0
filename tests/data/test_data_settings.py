"""Settings of `dataset.config` with an effect: rows that fail, hooks of debugging, files."""

import json

import pytest

import sporax

sporax.install_as_mindspore()
import mindspore.dataset as ds  # noqa: E402
from mindspore.dataset import debug  # noqa: E402

MODES = ds.config.ErrorSamplesMode
# mode, rows that fail -> the rows that MindSpore 2.10 gives, of 0..7 times 10
ROWS = [
    (MODES.REPLACE, [1, 4, 5], [0, 20, 30, 60, 70, 0, 20, 30]),
    (MODES.REPLACE, [0], [10, 20, 30, 40, 50, 60, 70, 10]),
    (MODES.SKIP, [1, 4, 5], [0, 20, 30, 60, 70]),
    (MODES.SKIP, list(range(8)), []),
]


@pytest.fixture
def mode():
    yield ds.config.set_error_samples_mode
    ds.config.set_error_samples_mode(MODES.RETURN)


def failing(bad):
    def times_ten(x):
        if int(x) in bad:
            raise ValueError(f"row {x}")
        return x * 10

    return ds.NumpySlicesDataset(list(range(8)), ["x"], shuffle=False).map(times_ten, "x")


def rows(data):
    return [int(x) for (x,) in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize(("chosen", "bad", "expected"), ROWS, ids=str)
def test_rows_that_fail(mode, chosen, bad, expected):
    mode(chosen)
    assert ds.config.get_error_samples_mode() == chosen
    data = failing(bad)
    assert rows(data) == expected and data.get_dataset_size() == len(expected)


def test_rows_that_fail_raise_by_default(mode):
    with pytest.raises(ValueError, match="row 4"):
        rows(failing([4]))
    mode(MODES.REPLACE)
    with pytest.raises(RuntimeError, match="raised for every row"):
        rows(failing(range(8)))
    with pytest.raises(TypeError, match="must be a member of ErrorSamplesMode"):
        mode(1)


def test_hooks_see_what_goes_through_the_operations(capsys):
    ds.config.set_debug_mode(True, [debug.PrintDataHook()])
    try:
        data = ds.NumpySlicesDataset([1], ["x"]).map([lambda x: x + 1, abs], ["x"])
    finally:
        ds.config.set_debug_mode(False)
    assert rows(data) == [2]
    assert capsys.readouterr().out.splitlines() == [
        line
        for which, name, value in (("IN", "<lambda>", 1), ("OUT", "<lambda>", 2), ("OUT", "abs", 2))
        for line in (
            f"[Dataset debugger] Print the [{which}PUT] of the operation [{name}].",
            f"Column 0. The data is [{value}].",
        )
    ]
    data = ds.NumpySlicesDataset([1], ["x"]).map([debug.PrintMetaDataHook()], ["x"])
    assert rows(data) == [1]
    assert capsys.readouterr().out == "Column 0. The dtype is [int64]. The shape is [()].\n"


def test_settings_from_a_file(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"opConnectorSize": 5, "monitorSamplingInterval": 7, "other": 1}))
    before = ds.config.get_prefetch_size(), ds.config.get_monitor_sampling_interval()
    ds.config.load(str(file))
    assert (ds.config.get_prefetch_size(), ds.config.get_monitor_sampling_interval()) == (5, 7)
    ds.config.set_prefetch_size(before[0])
    ds.config.set_monitor_sampling_interval(before[1])
    with pytest.raises(RuntimeError, match=r"For 'config.load', the file '.*' cannot be read"):
        ds.config.load(str(tmp_path / "none"))


def test_settings_that_are_kept():
    ds.config.set_iterator_mode(do_copy=True)
    assert ds.config.get_iterator_mode() == {"do_copy": True, "parallel_convert": False}
    ds.config.set_iterator_mode()
    ds.config.set_video_backend("CPU")
    ds.config.set_sending_batches(10)
    ds.config.set_multiprocessing_start_method("spawn")
    assert ds.config.get_multiprocessing_start_method() == "spawn"
    ds.config.set_multiprocessing_start_method("fork")
    with pytest.raises(ValueError, match="'start_method' must be in"):
        ds.config.set_multiprocessing_start_method("x")
    with pytest.raises(TypeError, match="'parallel_convert' must be a bool"):
        ds.config.set_iterator_mode(True, 3)


def test_lines_by_number(tmp_path):
    file = tmp_path / "lines.txt"
    file.write_bytes(b"one\r\ntwo\n\nfour")
    reader = ds.LineReader(str(file))
    assert [reader[i] for i in (4, 1, 3, 2)] == ["four", "one", "", "two"]
    assert reader.len() == len(reader) == 4
    reader.close()
    assert reader.readline(2) == "two"
    for wrong, error in ((0, ValueError), (5, ValueError), ("1", TypeError)):
        with pytest.raises(error, match="'line' must be"):
            reader[wrong]
    with pytest.raises(RuntimeError, match="'filename' must be a file"):
        ds.LineReader(str(tmp_path / "none"))


def test_an_own_sampler_of_any_iterable():
    data = ds.NumpySlicesDataset([5, 6, 7], "x", sampler=ds.IterSampler([2, 0, 1], 2))
    assert rows(data) == [7, 5]
