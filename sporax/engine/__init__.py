"""How does it run? Recorder, programs, capture, the compile cache."""

import os

from sporax.core import context
from sporax.core.value import thread
from sporax.engine import compilation_cache, compile_policy
from sporax.engine.debug.explain import explain
from sporax.engine.recorder import Recorder, run_pending


def _choose_executor(immediate):
    """Run each operation at its own line (True) or all that is pending together (False)."""
    run_pending()
    Recorder.immediate = bool(immediate)
    thread.recorder = thread.new_recorder()


def _choose_tiers(deterministic):
    """Compile each program at its first meeting, for the same bits at each step ('ON'), or not."""
    compile_policy.uses_interpreter = compile_policy.TIERS and deterministic == "OFF"


context.when_set("pynative_synchronize", _choose_executor)
context.when_set("deterministic", _choose_tiers)
if os.environ.get("SPORAX_EXECUTOR", "deferred") not in ("deferred", "immediate"):
    raise ValueError(
        "The environment variable SPORAX_EXECUTOR must be 'deferred' or 'immediate', but got "
        f"{os.environ['SPORAX_EXECUTOR']!r}."
    )
if os.environ.get("SPORAX_EXECUTOR") == "immediate":
    context.set_context(pynative_synchronize=True)
compilation_cache.switch_on()
if os.environ.get("SPORAX_EXPLAIN", "0") not in ("", "0", "1"):
    raise ValueError(
        "The environment variable SPORAX_EXPLAIN must be '0' or '1', but got "
        f"{os.environ['SPORAX_EXPLAIN']!r}."
    )
if os.environ.get("SPORAX_EXPLAIN") == "1":
    explain()
