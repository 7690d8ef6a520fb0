"""Raises an exception, or a signal, at the n-th place of a call where one can occur.

`opcodes`: before every instruction that can raise. `signals`: where Python handles signals, at the
beginning of a function and at the end of a call of a C function, with KeyboardInterrupt. Both only
in the files of the library, and in `contextlib`, on which its context managers depend. The call by
which a `with` block releases a lock is not a place: nothing can occur between it and the block.
"""

import contextlib
import dis
import functools
import signal
import sys
from pathlib import Path

import sporax

_FILES = (str(Path(sporax.__file__).parent), contextlib.__file__)

# Instructions that cannot raise, and handle no signal: they move references, or jump.
_SAFE = {
    "CACHE", "COPY", "COPY_FREE_VARS", "GET_ITER", "JUMP_FORWARD", "KW_NAMES", "LOAD_CLOSURE",
    "LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "MAKE_CELL", "NOP", "POP_EXCEPT", "POP_TOP", "PRECALL",
    "POP_JUMP_BACKWARD_IF_NONE", "POP_JUMP_BACKWARD_IF_NOT_NONE", "POP_JUMP_FORWARD_IF_FALSE",
    "POP_JUMP_FORWARD_IF_NONE", "POP_JUMP_FORWARD_IF_NOT_NONE", "POP_JUMP_FORWARD_IF_TRUE",
    "PUSH_EXC_INFO", "PUSH_NULL", "RERAISE", "RETURN_GENERATOR", "RETURN_VALUE", "STORE_DEREF",
    # Python 3.12 and 3.13
    "END_FOR", "END_SEND", "LOAD_FAST_AND_CLEAR", "LOAD_FAST_LOAD_FAST", "POP_JUMP_IF_FALSE",
    "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE", "POP_JUMP_IF_TRUE", "RETURN_CONST",
    "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST",
    # and all of them
    "STORE_FAST", "SWAP", "IS_OP", "YIELD_VALUE", "EXTENDED_ARG", "JUMP_IF_FALSE_OR_POP",
    "JUMP_IF_TRUE_OR_POP", "DELETE_FAST", "CHECK_EXC_MATCH", "BUILD_TUPLE", "BUILD_LIST",
}  # fmt: skip
_CAN_RAISE = frozenset(code for name, code in dis.opmap.items() if name not in _SAFE)


@functools.cache
def _places(code):
    """Return the offsets of a code object's instructions that can raise."""
    steps = [s for s in dis.get_instructions(code) if s.opname not in ("CACHE", "PRECALL")]
    offsets = {step.offset for step in steps if step.opcode in _CAN_RAISE}
    for i, step in enumerate(steps):
        loads = [(s.opname, s.argval) for s in steps[max(i - 3, 0) : i]]
        if step.opname == "CALL" and loads == [("LOAD_CONST", None)] * 3:  # the end of a block
            offsets.discard(step.offset)
    return offsets


SIGNAL = signal.SIGUSR1


class Fault(Exception):
    """The injected exception."""


class _Injection:
    """Counts places; at number `at` (None: nowhere) raises, or sends a signal."""

    def __init__(self, at=None, is_signal=False):
        self.at, self.is_signal, self.count, self.place = at, is_signal, 0, None
        self._watched = {}

    def _is_watched(self, code):
        known = self._watched.get(code)
        if known is None:
            known = self._watched[code] = code.co_filename.startswith(_FILES)
        return known

    def _at_place(self, frame, what):
        self.count += 1
        if self.count == self.at:
            name, code = Path(frame.f_code.co_filename).name, frame.f_code
            self.place = f"{name}:{frame.f_lineno} {code.co_qualname} {what}"
            self.uninstall()
            if not self.is_signal:
                raise self.error
            signal.raise_signal(SIGNAL)


class Opcodes(_Injection):
    """Injects before every instruction that can raise."""

    error = Fault

    def install(self):
        sys.settrace(self._trace)

    def uninstall(self):
        sys.settrace(None)

    def _trace(self, frame, event, arg):
        if not self._is_watched(frame.f_code):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._step

    def _step(self, frame, event, arg):
        if event == "opcode" and frame.f_lasti in _places(frame.f_code):
            self._at_place(frame, dis.opname[frame.f_code.co_code[frame.f_lasti]])
        return self._step


class Signals(_Injection):
    """Injects where Python handles signals."""

    error = KeyboardInterrupt

    def install(self):
        sys.setprofile(self._profile)

    def uninstall(self):
        sys.setprofile(None)

    def _profile(self, frame, event, arg):
        if event in ("call", "c_return") and self._is_watched(frame.f_code):
            self._at_place(frame, f"{event} {getattr(arg, '__name__', '')}")


KINDS = {"opcodes": Opcodes, "signals": Signals}


def places(kind, call):
    """Return the number of places of a call at which an exception can occur."""
    injection = KINDS[kind]()
    injection.install()
    try:
        call()
    finally:
        injection.uninstall()
    return injection.count


def raised_at(kind, call, at, is_signal=False):
    """Run a call with an exception, or a signal, at place number `at`, from 1 on; return (that
    place, or None if there are fewer; the number of places counted; True if an exception came
    out)."""
    injection = KINDS[kind](at, is_signal)
    injection.install()
    try:
        call()
    except (Fault, KeyboardInterrupt):
        return injection.place, injection.count, True
    finally:
        injection.uninstall()
    return injection.place, injection.count, False
