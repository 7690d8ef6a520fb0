"""`SummaryRecord`: log scalars, images, histograms and graphs of a run to TensorBoard event files.

Records and formats come from the package `tensorboard`, the extra `summary`.
"""

import json
import os

import numpy as np

from sporax._src.capture.graph_capture.graph_text import Listing
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.errors import warn
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.nn.cell import Cell
from sporax.ops.debugging import SUMMARIES
from sporax.train.event_file import (
    EventFile,
    histogram_summary,
    image_summary,
    scalar_summary,
    tensor_summary,
    tensorboard,
)

_TEXTS = ("train_lineage", "eval_lineage", "dataset_graph", "custom_lineage_data")
_MODES = ("train", "eval")
_CELL = kinds.optional(kinds.instance(Cell, "a-cell"))


class SummaryRecord:
    """Writes added values, and the values of summary operations in networks, to event files.

    `log_dir`: the folder, created if needed; open it with `tensorboard --logdir`. `file_prefix`,
    `file_suffix`: of the file name. `network`: a Cell whose graph the first `record` writes, for
    the inputs of its `set_inputs`. `max_file_size`: a limit in bytes, after which writing stops;
    None for no limit. `raise_exception`: raise if the file cannot be written; else warn once and
    continue. `export_options`: `{"tensor_format": "npy"}` also writes the values of `TensorSummary`
    as `.npy` files to `log_dir/export`. `num_process` is accepted: one thread writes. Only one may
    be open at a time.

    >>> import tempfile
    >>> with SummaryRecord(tempfile.mkdtemp()) as record:
    ...     record.add_value("scalar", "loss", Tensor(0.5))
    ...     record.record(1)
    True
    """

    _open = None

    def __init__(
        self, log_dir, file_prefix="events", file_suffix="_MS", num_process=32, network=None,
        max_file_size=None, raise_exception=False, export_options=None,
    ):  # fmt: skip
        who = "SummaryRecord"
        kinds.PATH(who, log_dir=log_dir)
        kinds.STR(who, file_prefix=file_prefix, file_suffix=file_suffix)
        _CELL(who, network=network)
        kinds.BOOL(who, raise_exception=raise_exception)
        kinds.optional(kinds.POSITIVE_INT)(who, max_file_size=max_file_size)
        _check_export(export_options)
        if SummaryRecord._open is not None:
            raise rejection("no-other-record-open", who, log_dir=SummaryRecord._open.log_dir)
        self._limit, self._raises, self._exports = max_file_size, raise_exception, export_options
        self._mode, self._values, self._refused = "train", {}, False
        self._network = network
        self._file = EventFile(who, log_dir, file_prefix, file_suffix)
        SummaryRecord._open = SUMMARIES.record = self

    def __enter__(self):
        require(not self._file.is_closed, "record-open-closed", "SummaryRecord")
        return self

    def __exit__(self, *error):
        self.close()

    @property
    def log_dir(self):
        """Path of the event file."""
        return str(self._file.path)

    def set_mode(self, mode):
        """Set the mode: "train", or "eval", in which summary operations are not written."""
        kinds.one_of(*_MODES)("SummaryRecord.set_mode", mode=mode)
        self._mode = mode

    def add_value(self, plugin, name, value):
        """Add a value for the next `record`.

        `plugin`: "scalar" (a Tensor with one element), "image" (N, C, H, W), with 1 or 3 channels,
        from 0 to 1 or 0 to 255 in uint8; "histogram" or "tensor" (any shape); "graph", a graph of
        `jit(f).graph(...)`; "train_lineage", "eval_lineage", "custom_lineage_data" or
        "dataset_graph", a dict, which is shown as text. A later value of the same name replaces an
        earlier one.
        """
        kinds.one_of(*_FORMS, *_TEXTS, "graph")("SummaryRecord.add_value", plugin=plugin)
        kinds.STR("SummaryRecord.add_value", name=name)
        if plugin in _FORMS:
            kinds.instance(Tensor, "a-tensor")("SummaryRecord.add_value", value=value)
            value = _FORMS[plugin].fitting(name, value)
        elif plugin == "graph":
            kinds.instance(Listing, "a-graph")("SummaryRecord.add_value", value=value)
        else:
            kinds.DICT("SummaryRecord.add_value", value=value)
        self._values[plugin, name] = value

    def record(self, step, train_network=None, plugin_filter=None):
        """Write the values added or shown since the last call, for `step`; returns True on success.
        `plugin_filter(plugin)`: return True to write values of that kind."""
        kinds.INT("SummaryRecord.record", step=step)
        _CELL("SummaryRecord.record", train_network=train_network)
        if self._file.is_closed:
            return False
        self._add_graph(self._network or train_network)
        values, self._values = self._values, {}
        shown = SUMMARIES.take()
        if self._mode == "train":
            for (plugin, name), value in shown.items():
                values[plugin, name] = _FORMS[plugin].fitting(name, value)
        for (plugin, name), value in values.items():
            if plugin_filter is None or plugin_filter(plugin):
                self._write_value(plugin, name, value, step)
        self.flush()
        return not self._refused

    def _add_graph(self, network):
        """Add the graph of the network, once."""
        if self._network is None:
            return
        self._network, inputs = None, network.get_inputs()
        if isinstance(inputs, tuple):
            self.add_value("graph", "graph", jit(network).graph(*inputs))
        else:
            warn(
                "For 'SummaryRecord', the graph of 'network' is not written: its inputs are not "
                "known. Say them with 'network.set_inputs(x)'."
            )

    def _write_value(self, plugin, name, value, step):
        if plugin == "graph":
            self._write(step, graph_def=graph_def(value).SerializeToString())
        elif plugin in _TEXTS:
            text = "\n".join(f"    {line}" for line in json.dumps(value, indent=1).splitlines())
            summary = tensorboard("plugins.text.summary_v2").text_pb(f"{plugin}/{name}", text)
            self._write(step, summary=summary)
        else:
            self._write(step, summary=_FORMS[plugin].summary(name, value))
            if plugin == "tensor" and self._exports:
                folder = self._file.folder / "export"
                folder.mkdir(exist_ok=True)
                np.save(folder / f"{name.replace(os.sep, '_')}_{step}.npy", value)

    def _write(self, step, **content):
        if self._refused:
            return
        try:
            is_written = self._file.write(step, self._limit, **content)
        except OSError as cause:
            self._refuse(cause.strerror, cause)
            return
        if not is_written:
            self._refuse(f"it would exceed {self._limit} bytes; give a larger 'max_file_size'")

    def _refuse(self, why, cause=None):
        """Stop writing."""
        self._refused = True
        words = f"For 'SummaryRecord', '{self._file.path}' cannot be written: {why}."
        if self._raises:
            raise OSError(words) from cause
        warn(f"{words} Nothing more is recorded.")

    def flush(self):
        """Flush written events to disk."""
        if not self._file.is_closed:
            try:
                self._file.flush()
            except OSError as cause:
                self._refuse(cause.strerror, cause)

    def close(self):
        """Write remaining values, and allow another record to be opened."""
        if self._file.is_closed:
            return
        try:
            self._file.close()
        except OSError as cause:
            if not self._refused:  # else already reported: unwritten data is still in the buffer
                self._refuse(cause.strerror, cause)
        finally:
            SummaryRecord._open = SUMMARIES.record = None


