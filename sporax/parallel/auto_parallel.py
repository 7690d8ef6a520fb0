"""`AutoParallel`: a network on all devices of the process, with MindSpore's API."""

from collections.abc import Iterable

from sporax._src.core.errors import warn
from sporax._src.core.parameter import Parameter
from sporax._src.core.tree import map_tensors
from sporax._src.devices.distributed.parallel_context import SCHEDULERS
from sporax._src.devices.sharding.all_devices import enter_all_devices
from sporax._src.devices.sharding.calls import check_strategy, constrained, placed_as
from sporax._src.devices.sharding.layout import Layout, placements
from sporax._src.devices.sharding.mesh import (
    OptimizerParallel,
    Placement,
    current_mesh,
    divide,
    put,
)
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell
from sporax.nn.micro_batches import PipelineCell
from sporax.parallel import slices, strategy_file
from sporax.parallel.algorithm_settings import check_operator_file

_MODES = ("semi_auto", "sharding_propagation", "recursive_programming")
_DATA = ("data_parallel", "full_batch")
_SCHEDULERS = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")
_LEVELS = ("level1", "level2", "level3")


def _without_effect(name, why, kind=None, words="", default=None):
    """Create a method without effect: it checks its argument and warns once."""

    def method(self, *args):
        if kind is not None:
            (value,) = args or (default,)
            kinds.instance(kind, words)(f"AutoParallel.{name}", config=value)
        warn(f"'AutoParallel.{name}' has no effect: {why}.")

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"No effect: {why}."
    return method


