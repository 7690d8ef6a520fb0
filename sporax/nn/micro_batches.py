"""Run a batch through a network in parts: gradient accumulation, pipelines."""

from sporax import ops
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import map_tensors
from sporax._src.core.value import Changes
from sporax._src.devices.sharding.mesh import Placement, current_mesh, put
from sporax._src.devices.sharding.schedule import PipelineSettings, micro_batch
from sporax._src.devices.sharding.stages import split, to_stage
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.recorder import apply
from sporax.nn.cell import CELL, Cell
from sporax.nn.layer_inputs import check_inputs


class _MicroBatches(Cell):
    """Base class: sum of `network`'s results over equal parts of the batch."""

    def __init__(self, network, **count):
        super().__init__(auto_prefix=False)
        layer = type(self).__name__
        CELL(layer, network=network)
        kinds.POSITIVE_INT(layer, **count)
        self.network = network
        ((name, self._count),) = count.items()
        setattr(self, name, self._count)

    def construct(self, *inputs):
        layer, count = type(self).__name__, self._count
        for x in inputs:
            is_even = not x.shape[0] % count
            require(is_even, "first-axis-inputs-multiple", layer, count=count, shape=x.shape)
        total = None
        for i in range(count):
            result = self.network(
                *self._micro_batch([x.reshape(count, -1, *x.shape[1:]) for x in inputs], i)
            )
            total = result if total is None else total + result
        return total

    def _micro_batch(self, inputs, i):
        """Return micro-batch `i` of each input."""
        return [x[i] for x in inputs]


class GradAccumulationCell(_MicroBatches):
    """Sum of `network`'s results over `micro_size` equal parts of the batch, run sequentially.

    For a network that returns the mean loss of a batch, the result and its gradients are
    `micro_size` times the mean.

    >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
    >>> nn.GradAccumulationCell(net, 2)(ops.ones((4, 2)), ops.ones((4, 1))).shape
    ()
    """

    def __init__(self, network, micro_size):
        super().__init__(network, micro_size=micro_size)


class MicroBatchInterleaved(_MicroBatches):
    """Sum of `network`'s results over `interleave_num` equal parts of the batch.

    >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
    >>> nn.MicroBatchInterleaved(net)(ops.ones((4, 2)), ops.ones((4, 1))).shape
    ()
    """

    def __init__(self, network, interleave_num=2):
        super().__init__(network, interleave_num=interleave_num)


class PipelineCell(_MicroBatches):
    """Sum of `network`'s results over `micro_size` equal parts of the batch.

    `stage_config`, `segment_config`: {name of a cell in `network`: stage or segment}, stored as
    the cells' `pipeline_stage` and `pipeline_segment`. On a Mesh whose device count is a multiple
    of the stages, each stage runs on its part of the devices, and stages process different
    micro-batches concurrently; on one device all stages run there. The setting `pipeline_config`
    limits the activations a stage keeps: for at most as many micro-batches as stages ('1f1b'), or
    for all ('gpipe').

    >>> net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
    >>> nn.PipelineCell(net, 2, {"_backbone": 0})(ops.ones((4, 2)), ops.ones((4, 1))).shape
    ()
    """

    def __init__(self, network, micro_size, stage_config=None, segment_config=None):
        super().__init__(network, micro_size=micro_size)
        configs = {"pipeline_stage": stage_config, "pipeline_segment": segment_config}
        cells = dict(network.cells_and_names()) | {str(network): network}
        for attribute, config in configs.items():
            for name, number in (config or {}).items():
                if name not in cells or not name:
                    known = ", ".join(n for n in dict(network.cells_and_names()) if n)
                    argument = f"{attribute.removeprefix('pipeline_')}_config"
                    fields = {"argument": argument, "known": known, "got": name}
                    raise rejection("names-of-cells", type(self).__name__, **fields)
                setattr(cells[name], attribute, number)
        self._stages, self._scheduler = (), None
        self._place_stages()

    def _micro_batch(self, inputs, i):
        if not self._stages:
            return super()._micro_batch(inputs, i)
        scheduler = self._scheduler or PipelineSettings.scheduler
        mark = micro_batch(i, scheduler, tuple([stage.devices for stage in self._stages]))
        return [apply(mark, x[i]) for x in inputs]

    def _set_pipeline(self, who, stages, scheduler):
        """Set the scheduler; ValueError if the cells use another number of stages."""
        count = len(self._stages or ())
        fits = count in (0, stages)
        require(fits, "those-cells-pipelinecell", who, stages=stages, count=count)
        Changes.count += 1  # graphs keep the schedule they were captured with
        self._scheduler = scheduler

    def _place_stages(self):
        """Assign each stage its part of the active Mesh, once."""
        staged = {id(c): c for _, c in self.network.cells_and_names()
                  if "_pipeline_stage" in c.__dict__}.values()  # fmt: skip
        named = 1 + max([cell.pipeline_stage for cell in staged], default=0)
        mesh, count = current_mesh(), PipelineSettings.count
        count = named if count == 1 else count
        who, number = type(self).__name__, named - 1
        require(named <= count, "stage-below-pipeline-stages-cell", who, count=count, number=number)
        if mesh is not None and named > 1 and not self._stages:
            self._stages = split(mesh, count)
            for cell in staged:
                _place_on(cell, self._stages[cell.pipeline_stage])