def _check_export(options):
    kinds.optional(kinds.DICT)("SummaryRecord", export_options=options)
    options = options or {}
    fits = not set(options) - {"tensor_format"} and options.get("tensor_format") in ("npy", None)
    require(fits, "none-callback-record", "SummaryRecord", export_options=options)


# the forms of values ------------------------------------------------------------------------------


class _Form:
    """Validation and summary of a plugin's values."""

    def __init__(self, fits, rule, summary):
        self.fits, self.rule, self.summary = fits, rule, summary

    def fitting(self, name, value):
        """Return the value as an array, validated."""
        array = value.asnumpy()
        if array.dtype.kind not in "biuf":
            array = array.astype(np.float32)  # bfloat16, or complex, which warns
        if not self.fits(array):
            raise rejection("value-callback-record", "SummaryRecord", name=name, law=self.rule,
                            shape=array.shape)  # fmt: skip
        return array


_FORMS = {
    "scalar": _Form(lambda a: a.size == 1, "one element", scalar_summary),
    "tensor": _Form(lambda a: True, "", tensor_summary),
    "image": _Form(
        lambda a: a.ndim == 4 and a.shape[1] in (1, 3) and a.size > 0,
        "shape (N, C, H, W) with one or three channels", image_summary,
    ),
    "histogram": _Form(lambda a: a.size > 0, "elements", histogram_summary),
}  # fmt: skip


def graph_def(graph):
    """Convert `jit(f).graph(...)` to a TensorBoard graph, one node per operation."""
    proto = tensorboard("compat.proto.graph_pb2").GraphDef()
    node_names = {"input": [], "output": [], "real": [], "integer": []}
    for item in graph.inputs:
        node = proto.node.add(name=_node_name(f"{item.kind}s/{item.name}"), op=item.kind.title())
        _describe(node, [item.aval])
        node_names["input"].append(node.name)
    for pool, numbers in (("real", graph.reals), ("integer", graph.integers)):
        for i, number in enumerate(numbers):
            node = proto.node.add(name=f"numbers/{pool}{i}", op=repr(number))
            node_names[pool].append(node.name)
    for op, rule, refs in graph.trace.steps:
        if not rule.avals:
            continue
        node = proto.node.add(name=_node_name(f"{op.name}_{len(node_names['output'])}"), op=op.name)
        node.input.extend(node_names[pool][index] for pool, index in refs)
        for key, value in op.attributes.items():
            node.attr[key].s = repr(value).encode()
        _describe(node, rule.avals)
        node_names["output"] += [
            f"{node.name}:{k}" if k else node.name for k in range(len(rule.avals))
        ]
    n = graph.n_results
    ends = [f"results/{k}" for k in range(n)] + [f"written/{name}" for name in graph.written]
    for name, output in zip(ends, graph.outputs, strict=True):
        source = node_names["output"][output] if output >= 0 else node_names["input"][~output]
        proto.node.add(name=_node_name(name), op="Identity").input.append(source)
    return proto


def _node_name(name):
    """Replace characters that TensorBoard does not allow in names."""
    return "".join(c if c.isalnum() or c in "_./>-" else "_" for c in name).lstrip("_") or "node"


def _describe(node, avals):
    """Add the output shapes of a node."""
    for aval in avals:
        shape = node.attr["_output_shapes"].list.shape.add()
        for size in aval.shape:
            shape.dim.add(size=size)


__all__ = ["SummaryRecord"]
