"""How Sphinx builds the pages that tools/write_pages.py writes; `make docs`."""

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
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
html_math_renderer = "mathml"


def setup(app):
    """Formulas are MathML, which browsers show themselves, without a script from elsewhere."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))


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
