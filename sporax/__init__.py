"""MindSpore's Python API on JAX/XLA: the names of the `mindspore` module, imported lazily."""

import contextlib
import gc
import importlib
import os
import sys

from sporax._src import versions
from sporax._src.diagnosis.rules import require

__version__ = "0.1.0"

# The public API: module -> the names it exports here. A name raises `sporax has no 'mindspore.x'
# yet` until its module exists and defines it.
_PUBLIC = {
    "sporax._src.core.tensor": "Tensor tensor is_tensor from_numpy",
    "sporax._src.core.parameter": "Parameter",
    "sporax.nn.parameter_tuple": "ParameterTuple",
    "sporax.nn.training_cells": "parameter_broadcast",
    "sporax.ops.memory.untyped_storage": "UntypedStorage",
    "sporax.ops.memory.buffers": "frombuffer swap_tensors",
    "sporax.ops.frontend.types": "TensorType",
    "sporax.ops.sparse.tensors": "COOTensor CSRTensor RowTensor SparseTensor",
    "sporax._src.core.dtype": """
        Int Type _NullType _null
        bfloat16 bool bool_ byte cdouble cfloat complex128 complex64 double float float16 float32
        float64 float8_e4m3fn float8_e5m2 float_ half int int16 int32 int64 int8 int_ intc intp
        list_ long number short single string tensor_type tuple_ type_none ubyte uint uint16 uint32
        uint64 uint8 uintc uintp ushort
        dtype_to_nptype dtype_to_pytype get_py_obj_dtype pytype_to_dtype""",
    "sporax._src.core.context": """
        COMPATIBLE GRAPH_MODE LAX PYNATIVE_MODE STRICT get_context set_context set_deterministic
        set_device set_recursion_limit""",
    "sporax._src.devices.distributed.parallel_context": """
        ParallelMode get_auto_parallel_context reset_auto_parallel_context
        set_auto_parallel_context""",
    "sporax.parallel": """
        Layout build_searched_strategy convert_checkpoint_by_rank convert_checkpoints
        get_algo_parameters get_ckpt_path_with_strategy get_ps_context load_distributed_checkpoint
        load_segmented_checkpoints merge_pipeline_strategys merge_sliced_parameter
        rank_list_for_convert rank_list_for_transform reset_algo_parameters reset_ps_context
        restore_group_info_list set_algo_parameters set_op_strategy_config set_ps_context shard
        sync_pipeline_shared_parameters transform_checkpoint_by_rank transform_checkpoints
        unified_safetensors""",
    "sporax._src.core.random": """
        Generator default_generator get_rng_state get_seed initial_seed manual_seed seed
        set_rng_state set_seed""",
    "sporax._src.runtime.engine.debug.explain": "explain",
    "sporax._src.runtime.engine.memory_limit": "memory_limit",
    "sporax._src.capture.graph_capture.jit": "jit",
    "sporax._src.capture.graph_capture.compiler_marks": """JitConfig constexpr jit_class
        lazy_inline no_inline""",
    "sporax._src.capture.graph_capture.mutable": "mutable",
    "sporax._src.capture.graph_capture.enable_dynamic": "enable_dynamic",
    "sporax._src.capture.graph_capture.dynamic_shapes.symbol": "Symbol",
    "sporax.nn.cell_hooks": "register_saved_tensors_hooks",
    "sporax._src.transforms.autodiff": """
        _Function _no_grad get_grad grad jacfwd jacrev jvp no_grad recompute saved_tensors_hooks
        value_and_grad vjp
        GradientError GradientReport check_grad detect_anomaly""",
    "sporax._src.transforms.batching": "vmap",
    "sporax.io": """
        async_ckpt_thread_status ckpt_to_safetensors export load load_checkpoint
        load_checkpoint_async load_obf_params_into_net load_param_into_net obfuscate_ckpt
        safetensors_to_ckpt save_checkpoint""",
    "sporax._src.amp": """
        DynamicLossScaleManager FixedLossScaleManager LossScaleManager build_train_network""",
    "sporax.insight.memory_plan": "memory_plan",
    "sporax.train": """
        BackupAndRestore Callback CheckpointConfig ConvertModelUtils ConvertNetUtils DatasetHelper
        EarlyStopping FlopsUtilizationCollector History LambdaCallback LearningRateScheduler
        LossMonitor Model ModelCheckpoint OnRequestExit ReduceLROnPlateau RunContext
        SummaryCollector SummaryLandscape SummaryRecord TimeMonitor connect_network_with_dataset
        data_sink flops_collection
        Accuracy BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice F1 Fbeta
        HausdorffDistance Loss MAE MSE MeanSurfaceDistance Metric OcclusionSensitivity Perplexity
        Precision ROC Recall RootMeanSquareDistance Top1CategoricalAccuracy
        Top5CategoricalAccuracy TopKCategoricalAccuracy auc get_metric_fn get_metrics names
        rearrange_inputs""",
    "sporax._src.workbench.profiler": "EnvProfiler MsDispatchMode Profiler",
    "sporax._src.mindspore.rewrite": "Node NodeType ScopedValue SymbolTree ValueType",
    "sporax._src.mindspore.compat": "install_as_mindspore",
    "sporax._src.mindspore.compat.streams": """Event Stream StreamCtx communication_stream
        current_stream default_stream set_cur_stream""",
    "sporax._src.mindspore.compat.device_memory": """max_memory_allocated max_memory_reserved
        memory_allocated memory_reserved memory_stats memory_summary reset_max_memory_allocated
        reset_max_memory_reserved reset_peak_memory_stats""",
    "sporax._src.mindspore.compat.devices": "DeviceCtx get_current_device",
    "sporax._src.mindspore.compat.log_settings": "get_level get_log_config",
    "sporax._src.mindspore.compat.runtime": """dispatch_threads_num empty_cache launch_blocking
        ms_memory_recycle set_cpu_affinity set_dump set_kernel_launch_capture
        set_kernel_launch_group set_memory synchronize""",
}
_PACKAGES = "data insight io migrate mint nn numpy ops parallel scipy train"
_MODULES = {name: f"sporax.{name}" for name in _PACKAGES.split()} | {
    "amp": "sporax._src.amp",
    "context": "sporax._src.core.context",
    "distributed": "sporax._src.devices.distributed",
    "dtype": "sporax._src.core.dtype",
    "initializers": "sporax._src.initializers",
    "optim": "sporax._src.optim",
    "profiler": "sporax._src.workbench.profiler",
    "rewrite": "sporax._src.mindspore.rewrite",
}

