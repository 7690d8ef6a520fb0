"""Branches and loops on Tensors: operations with derivatives, and what converted source calls."""
