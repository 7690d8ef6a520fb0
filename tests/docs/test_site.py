"""The built site: broken links are named; its search has the right page in the first three."""

import re
import runpy
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.insight.browser import document_of

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "html"
FINISH = runpy.run_path(str(ROOT / "tools" / "finish_site.py"))

PAGE = '<article><section id="top"><h1>Top</h1><p>{}</p></section></article>'
FAULTS = {
    '<a href="other.html">x</a>': None,
    '<a href="other.html#top">x</a>': None,
    '<a href="#top">x</a>': None,
    '<a href="https://example.org/x#y">x</a>': None,
    '<a href="away.html">x</a>': "page.html: no file away.html",
    '<a href="other.html#away">x</a>': "page.html: no anchor other.html#away",
    '<a href="#away">x</a>': "page.html: no anchor #away",
    '<img src="away.png">': "page.html: no file away.png",
    '<script src="https://example.org/x.js"></script>': "page.html: loads https://example.org/x.js",
    '<link rel="stylesheet" href="//example.org/x.css">': "page.html: loads //example.org/x.css",
    "<style></style>": "style.css: loads https://example.org/x.woff",
}


@pytest.mark.parametrize("html", FAULTS)
def test_what_is_wrong_with_links_is_named(html, tmp_path, capsys):
    (tmp_path / "_static").mkdir()
    (tmp_path / "page.html").write_text(PAGE.format(html))
    (tmp_path / "other.html").write_text(PAGE.format(""))
    if "style>" in html:
        (tmp_path / "style.css").write_text("a {src: url(https://example.org/x.woff)}")
    assert FINISH["main"](tmp_path) == int(FAULTS[html] is not None)
    assert capsys.readouterr().err.strip() == (FAULTS[html] or "")


# A query, and a page of which one must be among its first three results.
QUERIES = {
    "value_and_grad": "api/mindspore/grad.html#mindspore.value_and_grad",
    "custom bprop": "docs/from_mindspore.html#custom-bprop",
    "pad_mode": "docs/migrating.html",
    "gradient clipping": "docs/cookbook.html#clip-gradients-by-their-global-norm",
    "checkpoints": "docs/tutorial/3_train.html#checkpoints",
    "mixed precision": "api/amp/mixed_precision.html",
    "mindspore.ops.softmax": "api/ops/activation.html#mindspore.ops.softmax",
    "NaN": "docs/tutorial/4_debug.html#nan",
    "how fast": "index.html#how-fast",
    "export onnx": "docs/tutorial/6_deploy.html#onnx",
    "learning rate": "docs/cookbook.html#a-learning-rate-that-changes",
    "clip gradient": "docs/cookbook.html#clip-gradients-by-their-global-norm",
    "bessel": "api/ops/bessel.html",
    "Tensor.allclose": "api/Tensor/comparison.html#mindspore.Tensor.allclose",
    "early stopping": "docs/cookbook.html#early-stopping",
    "transfer learning": "docs/cookbook.html#transfer-learning",
    "resume training": "docs/cookbook.html#resume-a-run-that-was-killed",
    "one_hot": "api/ops/",
    "conv2d": "api/",
    "Adam": "api/",
    "serve": "docs/serving.html",
    "memory limit": "docs/",
    "weight decay": "docs/cookbook.html#weight-decay-for-weights-not-for-biases",
    "exponential moving average": "docs/cookbook.html#an-exponential-moving-average",
    "GradOperation": "api/primitives/grad.html#mindspore.ops.GradOperation",
    "迁移学习": "docs/zh/cookbook.html",
    "早停": "docs/zh/cookbook.html",
    "梯度累积": "docs/zh/cookbook.html",
    "反向传播": "docs/zh/tutorial/1_tensor.html",
    "梯度裁剪": "api/ops/clip_by_norm.html#mindspore.ops.clip_by_global_norm",
    "静态图": "docs/zh/tutorial/3_train.html#jit",
    "检查点": "docs/zh/tutorial/3_train.html",
    "怎么保存模型": "api/mindspore/checkpoint.html#mindspore.save_checkpoint",
    "混合精度": "docs/zh/cookbook.html",
    "调试": "docs/zh/tutorial/4_debug.html",
    "多个设备": "docs/zh/tutorial/5_devices.html",
    "自定义导数": "docs/zh/tutorial/2_network.html",
    "导出onnx": "docs/zh/tutorial/6_deploy.html#onnx",
    "性能": "docs/performance.html",
    "从PyTorch迁移": "docs/zh/from_pytorch.html",
}


@pytest.mark.skipif(not (SITE / "search.html").exists(), reason="make docs has not been run")
@pytest.mark.parametrize("query", QUERIES)
def test_the_right_page_is_among_the_first_three_results(query):
    document, errors = document_of(f"{SITE.as_uri()}/search.html?q={quote(query)}")
    results = re.findall(r'<li><a href="([^"]+)"', document.partition('id="search-results"')[2])
    assert not errors and any(result.startswith(QUERIES[query]) for result in results[:3]), results


def test_the_search_marks_no_code(tmp_path):
    """Text of a page or a query is shown as text."""
    (tmp_path / "_static").mkdir()
    (tmp_path / "page.html").write_text(PAGE.format("&lt;b onclick=1&gt; needle"))
    assert FINISH["main"](tmp_path) == 0
    (tmp_path / "search.html").write_text(
        '<p id="search-status"></p><ol id="search-results"></ol>'
        '<script src="_static/search_index.js"></script>'
        f"<script>{(ROOT / 'docs/_static/search.js').read_text('utf8')}</script>"
    )
    query = quote("<i>needle</i>")
    document, errors = document_of(f"{tmp_path.as_uri()}/search.html?q={query}")
    assert "&lt;b onclick=1&gt; <mark>needle</mark>" in document and not errors
