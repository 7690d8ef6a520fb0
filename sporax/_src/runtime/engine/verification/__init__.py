"""Programs are compared with the interpreter before they are used. See docs/verified.md."""
