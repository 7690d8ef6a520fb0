"""`mindspore.utils`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.workbench.profiler.dispatch_mode import MsDispatchMode as MsDispatchMode
from sporax.ops.memory.dlpack import from_dlpack as from_dlpack
from sporax.ops.memory.dlpack import to_dlpack as to_dlpack
from sporax.train.interruption_callbacks import ExitByRequest as ExitByRequest

