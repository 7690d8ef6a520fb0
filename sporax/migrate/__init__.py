"""Migration from PyTorch: `compare` a module with a Cell, layer by layer; `record` a module's run
for that on a machine with PyTorch; `convert` weight files."""

from sporax.migrate.cell_run import cell_weights, run_cell
from sporax.migrate.compare import compare
from sporax.migrate.module_run import ModuleRun, loss_weights
from sporax.migrate.name_mapping import NameMapping, map_names
from sporax.migrate.report import Departure, Gap, Report, Row
from sporax.migrate.torch_run import record
from sporax.migrate.weight_files import Converted, convert

__all__ = [
    "Converted", "Departure", "Gap", "ModuleRun", "NameMapping", "Report", "Row", "cell_weights",
    "compare", "convert", "loss_weights", "map_names", "record", "run_cell",
]  # fmt: skip
