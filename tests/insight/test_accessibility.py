"""The pages of `insight`, of `sporax serve` and of the site, under axe-core's rules."""

import html
import json
import os
import re
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, insight, nn
from sporax._src.workbench.serving import ServedGraph
from sporax.insight import step_profile
from tests.insight.browser import document_of
from tests.insight.networks import Twice
from tests.serving.test_serve import Running, exported

pytestmark = pytest.mark.slow  # run by `make docs`

SITE = Path(__file__).parents[2] / "build" / "html"
MAIN = (
    "index", "zh", "search", "docs/features", "docs/cookbook", "docs/zh/cookbook",
    "docs/differences", "docs/insight", "docs/tutorial/1_tensor", "docs/zh/tutorial/1_tensor",
    "docs/libraries", "api/nn/index",
)  # fmt: skip
RUN = """<script>
addEventListener("load", () => setTimeout(async () => {
  const result = await axe.run(document, { resultTypes: ["violations"] });
  document.body.dataset.violations = JSON.stringify(
    result.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)]));
}, 100));
</script>"""
DARK = """<script>
addEventListener("load", () => {
  const button = document.getElementById("theme");
  if (button) button.click(); else document.body.dataset.theme = "dark";
});
</script>"""


def violations(page, folder, dark, width):
    """Return [[rule, count, first element]] of a page, in one theme and width."""
    axe = resources.files("axe_core_python").joinpath("axe.min.js").read_text("utf8")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    scripts = f"<script>{axe}</script>{DARK if dark else ''}{RUN}</body>"
    copy = folder / f"copy-{os.getpid()}.html"
    copy.write_text(text.replace("</body>", scripts), "utf8")
    document, _ = document_of(copy, width)
    copy.unlink()
    (found,) = re.findall(r'data-violations="([^"]*)"', document)
    return json.loads(html.unescape(found))


def found_on(page, folder):
    """Return the violations on a page: light and dark, each wide and narrow."""
    return [
        violations(page, folder, dark, width) for dark in (False, True) for width in (1200, 390)
    ]


def step(net):
    optimizer = nn.Momentum(net.trainable_params(), 1e-2, 0.9)
    derive = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, optimizer.parameters)

    def run(x):
        loss, gradients = derive(x)
        optimizer(gradients)
        return loss

    return run


def graph(folder):
    return insight.draw(Twice(), (2, 6), backward=True).write_html(folder / "graph.html")


def memory(folder):
    return ms.memory_plan(step(Twice()), Tensor(np.ones((64, 6), np.float32))).write_html(
        folder / "memory.html"
    )


def profile(folder):
    run, x = step(Twice()), Tensor(np.ones((64, 6), np.float32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_profile, "measured_peak", lambda: 1e12)
        found = insight.profile(run, x, runs=2)
    return found.write_html(folder / "profile.html", plan=ms.memory_plan(run, x))


def dashboard(folder):
    for name in ("one", "other"):
        run = insight.RunRecord(folder / name, hyperparameters={"rate": 0.1}, note="a note")
        for k in range(1, 4):
            run.log(k, loss=1 / k, eval_loss=2 / k)
            run.log_layers(k, "gradients", {"layer": Tensor(np.arange(9.0) / k)})
    return insight.write_dashboard([folder / "one", folder / "other"], folder / "runs.html")


def served(folder):
    file = exported(folder, nn.Dense(3, 2), Tensor(np.ones((2, 3), np.float32)))
    running = Running(ServedGraph(file))
    try:
        _, _, page = running.ask("GET", "/")
    finally:
        running.end()
    path = folder / "served.html"
    path.write_bytes(page)
    return path


@pytest.mark.parametrize("make", [graph, memory, profile, dashboard, served])
def test_pages_of_ours(make, tmp_path):
    assert found_on(Path(make(tmp_path)).read_text("utf8"), tmp_path) == [[]] * 4


@pytest.mark.skipif(not (SITE / "index.html").exists(), reason="make docs has not been run")
@pytest.mark.parametrize("name", MAIN)
def test_pages_of_the_site(name):
    path = SITE / f"{name}.html"
    assert found_on(path.read_text("utf8"), path.parent) == [[]] * 4


def test_a_fault_is_found(tmp_path):
    page = "<!doctype html><html><body><main><img src='data:,'></main></body></html>"
    rules = {rule for rule, *_ in violations(page, tmp_path, False, 1200)}
    assert {"image-alt", "html-has-lang", "document-title"} <= rules
