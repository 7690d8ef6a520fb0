"""The settings of a process: mode, device, executor; `set_context` and `get_context`."""

import jax

from sporax.core.errors import warn

GRAPH_MODE, PYNATIVE_MODE = 0, 1
STRICT, COMPATIBLE, LAX = 0, 1, 2  # how much of Python a captured function may use: always all

# settings of other backends, by their defaults: 0, False, ""
_NUMBERS = """
    compute_communicate_fusion_level cur_step_num dataset_broadcast_opt_level last_triggered_step
    save_checkpoint_steps"""
_SWITCHES = """
    bias_add_comm_swap disable_format_transform enable_allreduce_slice_to_reducescatter
    enable_begin_end_inline_opt enable_concat_eliminate_opt enable_flash_attention_load_balance
    enable_fused_cast_add_opt enable_grad_comm_opt enable_interleave_parallel_branch
    enable_interleave_split_concat_branch enable_opt_shard_comm_opt enable_parallel_split
    enable_task_opt interleaved_layernorm_comm interleaved_matmul_comm need_ckpt
    recompute_allgather_overlap_fagrad"""
_TEXTS = "matmul_grad_comm_overlap pp_1f1b_overlap recompute_comm_overlap topo_order"

# name -> (default, allowed values or None). What steers only other backends is kept and returned.
_SETTINGS = {
    "mode": (PYNATIVE_MODE, (GRAPH_MODE, PYNATIVE_MODE)),
    "device_target": (None, None),
    "device_id": (0, None),
    "hook_convention": ("2.10", ("2.10", "2.3")),
    "pynative_synchronize": (False, (True, False)),
    "check_indices": (True, (True, False)),
    "detect_anomaly": (False, (True, False)),
    "deterministic": ("OFF", ("ON", "OFF")),
    "max_device_memory": ("1024GB", None),
    "mempool_block_size": ("1GB", None),
    "max_call_depth": (1000, None),
    "save_graphs": (False, None),
    "save_graphs_path": (".", None),
    "enable_graph_kernel": (False, None),
    "graph_kernel_flags": ("", None),
    "enable_reduce_precision": (True, None),
    "reserve_class_name_in_scope": (True, None),
    "check_bprop": (False, None),
    "enable_compile_cache": (True, None),
    "compile_cache_path": ("", None),
    "runtime_num_threads": (30, None),
    "op_timeout": (900, None),
    "precompile_only": (False, None),
    "jit_level": ("O0", None),
    "jit_config": ({}, None),
    "jit_syntax_level": (LAX, (STRICT, COMPATIBLE, LAX)),
    "jit_enable_inplace_ops": (True, None),
    "memory_optimize_level": ("O0", None),
    "memory_offload": ("OFF", None),
    "ascend_config": ({}, None),
    "gpu_config": ({}, None),
    "auto_tune_mode": ("NO_TUNE", None),
    "variable_memory_max_size": ("30GB", None),
    "print_file_path": ("", None),
    "env_config_path": ("", None),
    "debug_level": (0, None),
    "enable_profiling": (False, None),
    "save_dump_path": (".", None),
    "grad_for_scalar": (False, None),
    "enable_auto_mixed_precision": (False, None),
    "exec_order": ("bfs", None),
    "inter_op_parallel_num": (1, None),
    "ascend_device_id": (0, None),
    "aoe_tune_mode": ("", None),
    "aoe_config": ({}, None),
    "auto_offload": (False, None),
    "enable_sparse": (False, None),
    "pijit": (False, None),
    "support_binary": (False, (True, False)),
    "aoe_job_type": ("2", None),
    "conv_fprop_algo": ("normal", None),
    "conv_dgrad_algo": ("normal", None),
    "conv_wgrad_algo": ("normal", None),
    "conv_allow_tf32": (True, None),
    "matmul_allow_tf32": (False, None),
    "infer_boost": ("off", None),
    "profiling_options": ("training_trace", None),
    "hccl_watchdog": (True, None),
    "enable_offloading_packed_experts": (True, None),
    **dict.fromkeys(_NUMBERS.split(), (0, None)),
    **dict.fromkeys(_SWITCHES.split(), (False, None)),
    **dict.fromkeys(_TEXTS.split(), ("", None)),
}
_values = {name: default for name, (default, _) in _SETTINGS.items()}
_listeners = {}  # setting -> what to do when it changes

_PLATFORMS = {"CPU": "cpu", "GPU": "cuda", "TPU": "tpu"}
_WRITTEN_FOR = "Ascend", "GPU"  # what MindSpore's scripts name, wherever they will run


