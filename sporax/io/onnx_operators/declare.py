"""`rules`: the table of a module's rules, and the decorator that adds to it."""


def rules():
    """Return ({primitive: rule}, a decorator that adds a rule for primitives of these names)."""
    table = {}

    def rule(*names):
        def add(function):
            table.update(dict.fromkeys(names, function))
            return function

        return add

    return table, rule
