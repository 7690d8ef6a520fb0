"""Execution: recorder, programs, capture, the compilation cache."""

from sporax._src.core import context
from sporax._src.core.environment import choice
from sporax._src.core.language import annotate_uncaught
from sporax._src.core.value import thread
from sporax._src.runtime.compilation_cache import folder as compilation_cache
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.debug.explain import explain
from sporax._src.runtime.engine.memory_limit import limit_from_environment
from sporax._src.runtime.engine.recorder import Recorder, run_pending
from sporax._src.runtime.xla_kernels import configure_process


def _choose_executor(immediate):
    """Run each operation at its own line (True) or all pending ones together (False)."""
    run_pending()
    Recorder.immediate = bool(immediate)
    thread.recorder = thread.new_recorder()


def _choose_tiers(deterministic):
    """Compile each program at its first run, so that all runs are bitwise equal ('ON'), or not."""
    compile_policy.uses_interpreter = compile_policy.TIERS and deterministic == "OFF"


context.when_set("pynative_synchronize", _choose_executor)
context.when_set("deterministic", _choose_tiers)
if choice("SPORAX_EXECUTOR", "deferred", "immediate") == "immediate":
    context.set_context(pynative_synchronize=True)
compilation_cache.switch_on()
configure_process()
annotate_uncaught()
if choice("SPORAX_EXPLAIN", "0", "1") == "1":
    explain()
limit_from_environment()
