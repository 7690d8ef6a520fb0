"""`device_context`: which devices are here, and settings of other backends."""

import logging

import pytest

import sporax
from sporax._src.mindspore.compat import runtime

sporax.install_as_mindspore()
import mindspore as ms  # noqa: E402

ASCEND, GPU = ms.device_context.ascend, ms.device_context.gpu
SETTINGS = [
    (ASCEND.op_precision.precision_mode, "force_fp16", "bad"),
    (ASCEND.op_precision.op_precision_mode, "./file", 3),
    (ASCEND.op_precision.matmul_allow_hf32, True, 3),
    (ASCEND.op_precision.conv_allow_hf32, False, None),
    (ASCEND.op_debug.execute_timeout, 100, "a"),
    (ASCEND.op_debug.debug_option, "oom", "x"),
    (ASCEND.op_tuning.op_compile, True, 3),
    (ASCEND.op_tuning.aoe_tune_mode, "online", "x"),
    (ASCEND.op_tuning.aoe_job_type, "1", "3"),
    (ASCEND.op_tuning.aclnn_cache, True, 3),
    (ASCEND.op_debug.aclinit_config, {"err_msg_mode": "1"}, {"x": 1}),
    (ASCEND.op_debug.aclinit_config, {"max_opqueue_num": "20"}, {"max_opqueue_num": 20}),
    (GPU.op_tuning.conv_fprop_algo, "winograd", "x"),
    (GPU.op_tuning.conv_wgrad_algo, "algo_3", "winograd"),
    (GPU.op_tuning.conv_dgrad_algo, "winograd", "algo_3"),
]


@pytest.mark.parametrize(
    ("setting", "value", "wrong"), SETTINGS, ids=[row[0].__name__ for row in SETTINGS]
)
def test_settings_are_checked_and_logged(setting, value, wrong, caplog, monkeypatch):
    monkeypatch.setattr(runtime, "_mentioned", set())
    with caplog.at_level(logging.WARNING, "sporax"):
        assert setting(value) is setting(value) is None
    assert [f"'{setting.__name__}' has no effect here" in m for m in caplog.messages] == [True]
    with pytest.raises((TypeError, ValueError), match="must be"):
        setting(wrong)


def test_devices_that_are_here():
    assert ms.device_context.cpu.is_available() and ms.device_context.cpu.device_count() >= 1
    assert not ASCEND.is_available()
    with pytest.raises(RuntimeError, match="must be an Ascend, but there is none"):
        ASCEND.device_count()
    if not GPU.is_available():
        with pytest.raises(RuntimeError, match="must be a GPU, but there is none"):
            GPU.device_count()
