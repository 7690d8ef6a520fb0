"""`sporax plan`: runs a script up to its first training step, and plans the memory of that step."""

import contextlib
import dis
import gc
import sys

from sporax._src.capture.graph_capture.jit import JitFunction
from sporax._src.core.errors import users_frame
from sporax._src.core.language import language
from sporax._src.core.units import bytes_text
from sporax._src.devices.sharding.mesh import current_mesh
from sporax._src.diagnosis.rules import message
from sporax._src.optim.optimizer import Optimizer
from sporax._src.transforms.autodiff.grad import Derivative
from sporax._src.workbench.cli.run import run_module, run_script
from sporax.insight.memory_plan import memory_plan
from sporax.nn.cell import Cell

_NO_PLAN = 1
# functions whose outermost call at that time is the step
_CALLS = {f.__code__ for f in (Cell.__call__, JitFunction.__call__, JitFunction.prepare)}


class _FirstStep(BaseException):
    """Raised instead of the first derivative with respect to Parameters: nothing of the step has
    been recorded or computed."""


@contextlib.contextmanager
def _stopping():
    """Raise `_FirstStep` in the block where a derivative with respect to Parameters is called."""
    differentiate = Derivative.__call__

    def stop(derivative, args, kwargs):
        if derivative.weights:
            raise _FirstStep(current_mesh(), derivative, args, kwargs)
        return differentiate(derivative, args, kwargs)

    Derivative.__call__ = stop
    try:
        yield
    finally:
        Derivative.__call__ = differentiate


def plan(path, module, arguments, memory):
    """Run a script or module up to its first training step, and print the step's plan and the batch
    that fits into `memory` bytes (None: the machine's); return 0, or the script's exit code if that
    is another, or 1 if there is no plan."""
    try:
        with _stopping():
            code = run_module(module, arguments) if path is None else run_script(path, arguments)
    except _FirstStep as first:
        return _planned(first, memory)
    except SystemExit as error:
        code = error.code
    if code:
        sys.exit(code)
    return _refused(message("ended-without-step"))


def _refused(reason):
    reason = reason.chinese if language() == "zh" and hasattr(reason, "chinese") else reason
    print(f"sporax plan: {reason}", file=sys.stderr)
    return _NO_PLAN


def _planned(first, memory):
    mesh, derivative, *given = first.args
    if mesh is not None:
        return _refused(message("no-mesh-entered-memory", "memory_plan"))
    optimizers = _optimizers(derivative.weights)
    loop = _loop(derivative, optimizers, _holds_gradients(first.__traceback__))
    step, args, kwargs = _call(first.__traceback__) or (loop, *given)
    first.__traceback__ = None  # its frames hold Tensors
    try:
        found = memory_plan(step, *args, **kwargs)
    except RuntimeError as error:
        return _refused(error)
    reason = None
    if found.batch is not None:
        try:
            found.fits = found.fit(memory)
        except ValueError as error:
            reason = error
    print(found)
    if reason is not None:
        print(f"no other batch is planned: {reason}")
    for optimizer in optimizers if not found.updates else ():
        size = sum(p.nbytes for p in optimizer.get_parameters() if p not in set(derivative.weights))
        print(f"{type(optimizer).__name__} updates in a program of its own, with {bytes_text(size)}"
              " of state")  # fmt: skip
    return 0


def _call(traceback):
    """Return (step, args, kwargs) of the outermost call of a Cell or captured function; None if the
    derivative was called outside of one."""
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code in _CALLS:
            return tuple(frame.f_locals[name] for name in ("self", "args", "kwargs"))
        traceback = traceback.tb_next
    return None


def _optimizers(weights):
    """Return the optimizers of these Parameters, not those that another one contains."""
    trained = {id(p) for p in weights}
    every = [
        x for x in gc.get_objects()
        if isinstance(x, Optimizer) and {id(p) for p in x.parameters} <= trained
    ]  # fmt: skip
    inner = {id(c) for x in every for _, c in x.cells_and_names() if c is not x}
    return [x for x in every if id(x) not in inner]


def _holds_gradients(traceback):
    """Return True if the user's code that calls the derivative is a module or has a loop: then its
    variables outlive a step."""
    codes = []
    while traceback is not None:
        frame, _ = users_frame(traceback.tb_frame)
        codes += [frame.f_code] if frame is traceback.tb_frame else []
        traceback = traceback.tb_next
    code = codes[-1]
    return code.co_name == "<module>" or any(
        "JUMP_BACKWARD" in i.opname for i in dis.Bytecode(code)
    )


def _loop(derivative, optimizers, holds):
    """Return the step of a loop that calls a derivative, then the optimizers, and `holds` the
    gradients until the next step."""

    def step(*args, **kwargs):
        result, inputs, gradients = derivative(args, kwargs)
        by_weight = dict(zip(map(id, derivative.weights), gradients, strict=True))
        for optimizer in optimizers:
            optimizer(tuple(by_weight[id(p)] for p in optimizer.parameters))
        return (result, inputs, gradients) if holds else result

    function = getattr(derivative.fn, "__name__", type(derivative.fn).__name__)
    step.__name__ = f"a step of {function}"
    return step