def _place_on(cell, stage):
    """Place a cell's Parameters and the inputs of its calls on a stage."""
    for p in cell.get_parameters():
        put(p, Placement(stage, ()))

    def enter(_, inputs):
        return map_tensors(lambda x: to_stage(x, stage), inputs)

    cell.register_forward_pre_hook(enter)


class PipelineGradReducer(Cell):
    """Unscaling of gradients with `scale_sense`; all pipeline stages are on one device.

    `parameters`: the ParameterTuple of the gradients. `opt_shard`: accepted.

    >>> reducer = nn.PipelineGradReducer(ParameterTuple([Parameter(Tensor([1.0]))]), 4.0)
    >>> reducer((Tensor([2.0]),))[0].asnumpy()
    array([0.5], dtype=float32)
    """

    def __init__(self, parameters, scale_sense=1.0, opt_shard=None):
        super().__init__(auto_prefix=False)
        self.accu_grads = parameters.clone(prefix="accu_grads", init="zeros")
        self.scale_sense = Parameter(Tensor(scale_sense), name="scale_sense")
        self.opt_shard = opt_shard

    def construct(self, grads):
        return tuple(g / self.scale_sense.astype(g.dtype) for g in grads)


class ParameterUpdate(Cell):
    """Assigns its argument, a Tensor, to `param` and returns it.

    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> _ = nn.ParameterUpdate(p)(Tensor([3.0]))
    >>> p.asnumpy()
    array([3.], dtype=float32)
    """

    def __init__(self, param):
        super().__init__(auto_prefix=False)
        kinds.instance(Parameter, "a-parameter")("ParameterUpdate", param=param)
        self._param = param

    def construct(self, x):
        ops.assign(self._param, x)
        return x


class VirtualDatasetCellTriple(Cell):
    """Calls `backbone` with three inputs.

    >>> class Total(nn.Cell):
    ...     def construct(self, a, b, c):
    ...         return a + b + c
    >>> nn.VirtualDatasetCellTriple(Total())(Tensor(1.0), Tensor(2.0), Tensor(3.0)).item()
    6.0
    """

    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        CELL("VirtualDatasetCellTriple", backbone=backbone)
        self._backbone = backbone

    def construct(self, a, b, c):
        return self._backbone(a, b, c)


_CALLED = kinds.instance((Cell, ops.Primitive), "a-cell-or-a-primitive")


class TimeDistributed(Cell):
    """Apply `layer` at each index of `time_axis` and stack the results there: `(B, T, *)` ->
    `(B, T, *)` for a layer `(B, *)` -> `(B, *)`.

    `layer`: a Cell or a Primitive. `reshape_with_axis`: an axis whose size the layer preserves; the
    time axis is merged into it, so that the layer is called once.

    >>> steps = nn.TimeDistributed(nn.Dense(3, 4), time_axis=1, reshape_with_axis=0)
    >>> steps(ops.ones((2, 5, 3))).shape
    (2, 5, 4)
    """

    def __init__(self, layer, time_axis, reshape_with_axis=None):
        super().__init__()
        _CALLED("TimeDistributed", layer=layer)
        kinds.INT("TimeDistributed", time_axis=time_axis)
        kinds.optional(kinds.INT)("TimeDistributed", reshape_with_axis=reshape_with_axis)
        self.layer, self.time_axis, self.reshape_with_axis = layer, time_axis, reshape_with_axis

    def construct(self, inputs):
        check_inputs("TimeDistributed", inputs)
        rank = inputs.ndim
        fields = {"argument": "inputs", "n": 3, "shape": inputs.shape}
        require(rank >= 3, "at-least-dimensions", "TimeDistributed", **fields)
        time = self.time_axis % rank
        if self.reshape_with_axis is None:
            return ops.stack([self._called(x) for x in ops.unbind(inputs, time)], time)
        return self._joined(inputs, time, self.reshape_with_axis % rank)

    def _called(self, x):
        y = self.layer(x)
        check_inputs("TimeDistributed", y)
        return y

    def _joined(self, x, time, other):
        """Call the layer once for all steps, with the time axis merged into `other`."""
        if other == x.ndim - 1:
            beside = x.ndim - 2
        else:
            beside = other + 1 if time > other else other - 1
        first = min(beside, other)
        low, high = sorted((beside, time))
        order = [*range(low), high, *range(low, high), *range(high + 1, x.ndim)]
        x = x.permute(*order)
        sizes = x.shape[first : first + 2]
        y = self._called(x.reshape(*x.shape[:first], -1, *x.shape[first + 2 :]))
        size, shape = sizes[0] * sizes[1], y.shape
        keeps = first < y.ndim and shape[first] == size
        require(keeps, "keep-size-of-axis", "TimeDistributed", axis=first, size=size, shape=shape)
        return y.reshape(*y.shape[:first], *sizes, *y.shape[first + 1 :])
