"""Recorders: run cases under MindSpore 2.10 or PyTorch, and write results to `tests/recorded`.

    python -m tools.record NAME[:PART,...] ... [--mindspore PYTHON] [--torch PYTHON]

`table.py` lists the names. Each runs in its own process and an empty folder, under the library's
interpreter ($MINDSPORE_PYTHON, $TORCH_PYTHON, or this one).
"""
