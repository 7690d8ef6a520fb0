"""Errors of a Cell's call."""

import inspect
import traceback
from typing import Any

from sporax._src.core.errors import is_own as is_taught
from sporax._src.core.errors import is_users, refusal_of
from sporax._src.core.signature_errors import constructed_with, is_own, unfitting
from sporax._src.core.value import thread
from sporax._src.diagnosis.causes import is_from, recursion_of
from sporax._src.diagnosis.rules import message, rejection


def _endless(cell, error):
    """Return the error for a Cell that calls itself endlessly; None if that is not the cause."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    calls = [
        f for f in frames if f.f_code.co_name == "_run_construct" and f.f_locals["self"] is cell
    ]
    if len(calls) < 2 or thread.recorder.tracer is not None:
        return None
    recursion = recursion_of(error, is_users) or message("among-its-own-parts")
    return rejection("call-end", type(cell).__name__, recursion=recursion)


def call_refusal(cell, args, kwargs, error):
    """Return the error to raise instead of `error` from a Cell's call: a signature mismatch, or,
    for a built-in layer, an error raised inside its `construct`. None for an error from user
    code."""
    if isinstance(error, RecursionError) and not is_taught(error):
        return _endless(cell, error)
    trace: Any = error.__traceback__
    within = error.with_traceback(trace.tb_next)
    if is_from(within, is_users):
        return None
    who, signature = type(cell).__name__, inspect.signature(cell.construct)
    refusal = unfitting(who, signature, args, kwargs)
    if refusal is not None or not is_own(type(cell)):
        return refusal if isinstance(error, TypeError) else None
    (parameters, earlier), given = constructed_with(cell), signature.bind(*args, **kwargs).arguments
    return refusal_of(who, given, error, {**parameters, **signature.parameters}, earlier)
