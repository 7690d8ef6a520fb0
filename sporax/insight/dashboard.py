"""HTML page of runs: curves, gradients and activations by layer, images; as a file or live."""

import os
from collections.abc import Sequence
from pathlib import Path

from sporax._src.workbench import pages
from sporax.insight.run_files import LAYER_KINDS, Runs

_HERE = Path(__file__).parent
_POINTS = 1000  # points of a curve
_COLUMNS = 60  # steps of a layer's histograms
_IMAGE_STEPS = 4
_TITLE = "Training runs"


def write_dashboard(
    runs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], path: str | os.PathLike[str]
) -> Path:
    """Write a page of one or more runs that `RunRecord` recorded; returns its path.

    `runs`: a run's folder, a folder of run folders, or a list of these. The page is
    self-contained. Raises FileNotFoundError or ValueError if a folder holds no valid run.

    >>> import tempfile
    >>> from sporax.insight import RunRecord, write_dashboard
    >>> folder = Path(tempfile.mkdtemp())
    >>> RunRecord(folder / "run").log(1, loss=0.5)
    >>> write_dashboard(folder / "run", folder / "page.html").name
    'page.html'
    """
    listed = runs if isinstance(runs, (list, tuple)) else [runs]
    return pages.write_page(path, _TITLE, **_content(data_of(Runs(listed))))


def live_page(data):
    """Return the page of `data_of(runs)` as text; it requests further data from its server."""
    return pages.page(_TITLE, is_live=True, **_content(data, is_live=True))


def _content(data, is_live=False):
    style, script = (_HERE.joinpath(f"dashboard.{k}").read_text("utf8") for k in ("css", "js"))
    count = len(data)
    body = pages.join([
        _controls(is_live),
        pages.element("div", id="legend", role="group", aria_label="runs"),
        pages.element("section", id="table"),
        pages.element("div", id="charts"),
        *[pages.element("section", id=kind) for kind in LAYER_KINDS],
        pages.element("section", id="images"),
        pages.embedded("runs", data),
    ])  # fmt: skip
    return {
        "body": body, "style": style, "script": script,
        "subtitle": f"{count} run{'s' * (count != 1)}{', as they go on' if is_live else ''}",
    }  # fmt: skip


def _controls(is_live):
    smoothing = pages.Markup(
        '<input id="smoothing" type="range" min="0" max="0.98" step="0.02" value="0">'
    )
    axis = pages.Markup(
        '<select id="axis"><option value="step">step</option>'
        '<option value="time">wall-clock time</option></select>'
    )
    logarithmic = pages.Markup('<input id="logarithmic" type="checkbox">')
    status = pages.element("output", "", id="status", data_live=is_live)
    return pages.element(
        "div", pages.element("label", "Smoothing ", smoothing),
        pages.element("label", logarithmic, " logarithmic"),
        pages.element("label", "Axis ", axis), status, class_="controls",
    )  # fmt: skip


def data_of(runs):
    """Return the page's data of runs as JSON-compatible lists, dicts, numbers and strings."""
    names = [run.name for run in runs]
    return [
        {
            "name": run.name if names.count(run.name) == 1 else f"{run.name} ({run.folder})",
            "about": {
                **run.about,
                "steps": run.last_step,
                "seconds": _short(max(run.times.values(), default=0.0)),
            },
            "times": _thinned(run.times),
            "curves": {name: _thinned(steps) for name, steps in run.curves.items()},
            "layers": {
                kind: {name: _columns(steps) for name, steps in layers.items()}
                for kind, layers in run.layers.items()
            },
            "images": {
                name: [
                    [step, [url for file in steps[step] if (url := run.image(file))]]
                    for step in sorted(steps)[-_IMAGE_STEPS:]
                ]
                for name, steps in run.images.items()
            },
        }
        for run in runs
    ]


def _thinned(steps):
    """Return [(step, number), ...], about `_POINTS` at most: the extremes of each interval."""
    points = [(step, _short(value)) for step, value in sorted(steps.items())]
    stretch = -(-2 * len(points) // _POINTS)
    if stretch <= 2:
        return points
    kept = []
    for start in range(0, len(points), stretch):
        interval = sorted(points[start : start + stretch], key=lambda point: float(point[1]))
        kept += sorted({interval[0], interval[-1]})
    return kept if kept[-1] == points[-1] else [*kept, points[-1]]


def _columns(steps):
    """Return [[step, statistics], ...], `_COLUMNS` at most, evenly spaced from first to last."""
    chosen = sorted(steps)
    if len(chosen) > _COLUMNS:
        last = len(chosen) - 1
        chosen = [chosen[round(k * last / (_COLUMNS - 1))] for k in range(_COLUMNS)]
    return [
        [step, {k: v if k == "counts" else _short(v) for k, v in steps[step].items()}]
        for step in chosen
    ]


def _short(value):
    """Return a float rounded to six significant digits; other values, such as 'nan', unchanged."""
    return float(f"{value:.6g}") if isinstance(value, float) else value
