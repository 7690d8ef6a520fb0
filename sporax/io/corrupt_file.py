"""The error for a file that is damaged or of another format."""


class CorruptFile(Exception):
    """The bytes are not what the format says, or not all of it. `remedy`: what can be done."""

    def __init__(self, reason, remedy="take an intact copy"):
        super().__init__(reason)
        self.remedy = remedy
