"""Memory figures, streams, events and devices of `mindspore.hal` and `mindspore.runtime`."""

import logging
import os

import numpy as np
import pytest

import sporax
from sporax import Tensor, ops

sporax.install_as_mindspore()
import mindspore as ms  # noqa: E402

MEGABYTE = 1_000_000


@pytest.mark.parametrize("module", [ms, ms.runtime, ms.hal], ids=lambda m: m.__name__)
def test_memory_figures_follow_arrays(module):
    module.memory_allocated()
    ms.runtime.reset_peak_memory_stats()
    before = module.memory_allocated()
    x = Tensor(np.ones(25 * MEGABYTE, np.float32)) * 2
    grown = module.memory_allocated() - before  # small arrays of before may go meanwhile
    assert grown in range(99 * MEGABYTE, 201 * MEGABYTE)
    assert module.memory_reserved() >= module.memory_allocated()
    x.asnumpy()
    del x
    ms.runtime.empty_cache()
    assert module.memory_allocated() - before < 100 * MEGABYTE
    assert module.max_memory_allocated() - before >= 100 * MEGABYTE
    assert module.max_memory_reserved() >= module.memory_reserved()
    for reset in "reset_max_memory_allocated", "reset_max_memory_reserved":
        getattr(module, reset)()
    assert module.max_memory_allocated() - before < 100 * MEGABYTE


def test_the_figures_as_a_dict_and_a_table():
    figures = ms.runtime.memory_stats()
    assert figures.keys() == ms.hal.memory_stats().keys()
    assert figures["total_idle_memory"] >= 0
    assert figures["common_mem_pool_stats"]["blocks_info"] == {}
    table = ms.runtime.memory_summary()
    assert table.splitlines()[1] == "|               Memory summary                |"
    assert "| Max allocated memory |" in table and ms.hal.memory_summary().count("|") > 20
    assert {len(line) for line in table.splitlines()} == {47}


def test_streams_are_one_queue():
    first, second = ms.Stream(), ms.hal.Stream(priority=1)
    assert first != second and first == first and hash(first) != hash(second)
    with ms.runtime.StreamCtx(first):
        assert ms.current_stream() == first
        x = Tensor([1.0]) + 1
        done = first.record_event()
    assert ms.current_stream() == ms.default_stream()
    with ms.hal.StreamCtx(second):
        second.wait_event(done)
        second.wait_stream(first)
        y = x * 3
    large = ops.matmul(Tensor(np.ones((512, 1024), np.float32)), ops.ones((1024, 1024)))
    second.synchronize()
    assert second.query() and large.shape == (512, 1024)
    again = ops.matmul(large, ops.ones((1024, 1024)))
    ms.hal.synchronize()
    assert second.query() and again.shape == (512, 1024)
    assert second.query() and done.query() and y.item() == 6.0
    done.synchronize()
    ms.set_cur_stream(first)
    assert ms.hal.current_stream() == first
    ms.hal.set_cur_stream(ms.communication_stream())
    assert ms.runtime.current_stream() == ms.default_stream()
    assert repr(ms.default_stream()).startswith("Stream(device_name=CPU, device_id:0, stream id:")


def test_events_measure_time():
    begin, end = ms.Event(enable_timing=True), ms.hal.Event(True)
    assert begin.query()
    begin.record()
    x = ops.ones((300, 300))
    for _ in range(5):
        x = x @ x / 300
    end.record(ms.current_stream())
    end.wait()
    assert 0 < begin.elapsed_time(end) < 60_000
    assert begin.elapsed_time(begin) == 0
    plain = ms.Event()
    plain.record()
    with pytest.raises(RuntimeError, match="recorded with enable_timing=True"):
        begin.elapsed_time(plain)


def test_devices():
    assert ms.hal.is_available("CPU") and ms.hal.is_initialized("CPU")
    assert not ms.hal.is_available("Ascend") and not ms.hal.is_available("TPU")
    assert ms.hal.device_count() == ms.hal.device_count("CPU") == 1
    assert ms.hal.get_device_name(0) == ms.hal.get_device_properties(0, "CPU").name == "cpu"
    assert ms.hal.get_device_capability(0) is None and ms.hal.get_arch_list() is None


def test_settings_without_effect_are_mentioned_once(caplog):
    from sporax._src.mindspore.compat import runtime

    runtime._mentioned.clear()
    with caplog.at_level(logging.WARNING, "sporax"):
        for _ in range(2):
            ms.dispatch_threads_num(4)
            ms.runtime.set_kernel_launch_group(2, kernel_group_num=4)
            ms.set_kernel_launch_capture(False, ["Add"])
    assert len(caplog.records) == 3
    assert "'dispatch_threads_num' has no effect here" in caplog.text


def test_processors():
    before = os.sched_getaffinity(0)
    try:
        ms.runtime.set_cpu_affinity(True, [str(min(before))])
        assert os.sched_getaffinity(0) == {min(before)}
    finally:
        ms.set_cpu_affinity(False)
    assert os.sched_getaffinity(0) == before


REFUSED = [
    (lambda: ms.hal.is_available("X"), ValueError, "'device_target' must be one of"),
    (lambda: ms.hal.device_count("GPU"), ValueError, "there is no GPU"),
    (lambda: ms.hal.get_device_name(3), ValueError, "'device_id' must be less than"),
    (lambda: ms.hal.get_device_name("a"), TypeError, "'device_id' must be an int"),
    (lambda: ms.Stream(priority="a"), TypeError, "'priority' must be an int"),
    (lambda: ms.StreamCtx(3), TypeError, "'ctx_stream' must be an instance of Stream"),
    (lambda: ms.set_cur_stream(3), TypeError, "'stream' must be an instance of Stream"),
    (lambda: ms.Event(1), TypeError, "'enable_timing' must be a bool"),
    (lambda: ms.Event().elapsed_time(3), TypeError, "'end_event' must be an instance of Event"),
    (lambda: ms.dispatch_threads_num(0), ValueError, "'threads_num' must be an int from 1"),
    (lambda: ms.set_kernel_launch_group("a"), TypeError, "'thread_num' must be an int"),
    (lambda: ms.set_kernel_launch_capture(1), TypeError, "'enable_capture_graph' must be a bool"),
    (lambda: ms.set_cpu_affinity(1), TypeError, "'enable_affinity' must be a bool"),
    (lambda: ms.set_cpu_affinity(True, ["a-b"]), ValueError, "texts such as '0-3'"),
    (lambda: ms.set_cpu_affinity(True, ["90000"]), ValueError, "processors of this process"),
    (lambda: ms.set_cpu_affinity(True, None, {"main": 1}), NotImplementedError, "left out"),
    (lambda: ms.runtime.use_mem_pool(1), NotImplementedError, "memory is XLA's"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
