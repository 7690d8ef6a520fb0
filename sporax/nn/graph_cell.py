"""`GraphCell`: a Cell that runs a graph loaded from a file."""

from sporax._src.capture.graph_capture.export.exported_graph import Exported
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell


class GraphCell(Cell):
    """A Cell that runs an exported graph: `nn.GraphCell(ms.load("net.mindir"))`.

    Its Parameters have the names of the exported Cell's; `params_init`, a dict of Tensors by name,
    overrides the values of some of them. Inputs must match the export. Not differentiable.

    >>> import tempfile; file = tempfile.mkdtemp() + "/dense.mindir"
    >>> ms.export(nn.Dense(2, 1), ops.ones((3, 2)), file_name=file, file_format="MINDIR")
    >>> nn.GraphCell(ms.load(file))(ops.ones((3, 2))).shape
    (3, 1)
    """

    def __init__(self, graph, params_init=None, obf_random_seed=None):
        super().__init__(auto_prefix=True)
        kinds.instance(Exported, "what-load-gave")("GraphCell", graph=graph)
        is_plain = obf_random_seed is None
        require(is_plain, "not-done-mindspore", "GraphCell", argument="obf_random_seed")
        chosen = _checked({} if params_init is None else params_init)
        self._exported = graph
        self._others = {}
        for kind, name, array in graph.arrays:
            if kind != "parameter":
                self._others[name] = Tensor(array)
                continue
            parameter = Parameter(Tensor(array), name=name)
            if name in chosen:
                parameter.set_data(chosen[name])
            self._set_attr_for_params(name, parameter)

    def construct(self, *inputs):
        """Run the exported function; inputs must match the export."""
        tensors = {**self._others, **self._params}
        return self._exported.run(inputs, [tensors[name] for _, name, _ in self._exported.arrays])


def _checked(params_init):
    kinds.DICT("GraphCell", params_init=params_init)
    for name, x in params_init.items():
        holds = isinstance(name, str) and isinstance(x, Tensor)
        require(holds, "hold-tensors-name", "GraphCell", params_init=x, name=name)
    return params_init
