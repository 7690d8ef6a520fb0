"""`Origin`: the line of user code, and the Cell, in which an operation was recorded."""

import weakref

from sporax._src.core.errors import located, users_frame
from sporax._src.core.hooks import hooks


class Origin:
    """The innermost line of user code from a frame outwards, and the Cells called there.

    `is_noted`: whether operations get one when they are first recorded in a trace.
    """

    __slots__ = ("cells", "file", "line")

    is_noted = True

    def __init__(self, frame):
        self.cells = [weakref.ref(cell) for cell in hooks.calling_cells(frame)]
        self.file, self.line = "", 0
        frame, _ = users_frame(frame)
        if frame is not None:
            self.file, self.line = frame.f_code.co_filename, frame.f_lineno

    def __str__(self):
        cells = [cell for each in self.cells if (cell := each()) is not None]
        cell = hooks.cell_path(cells) if len(cells) == len(self.cells) else ""
        return located(self.file, self.line, cell) if self.file else ""
