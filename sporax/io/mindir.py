"""What MindSpore does with graphs in files, and sporax does not."""

_FORMATS = ("AIR", "ONNX", "MINDIR")
_INSTEAD = (
    "sporax keeps no graphs. Save the parameters with 'save_checkpoint', make the net from its "
    "Python code where it is needed, and load them with 'load_checkpoint(path, net)'."
)


def export(net, *inputs, file_name, file_format, **kwargs):
    """Refused with NotImplementedError: files of graphs (MINDIR, ONNX, AIR) are not written.

    Raises ValueError for a `file_format` that MindSpore does not have either.
    """
    if file_format not in _FORMATS:
        raise ValueError(
            f"For 'export', 'file_format' must be one of {_FORMATS}, but got {file_format!r}."
        )
    raise NotImplementedError(f"For 'export', file_format='{file_format}' is not done: {_INSTEAD}")


def load(file_name, **kwargs):
    """Refused with NotImplementedError: files of graphs (MINDIR) are not read."""
    raise NotImplementedError(f"For 'load', '{file_name}' is not read: {_INSTEAD}")


def _save_graph(network, file_name):
    """Refused with NotImplementedError, as `export`."""
    raise NotImplementedError(f"For '_save_graph', '{file_name}' is not written: {_INSTEAD}")
