"""Branches and loops on Tensors: differentiable operations, and the runtime of converted source."""
