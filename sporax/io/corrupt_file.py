"""The error for a file that is damaged or of another format."""


class CorruptFile(Exception):
    """Raised if a file is truncated or violates its format. `remedy`: what the user can do."""

    def __init__(self, reason, remedy="take an intact copy"):
        super().__init__(reason)
        self.remedy = remedy
