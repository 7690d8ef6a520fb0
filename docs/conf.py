"""How Sphinx builds the pages that tools/write_pages.py writes; `make docs`."""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

project = "sporax"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
exclude_patterns = ["examples", "tests"]
html_theme = "furo"
html_title = "sporax"
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["_static"]
html_css_files = ["site.css", "pairs.css"]
html_js_files = ["site.js"]
templates_path = ["_templates"]
html_additional_pages = {"search": "search.html"}
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
html_math_renderer = "mathml"


def setup(app):
    """Formulas are MathML, which browsers show themselves, without a script from elsewhere."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("doctree-read", _side_by_side)
    app.connect("builder-inited", _without_index)
    app.connect("html-page-context", _page, priority=400)  # before furo's


def _side_by_side(_app, page):
    """PyTorch's blocks (`py`) stand beside MindSpore's (`python`) that follow, each with what it
    prints, unless that is below both."""
    for block in [b for b in page.findall(nodes.literal_block) if b["language"] == "py"]:
        parent, i = block.parent, block.parent.index(block)
        kinds = [node.get("language") if isinstance(node, nodes.literal_block) else None
                 for node in parent[i : i + 4]]  # fmt: skip
        for shape in ["py", "python"], ["py", "text", "python", "text"]:
            if kinds[: len(shape)] == shape:
                middle, end = i + len(shape) // 2, i + len(shape)
                sides = {"pytorch": parent[i:middle], "mindspore": parent[middle:end]}
                pair = [nodes.container("", *x, classes=[name]) for name, x in sides.items()]
                parent[i:end] = [nodes.container("", *pair, classes=["pair"])]
    for table in page.findall(nodes.table):
        if [x.astext() for x in table.findall(nodes.entry)][1:3] == ["PyTorch", "MindSpore"]:
            table["classes"].append("pair-rows")


def _without_index(app):
    """The index of the search is tools/finish_site.py's: Sphinx's does not know Chinese."""
    app.builder.search = False


_LINES = re.compile(r'<dl>\n((?:<dd><em class="sig-param">.*</dd>\n)+)</dl>')


def _as_spans(match):
    """A signature of several lines, which Sphinx makes a list of definitions without terms."""
    lines = match[1].replace("<dd>", "<span>").replace("</dd>", "</span>")
    return f'<span class="sig-lines">{lines}</span>'


def _page(app, name, template, context, tree):
    """Navigation opens at the page alone (all of it is 80 kB a page), Chinese pages first there."""
    is_chinese = name == "zh" or name.startswith("docs/zh/")
    context["language"] = "zh-CN" if is_chinese else "en"
    context["body"] = _LINES.sub(_as_spans, context.get("body", ""))
    toctree = context.get("toctree")

    def navigation(**options):
        text = str(toctree(**options | {"collapse": True}))
        text = text.replace('role="heading"', 'role="heading" aria-level="2"')  # Sphinx says none
        rest, caption, chinese = text.partition(
            '<p class="caption" role="heading" aria-level="2"><span class="caption-text">中文'
        )
        return caption + chinese + rest if is_chinese else text

    if toctree is not None:
        context["toctree"] = navigation


def _inline(writer, node):
    writer.body.append(_mathml(node))
    raise nodes.SkipNode


def _block(writer, node):
    writer.body.append(f'<div class="math">{_mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def _mathml(node, **options):
    try:
        return tex2mathml(node.astext(), **options)
    except MathError as error:
        logging.getLogger(__name__).warning("%s: %s", node.astext(), error, location=node)
        return node.astext()