class AutoParallel(Cell):
    """A network, or a function, on all devices of this process. If there are several and no Mesh is
    entered, the process enters a Mesh of one axis `data` and stays in it.

    `network`: called with the arguments, which `dataset_strategy` places. Strategies of Primitives
    (`shard`) divide further; XLA decides where none is given, in each `parallel_mode`:
    'semi_auto', 'sharding_propagation' or 'recursive_programming'.

    >>> from sporax.parallel.auto_parallel import AutoParallel
    >>> AutoParallel(nn.Dense(2, 3))(ops.ones((4, 2))).shape
    (4, 3)
    """

    def __init__(self, network, parallel_mode="semi_auto"):
        super().__init__(auto_prefix=False)
        require(
            callable(network),
            "must-be-type",
            "AutoParallel",
            network=network,
            kind="a-function-or-cell",
        )
        kinds.one_of(*_MODES)("AutoParallel", parallel_mode=parallel_mode)
        self.network, self._parallel_mode = network, parallel_mode
        self._dataset_strategy = "data_parallel"
        self._save_to, self._pipeline_stages, self._only_trainable = None, 1, True
        enter_all_devices()
        for _, cell in self.cells_and_names():
            if isinstance(cell, PipelineCell):
                cell._place_stages()

    def construct(self, *args, **kwargs):
        return self.network(*self._placed(args), **kwargs)

    def __call__(self, *args, **kwargs):
        result = super().__call__(*args, **kwargs)
        if self._save_to is not None:
            path, self._save_to = self._save_to, None
            save_strategy(path, self._weights(self._only_trainable))
        return result

    def _weights(self, only_trainable=False):
        if not isinstance(self.network, Cell):
            return []
        return [p for p in self.network.get_parameters() if p.requires_grad or not only_trainable]

    def _placed(self, args):
        mesh, strategy = current_mesh(), self._dataset_strategy
        if mesh is None or strategy == "full_batch":
            return args
        if strategy != "data_parallel":
            return placed_as("AutoParallel", mesh, args, strategy, "dataset_strategy")
        axis = mesh.batch_axis

        def divided(tensor):
            divides = axis and tensor.ndim and tensor.shape[0] % mesh.axes[axis] == 0
            return constrained(tensor, Placement(mesh, (axis,))) if divides else tensor

        return map_tensors(divided, args)

    # what is divided --------------------------------------------------------------------------

    def dataset_strategy(self, config):
        """Set the division of inputs: 'data_parallel' along the first axis if it is divisible,
        'full_batch' none, or a strategy: a tuple or a Layout for each Tensor."""
        who = "AutoParallel.dataset_strategy"
        is_known = config in _DATA if isinstance(config, str) else config is not None
        require(is_known, "one-tuple", who, config=config, choices=_DATA)
        if not isinstance(config, str):
            check_strategy(who, "config", config)
        self._dataset_strategy = config

    def hsdp(self, shard_size=-1, threshold=64, optimizer_level="level1"):
        """Divide the weights of the network, and the states of optimizers created from now on,
        along the batch axis, if they have `threshold` KB or more.

        XLA gathers weights where they are needed, and reduces gradients in parts, at each
        `optimizer_level`. `shard_size`: the number of devices of that axis, or -1 for it.
        """
        who = "AutoParallel.hsdp"
        kinds.INT(who, shard_size=shard_size)
        kinds.COUNT(who, threshold=threshold)
        kinds.one_of(*_LEVELS)(who, optimizer_level=optimizer_level)
        mesh = current_mesh()
        size = 1 if mesh is None or not mesh.batch_axis else mesh.axes[mesh.batch_axis]
        fits = shard_size in (-1, size)
        require(fits, "1-devices-batch-axis", who, shard_size=shard_size, size=size)
        if mesh is not None:
            OptimizerParallel.threshold = threshold
            divide([p for p in self._weights() if p.parallel_optimizer], threshold)

    def pipeline(self, stages=1, output_broadcast=False, interleave=False, scheduler="1f1b"):
        """Set the number of stages of the `PipelineCell` in the network, whose cells have a
        'pipeline_stage', and their schedule: '1f1b' or 'gpipe'.

        `output_broadcast`: accepted, since results are available to all. Raises
        NotImplementedError for another MindSpore `scheduler` and for `interleave`, ValueError for
        other stages than the cells name.
        """
        who = "AutoParallel.pipeline"
        kinds.POSITIVE_INT(who, stages=stages)
        kinds.BOOL(who, output_broadcast=output_broadcast, interleave=interleave)
        kinds.one_of(*_SCHEDULERS)(who, scheduler=scheduler)
        is_known, fields = (
            scheduler in SCHEDULERS,
            {"scheduler": scheduler, "interleave": interleave},
        )
        fits = is_known and not interleave
        require(fits, "one-without-interleave", who, choices=SCHEDULERS, **fields)
        for _, cell in self.cells_and_names():
            if isinstance(cell, PipelineCell):
                cell._set_pipeline(who, stages, scheduler)
        self._pipeline_stages = stages

    def get_pipeline_stages(self):
        """Return the number of stages."""
        return self._pipeline_stages

    # strategy files ---------------------------------------------------------------------------

    def load_param_strategy_file(self, file_path):
        """Place the network's Parameters according to a strategy file."""
        kinds.STR("AutoParallel.load_param_strategy_file", file_path=file_path)  # fmt: skip
        load_strategy(file_path, self._weights())

    def save_param_strategy_file(self, file_path):
        """Write a strategy file of the network's trainable Parameters after the next call."""
        kinds.STR("AutoParallel.save_param_strategy_file", file_path=file_path)  # fmt: skip
        self._save_to = file_path

    def disable_strategy_file_only_for_trainable_params(self):
        """Include Parameters that are not trainable in strategy files."""
        self._only_trainable = False

    def save_operator_strategy_file(self, file_path):
        """Accepted without effect: XLA partitions operations without a search."""
        check_operator_file("AutoParallel.save_operator_strategy_file", file_path)

    def load_operator_strategy_file(self, file_path):
        """Accepted without effect: XLA partitions operations without a search."""
        check_operator_file("AutoParallel.load_operator_strategy_file", file_path)

    # without effect ---------------------------------------------------------------------------

    no_init_parameters_in_compile = _without_effect(
        "no_init_parameters_in_compile", "Parameters are initialized on creation"
    )
    comm_fusion = _without_effect(
        "comm_fusion", "XLA joins communication itself", (dict, type(None)), "a-dict-or-none"
    )
    enable_fp32_communication = _without_effect(
        "enable_fp32_communication", "XLA communicates in the dtype of the data"
    )
    set_group_ckpt_save_file = _without_effect(
        "set_group_ckpt_save_file", "checkpoints are whole: no group restores another group's",
        str, "a-string",
    )  # fmt: skip
    print_local_norm = _without_effect(
        "print_local_norm", "gradients are whole; 'ops.norm' of them can be printed"
    )
    dump_local_norm = _without_effect(
        "dump_local_norm", "gradients are whole; 'ops.norm' of them can be saved", str, "a-string"
    )
    enable_device_local_norm = _without_effect(
        "enable_device_local_norm", "gradients are whole, on every device"
    )
    enable_gradients_mean = _without_effect(
        "enable_gradients_mean", "a loss, and its gradients, are of the whole batch"
    )
    disable_gradient_fp32_sync = _without_effect(
        "disable_gradient_fp32_sync", "XLA communicates in the dtype of the data"
    )
    disable_loss_repeated_mean = _without_effect(
        "disable_loss_repeated_mean", "a loss is computed once, whatever devices compute it"
    )
    transformer_opt = _without_effect(
        "transformer_opt", "XLA overlaps communication with computation itself",
        (str, type(None)), "a-string-or-none",
    )  # fmt: skip