def when_set(name, action):
    """Call `action(value)` whenever the setting is set."""
    _listeners[name] = action


def set_context(**settings):
    """Change settings by name, as `mindspore.set_context`.

    What matters here: `mode` (GRAPH_MODE: each outermost Cell call is captured as by `jit`),
    `device_target` ('CPU', 'GPU', 'TPU'; where there is no 'GPU', and for 'Ascend', the device that
    is there is taken, with a warning), `pynative_synchronize` (every operation runs at its own
    line), `check_indices` (True: an index Tensor out of range raises when something is read next;
    False leaves those unchecked that are recorded or captured from then on; SPORAX_CHECK_INDICES=0
    does from the start), `detect_anomaly` (the mode of that name, for this thread),
    `hook_convention` ('2.10', '2.3': what a Cell's backward hook is given). Settings of other
    backends are kept, returned by `get_context`, and have no effect.
    Raises ValueError for a name or a value that does not exist; then nothing is changed.

    >>> ms.set_context(mode=ms.PYNATIVE_MODE)
    """
    for name, value in settings.items():
        if name not in _SETTINGS:
            raise ValueError(
                f"For 'set_context', there is no setting '{name}'. There are: "
                f"{', '.join(_SETTINGS)}."
            )
        allowed = _SETTINGS[name][1]
        if allowed is not None and value not in allowed:
            raise ValueError(
                f"For 'set_context', '{name}' must be one of {list(allowed)}, but got {value!r}."
            )
    if (target := settings.get("device_target")) is not None:
        settings["device_target"] = _chosen(target, "set_context")
    for name, value in settings.items():
        _values[name] = value
        if name in _listeners:
            _listeners[name](value)


def get_context(attr_key):
    """The present value of a setting.

    >>> ms.get_context("mode") == ms.PYNATIVE_MODE
    True
    """
    if attr_key not in _SETTINGS:
        raise ValueError(
            f"For 'get_context', there is no setting '{attr_key}'. There are: "
            f"{', '.join(_SETTINGS)}."
        )
    if attr_key == "device_target" and _values[attr_key] is None:
        return _present_device()
    return _values[attr_key]


def _present_device():
    platform = jax.default_backend()
    names = {"cpu": "CPU", "gpu": "GPU", "cuda": "GPU", "rocm": "GPU", "tpu": "TPU"}
    return names.get(platform, platform.upper())


def _chosen(target, who):
    """Compute on a device by its name, or on the one there is if a script was written for another;
    returns the name of what was taken."""
    existing = [name for name in _PLATFORMS if _has(name)]
    if target not in existing:
        if target not in _WRITTEN_FOR:
            raise ValueError(
                f"For '{who}', 'device_target' must be a device that exists here "
                f"({', '.join(existing)}), but got {target!r}. sporax runs on what JAX runs on: "
                "leave 'device_target' out and the best device present is taken."
            )
        present = _present_device()
        warn(f"For '{who}', there is no '{target}' here: the program runs on '{present}' instead.")
        target = present
    jax.config.update("jax_default_device", jax.devices(_PLATFORMS[target])[0])
    return target


def _has(name):
    try:
        return bool(jax.devices(_PLATFORMS[name]))
    except RuntimeError:
        return False


def set_recursion_limit(recursion_limit=1000):
    """Set how deep calls may be nested while a function is captured: kept as 'max_call_depth'.

    Python's own limit (`sys.setrecursionlimit`) is what holds here.
    Raises TypeError and ValueError for what is no positive int.

    >>> set_recursion_limit(5000)
    >>> get_context("max_call_depth")
    5000
    >>> set_recursion_limit()
    """
    if type(recursion_limit) is not int:
        raise TypeError(
            "For 'set_recursion_limit', 'recursion_limit' must be an int, but got "
            f"{recursion_limit!r} of type {type(recursion_limit).__name__}."
        )
    if recursion_limit <= 0:
        raise ValueError(
            "For 'set_recursion_limit', 'recursion_limit' must be positive, but got "
            f"{recursion_limit}."
        )
    set_context(max_call_depth=recursion_limit)


def set_device(device_target, device_id=None):
    """Choose the device by name: 'CPU', 'GPU' or 'TPU'.

    >>> ms.set_device("CPU")
    """
    set_context(device_target=_chosen(device_target, "set_device"))
    if device_id is not None:
        set_context(device_id=device_id)
