"""Saving and loading graphs: StableHLO and ONNX."""