# strategy files ------------------------------------------------------------------------------


def save_strategy(path: str, parameters: Iterable[Parameter]) -> None:
    """Write the placement of Parameters as a MindSpore strategy file, for the functions that merge
    and transform checkpoints.

    >>> import tempfile; path = tempfile.mkdtemp() + "/strategy.ckpt"
    >>> from sporax import parallel
    >>> with parallel.Mesh(data=1):
    ...     parallel.save_strategy(path, [Parameter(ops.ones((2, 2)), name="w")])
    >>> parallel.build_searched_strategy(path)["w"].tensor_map[0].dim
    [-1, -1]
    """
    layouts = {}
    for p in parameters:
        grid, maps = [1], [-1] * p.ndim
        if p._placement is not None:
            mesh = p._placement.sharding.mesh
            names, grid = list(mesh.axis_names), list(mesh.shape.values())
            spec = [*p._placement.spec, *[None] * p.ndim][: p.ndim]
            spec = [(n,) if isinstance(n, str) else n or () for n in spec]
            maps = [[len(names) - 1 - names.index(n) for n in dims] or [-1] for dims in spec]
            if all(len(m) == 1 for m in maps):
                maps = [m[0] for m in maps]
        layouts[p.name] = strategy_file.layout(grid, maps)
    strategy_file.write(path, layouts)


def load_strategy(path: str, parameters: Iterable[Parameter]) -> None:
    """Place Parameters on the current Mesh according to a strategy file.

    Raises ValueError if the file is for another number of devices, or sizes are not divisible.

    >>> import tempfile; path = tempfile.mkdtemp() + "/strategy.ckpt"
    >>> from sporax import parallel
    >>> w = Parameter(ops.ones((2, 2)), name="w")
    >>> with parallel.Mesh(data=1):
    ...     parallel.save_strategy(path, [w])
    ...     parallel.load_strategy(path, [w])
    >>> parallel.placement_of(w).mesh
    Mesh(data=1)
    """
    who, mesh = "load_strategy", current_mesh()
    slicings = slices.slicings(who, path)
    for p in parameters:
        slicing = slicings.get(p.name)
        if slicing is None or mesh is None:
            continue
        names = tuple([f"_{k}" for k in range(len(slicing.dev_matrix))])
        layout = Layout(slicing.dev_matrix, names)(
            *[tuple([names[a] for a in axes]) or "None" for axes in slicing.tensor_map]
        )
        (placement,) = placements(f"{who} of '{p.name}'", mesh, [p.shape], [layout])
        put(p, placement)
