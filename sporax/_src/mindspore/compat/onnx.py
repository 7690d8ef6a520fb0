"""`mindspore.onnx`: `export` with the format ONNX."""

from sporax import io
from sporax._src.diagnosis.rules import message, rejection, require

_WHY = {  # keyword -> rule of the reason
    "input_names": "inputs-named-after-arguments",
    "output_names": "outputs-are-numbered",
    "keep_initializers_as_inputs": "parameters-are-initializers",
    "dynamic_axes": "symbolic-sizes-of-onnx",
}


def export(net, *inputs, file_name, export_params=True, **options):
    """Write an ONNX file: `mindspore.export` with `file_format="ONNX"`, with the same requirements.

    Raises NotImplementedError, with the alternative, for names of inputs and outputs, dynamic axes
    and a file without Parameters.
    """
    for option, value in options.items():
        require(option in _WHY, "no-keyword", "onnx.export", option=option)
        if value:
            raise rejection("not-done", "onnx.export", argument=option, value=message(_WHY[option]))
    require(export_params, "true-file-holds-parameters", "onnx.export", argument="export_params")
    io.export(net, *inputs, file_name=file_name, file_format="ONNX")
