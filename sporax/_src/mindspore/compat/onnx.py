"""`mindspore.onnx`: `export` with the format ONNX."""

from sporax import io
from sporax._src.diagnosis.rules import rejection, require

_WHY = {
    "input_names": "Inputs are named after the arguments; rename them with the package onnx",
    "output_names": "Outputs are numbered; rename them with the package onnx",
    "keep_initializers_as_inputs": "Parameters are in the file as initializers",
    "dynamic_axes": "Give Tensor(shape=[None, 3], dtype=...) for an input whose size varies",
}


def export(net, *inputs, file_name, export_params=True, **options):
    """Write an ONNX file: `mindspore.export` with `file_format="ONNX"`, with the same requirements.

    Raises NotImplementedError, with the alternative, for names of inputs and outputs, dynamic axes
    and a file without Parameters.
    """
    for option, value in options.items():
        require(option in _WHY, "no-keyword", "onnx.export", option=option)
        if value:
            raise rejection("not-done", "onnx.export", argument=option, value=_WHY[option])
    require(export_params, "true-file-holds-parameters", "onnx.export", argument="export_params")
    io.export(net, *inputs, file_name=file_name, file_format="ONNX")
