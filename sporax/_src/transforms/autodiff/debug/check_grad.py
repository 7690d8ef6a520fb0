"""`check_grad`: derivatives compared with finite differences of the function."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.diagnosis.argument_kinds import one_of
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.transforms.autodiff.debug.float64_function import (
    Subject,
    random_like,
    refuse_nesting,
)

_MOST_SHOWN = 3  # mismatches of one variable
_MOST_OUTPUTS = 64  # the most output elements that are searched for a mismatch
_EPSILON = np.finfo(np.float64).eps
_NARROW = {4: (5e-3, 2e-2, 2e-2), 8: (5e-3, 2e-2, 2e-2)}  # step, rtol, atol of float32, complex64


class GradientError(AssertionError):
    """Derivatives and finite differences disagree; `report`: the `GradientReport`.

    >>> issubclass(GradientError, AssertionError)
    True
    """

    __module__ = "sporax"

    def __init__(self, report: "GradientReport") -> None:
        super().__init__(str(report))
        self.report = report


@dataclasses.dataclass(frozen=True)
class Mismatch:
    """A derivative that disagrees with finite differences.

    `order`: 1 or 2. `name`, `index`: the input or Parameter, and its element. `quantity`: the
    differentiated quantity. `analytic`, `numeric`: the results of the backward pass and of
    finite differences.
    """

    order: int
    name: str
    index: tuple
    quantity: str
    analytic: complex
    numeric: complex

    @property
    def error(self):
        """The difference relative to the larger of the two."""
        larger = max(abs(self.analytic), abs(self.numeric))
        return abs(self.analytic - self.numeric) / larger if larger else 0.0

    def __str__(self):
        where = f" {list(map(int, self.index))}" if self.index else ""
        return (
            f"order {self.order}: {self.quantity} by '{self.name}'{where} is "
            f"{_number(self.analytic)} by the backward pass, {_number(self.numeric)} by finite "
            f"differences (relative error {self.error:.2g})"
        )


@dataclasses.dataclass
class GradientReport:
    """The result of `check_grad`: `mismatches`, and lines of text on what was `checked`, `skipped`
    or `noted`. `written`: names of the user-defined derivatives involved.

    >>> report = ms.check_grad(lambda x: x * x, Tensor([3.0]))
    >>> report.mismatches
    []
    """

    order: int
    mismatches: list = dataclasses.field(default_factory=list)
    checked: list = dataclasses.field(default_factory=list)
    skipped: list = dataclasses.field(default_factory=list)
    noted: list = dataclasses.field(default_factory=list)
    written: list = dataclasses.field(default_factory=list)

    @property
    def passed(self) -> bool:
        """True if no derivative differed."""
        return not self.mismatches

    def __str__(self):
        lines = []
        if self.passed:
            orders = "first" if self.order == 1 else "first and second"
            lines.append(f"check_grad: derivatives of {orders} order agree.")
        else:
            lines.append(
                "For 'check_grad', derivatives must agree with finite differences, but got:"
            )
            lines += [f"  {m}" for m in self.mismatches]
            lines.append(self._remedy())
        lines += [f"  checked: {text}" for text in self.checked]
        lines += [f"  skipped: {text}" for text in self.skipped]
        lines += [f"  note: {text}" for text in self.noted]
        return "\n".join(lines)

    def _remedy(self):
        if not self.written:
            return "No derivative on the way is the user's own; a number may leave the Tensors."
        own = " and ".join(f"'{name}'" for name in dict.fromkeys(self.written))
        if self.mismatches[0].order == 2:
            return (
                f"Compute in {own} with Tensor operations only, so that it can be differentiated."
            )
        return f"Look at {own} first: it is a derivative of your own."


def check_grad(
    fn: Callable[..., Any], *inputs: Any, order: int = 2, weights: Any = None, eps: float = 1e-6,
    rtol: float = 1e-4, atol: float = 1e-6, elements: int = 32, directions: int = 4,
    raises: bool = True, seed: int = 0,
) -> GradientReport:  # fmt: skip
    r"""Compare the derivatives of a function or Cell with finite differences, in float64.

    The outputs' elements are added up, $s(x) = \sum_j w_j y_j(x)$, with random weights $w$ (1 for a
    single element). First order, along unit vectors or random directions $v$:

    $$\nabla s(x) \cdot v \approx (s(x + hv) - s(x - hv)) / 2h$$

    Second order: $\nabla (\nabla s \cdot v)$ against the same difference of $\nabla s$, for every
    element. Variables are the floating and complex Tensors in `inputs`, and the trainable
    Parameters of the Cell, or of the Cells that a function references (`weights`: others). They and
    the Cell's other Tensors are float64 during the check, and restored afterwards. Integers are
    skipped. The gradient of a complex $x + iy$ is $\partial s/\partial x + i\,\partial
    s/\partial y$.

    `order`: 1 or 2. `eps`: the step $h$, times $\max(1, |x|)$. `rtol`, `atol`: the tolerances. A
    variable of at most `elements` elements is checked element by element, a larger one along that
    many random `directions` of $\pm 1$, bisected to find the element where they disagree. At a
    kink (ReLU at 0) any value between the slopes of both sides is accepted, and noted.

    Returns a `GradientReport`; raises GradientError if it has mismatches, unless `raises` is False.
    Raises ValueError if the function is random (dropout), or not finite.

    >>> print(check_grad(lambda x: x * x, Tensor([3.0])))
    check_grad: derivatives of first and second order agree.
      checked: 'x' Float64 (1,), 1 element
    """
    one_of(1, 2)("check_grad", order=order)
    refuse_nesting()
    with Subject(fn, inputs, weights, np.random.default_rng(seed)) as subject:
        report = Comparison(subject, eps, rtol, atol).run(order, elements, directions)
    if raises and not report.passed:
        raise GradientError(report)
    return report


class Comparison:
    """Compares a `Subject`'s derivatives at its points."""

    def __init__(self, subject, eps, rtol, atol):
        self.subject, self.points = subject, subject.points
        self.eps, self.rtol, self.atol = eps, rtol, atol
        for name, x in zip(subject.names, self.points, strict=True):
            require(np.isfinite(x).all(), "inputs-finite-nan-infinities", "check_grad", name=name)
        self.base, self.size, self.slopes = subject.evaluate(self.points)
        again, _, _ = subject.evaluate(self.points)
        require(np.isfinite(self.base), "function-s-value-finite", "check_grad", got=self.base)
        is_same = abs(again - self.base) <= 1e-10 * self.size
        require(is_same, "function-give-same-twice", "check_grad", base=self.base, again=again)
        if subject.narrow is not None:
            self._loosen(*subject.narrow)

    def _loosen(self, name, dtype):
        size = dtype.itemsize
        if size not in _NARROW or (size == 4 and dtype.kind == "c"):
            raise rejection("computed-in-float32", "check_grad", name=name, dtype=dtype.name)
        floors = _NARROW[size]
        self.eps, self.rtol, self.atol = map(max, floors, (self.eps, self.rtol, self.atol))
        self.note = (
            f"'{name}' gives {dtype.name}, so differences are rough: step {self.eps:g}, "
            f"rtol {self.rtol:g}, atol {self.atol:g}"
        )

    note = None

    def run(self, order, elements, directions):
        """Return the report."""
        subject = self.subject
        self.report = GradientReport(order, written=subject.written)
        if self.note is not None:
            self.report.noted.append(self.note)
        for name, t in subject.skipped:
            self.report.skipped.append(f"'{name}' {t.dtype} {t.shape}, which is not differentiated")
        for i, (name, x) in enumerate(zip(subject.names, self.points, strict=True)):
            few = x.size <= elements
            (self._each_element if few else self._directions)(i, directions)
            count = "1 element" if x.size == 1 else f"{x.size} elements"
            how = "" if few else f" along {directions} random directions"
            kind = "Complex128" if x.dtype.kind == "c" else "Float64"
            self.report.checked.append(f"'{name}' {kind} {x.shape}, {count}{how}")
        if order == 2 and self.report.passed and self.points:
            self._second_order()
        return self.report

    # first order --------------------------------------------------------------------------

    def _each_element(self, i, _):
        wrong = []
        for index in np.ndindex(self.points[i].shape):
            for direction in self._units(i, index):
                slopes = self._compare(i, direction)
                if slopes is not None:
                    wrong.append((abs(slopes[0] - slopes[1]), index, slopes))
        wrong.sort(key=lambda item: -item[0])
        for _, index, slopes in wrong[:_MOST_SHOWN]:
            self._add(i, index, *slopes)

    def _units(self, i, index):
        unit = np.zeros_like(self.points[i])
        unit[index] = 1
        return (unit, unit * 1j) if unit.dtype.kind == "c" else (unit,)

    def _directions(self, i, directions):
        x, seen = self.points[i], set()
        for _ in range(directions):
            signs = self.subject.rng.choice([-1.0, 1.0], (2, *x.shape))
            direction = signs[0] + 1j * signs[1] if x.dtype.kind == "c" else signs[0]
            if self._compare(i, direction) is not None:
                index, slopes = self._locate(i, direction)
                if index not in seen and len(seen) < _MOST_SHOWN:
                    seen.add(index)
                    self._add(i, index, *slopes)

    def _locate(self, i, direction):
        """Find an element where a direction's slopes disagree by bisection, in the worse half."""
        where, slopes = np.arange(direction.size), None
        while where.size > 1:
            halves = []
            for subset in np.array_split(where, 2):
                masked = np.zeros_like(direction)
                masked.flat[subset] = direction.flat[subset]
                slopes = self._compare(i, masked)
                halves.append((0.0 if slopes is None else abs(slopes[0] - slopes[1]), subset))
            where = max(halves, key=lambda half: half[0])[1]
        index = np.unravel_index(where[0], direction.shape)
        for unit in self._units(i, index):
            slopes = self._compare(i, unit)
            if slopes is not None:
                return index, slopes
        return index, (self.slopes[i][index], np.nan)

    def _compare(self, i, direction):
        """Return None if the slopes along a direction agree, else (analytic, numeric)."""
        along = direction != 0
        slope = np.real(np.vdot(self.slopes[i][along], direction[along]))
        spread = np.linalg.norm(self.slopes[i][along])
        first = None
        for factor in (1, 1e-2):  # the smaller step may not reach a kink nearby
            x = self.points[i][along]
            step = self.eps * factor * max(1.0, np.sqrt(np.mean(np.abs(x) ** 2)))
            above, below = (self._value(i, sign * step * direction) for sign in (1, -1))
            numeric = (above - below) / (2 * step)
            noise = 16 * _EPSILON * self.size / step
            close = self.atol + noise + self.rtol * max(spread, abs(slope), abs(numeric))
            if abs(slope - numeric) <= close:
                return None
            first = first or (slope, numeric)
            sides = sorted([(above - self.base) / step, (self.base - below) / step])
            if sides[0] - close <= slope <= sides[1] + close:
                self._kink(i)
                return None
            if self.note is not None:
                break
        return first

    def _kink(self, i):
        text = (
            f"'{self.subject.names[i]}' is at or near a kink, where slopes differ from side to "
            "side; the derivative lies between them"
        )
        if text not in self.report.noted:
            self.report.noted.append(text)

    def _value(self, i, change):
        return self.subject.evaluate(self._moved(i, change))[0]

    def _moved(self, i, change):
        return [x + change if k == i else x for k, x in enumerate(self.points)]

    def _add(self, i, index, analytic, numeric):
        quantity, analytic, numeric = self._of_one_output(i, index) or (
            "the weighted sum of the outputs", analytic, numeric,
        )  # fmt: skip
        name = self.subject.names[i]
        self.report.mismatches.append(Mismatch(1, name, tuple(index), quantity, analytic, numeric))

    def _of_one_output(self, i, index):
        """Return (output element, analytic, numeric) with the largest error, or None."""
        subject, unit = self.subject, self._units(i, index)[0]
        sizes = [t.size for t in subject.outputs]
        if sum(sizes) > _MOST_OUTPUTS or any(t.asnumpy().dtype.kind == "c" for t in subject.seeds):
            return None
        step = self.eps * max(1.0, abs(self.points[i][index]))
        outs = []
        for sign in (1, -1):
            subject.evaluate(self._moved(i, sign * step * unit))
            outs.append([t.asnumpy() for t in subject.outputs])
        seeds, worst = subject.seeds, (0.0, None)
        for k, (above, below) in enumerate(zip(*outs, strict=True)):
            for j in np.ndindex(above.shape):
                numeric = float((above[j] - below[j]) / (2 * step))
                weights = [np.zeros(t.shape) for t in subject.outputs]
                weights[k][j] = 1
                analytic = float(self._slope_with(weights, i, index).real)
                if abs(analytic - numeric) > worst[0]:
                    which = f" {k}" if len(sizes) > 1 else ""
                    quantity = f"output{which}" + (f" {list(j)}" if j else "")
                    worst = abs(analytic - numeric), (quantity, analytic, numeric)
        subject.seeds = seeds
        return worst[1]

    def _slope_with(self, weights, i, index):
        self.subject.seeds = [type(s)(w) for s, w in zip(self.subject.seeds, weights, strict=True)]
        return self.subject.evaluate(self.points)[2][i][index]

    # second order -------------------------------------------------------------------------

    def _second_order(self):
        subject = self.subject
        direction = [random_like(subject.rng, x.shape, x.dtype.kind == "c") for x in self.points]
        analytic = subject.along(self.points, direction)
        open_ = [np.ones(x.shape, bool) for x in self.points]
        first = None
        for factor in (1, 1e-2):
            step = self.eps * factor
            above, below = self._slopes_at(direction, step), self._slopes_at(direction, -step)
            numeric = [(a - b) / (2 * step) for a, b in zip(above, below, strict=True)]
            first = first or numeric
            for i, slopes in enumerate(self.slopes):
                sides = (above[i] - slopes) / step, (slopes - below[i]) / step
                open_[i] &= ~self._agree(i, analytic[i], numeric[i], sides, step)
            if self.note is not None or not any(o.any() for o in open_):
                break
        for i, wrong in enumerate(open_):
            error = np.where(wrong, np.abs(analytic[i] - first[i]), -1.0)
            for k in np.argsort(-error, axis=None)[: min(_MOST_SHOWN, int(wrong.sum()))]:
                index = tuple(np.unravel_index(k, wrong.shape))
                pair = analytic[i][index].item(), first[i][index].item()
                quantity = "the second derivative (along a random direction)"
                self.report.mismatches.append(Mismatch(2, subject.names[i], index, quantity, *pair))

    def _slopes_at(self, direction, step):
        moved = [x + step * v for x, v in zip(self.points, direction, strict=True)]
        return self.subject.evaluate(moved)[2]

    def _agree(self, i, analytic, numeric, sides, step):
        """Return, elementwise, whether second derivatives agree or lie between one-sided ones."""
        largest = max(np.abs(g).max(initial=0.0) for g in self.slopes)
        noise = 64 * _EPSILON * max(largest, self.size) / step
        scale = np.maximum(np.maximum(np.abs(analytic), np.abs(numeric)), np.abs(numeric).mean())
        close = self.atol + noise + 10 * self.rtol * scale
        agree = np.abs(analytic - numeric) <= close
        if analytic.dtype.kind != "c":
            between = (np.minimum(*sides) - close <= analytic) & (
                analytic <= np.maximum(*sides) + close
            )
            if (between & ~agree).any():
                self._kink(i)
            agree |= between
        return agree


def _number(x):
    return f"{x:.6g}"
