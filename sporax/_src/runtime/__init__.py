"""Run operations: recording, programs, the interpreter, storage, checks of indices."""
