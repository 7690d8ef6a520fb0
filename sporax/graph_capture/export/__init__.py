"""Graphs in files: StableHLO and ONNX, written and loaded."""
