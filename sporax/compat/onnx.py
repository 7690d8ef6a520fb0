"""`mindspore.onnx`: `export` with the format ONNX."""

from sporax import io

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
        if option not in _WHY:
            raise TypeError(f"For 'onnx.export', there is no keyword '{option}'. Leave it out.")
        if value:
            raise NotImplementedError(f"For 'onnx.export', '{option}' is not done. {_WHY[option]}.")
    if not export_params:
        raise NotImplementedError(
            "For 'onnx.export', 'export_params' must be True: the file holds the Parameters."
        )
    io.export(net, *inputs, file_name=file_name, file_format="ONNX")