_HOMES = {name: module for module, names in _PUBLIC.items() for name in names.split()}


@contextlib.contextmanager
def _permanent_imports():
    """Exclude JAX from garbage collection during and after its import: it lives as long as the
    process. It and the modules imported before are 145,000 objects, 90 ms per full collection.
    Later imports are not frozen: user networks would be frozen too, and never freed."""
    is_first, is_collecting = "jax" not in sys.modules, gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_first and "jax" in sys.modules:
            gc.freeze()
        if is_collecting:
            gc.enable()


def _join_ranks():
    """Join the other ranks before a device is used, if a launcher started this process."""
    launchers = ("MS_WORKER_NUM", "RANK_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NODELIST")
    if not os.environ.keys().isdisjoint(launchers):
        with _permanent_imports():
            importlib.import_module("sporax._src.devices.distributed.processes").join()


def module_if_there(name):
    """Return the module of that name, or None if sporax does not have it yet."""
    try:
        with _permanent_imports():
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the module exists, but one of its imports does not
        return None


def _find(name):
    if name in _MODULES:
        return module_if_there(_MODULES[name])
    if name not in _HOMES:
        return None
    if _HOMES[name] != "sporax._src.mindspore.compat":
        with _permanent_imports():
            importlib.import_module("sporax._src.core.tensor").complete()
    return getattr(module_if_there(_HOMES[name]), name, None)


def __getattr__(name):
    if name == "__all__":  # without names that shadow builtins
        return [n for n in _HOMES if n not in ("bool", "float", "int") and _find(n) is not None]
    value = _find(name)
    require(value is not None, "sporax-no-path", path=f"mindspore.{name}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__getattr__("__all__")})


versions.check()
_join_ranks()
