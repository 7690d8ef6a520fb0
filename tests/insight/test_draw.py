"""`draw`: boxes, edges and shapes of networks whose graphs are known; pages and pictures."""

import base64
import collections
import html
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, insight, nn, ops
from sporax._src.core import language
from sporax._src.core.jax_internals import module_text
from tests.insight.browser import document_of
from tests.insight.networks import Block, Twice


def nodes_of(drawing, label):
    return [node for node in drawing.top.walk() if node.label == label]


def edges_of(box):
    return {
        (box.children[i].label, box.children[j].label): shapes
        for (i, j), shapes in box.edges.items()
    }


def test_boxes_and_edges():
    drawing = insight.draw(Block(), (2, 6))
    assert edges_of(drawing.top) == {("x", "Block"): ["(2, 6)"], ("Block", "result"): ["(2, 6)"]}
    (box,) = [node for node in drawing.top.children if node.kind == "cell"]
    shape = ["(2, 6)"]
    assert edges_of(box) == {
        ("first", "second"): shape, ("second", "Add"): shape, ("Add", "ReLU"): shape
    }  # fmt: skip
    assert [[node.label for node in row] for row in box.rows()] == [
        ["first"], ["second"], ["Add"], ["ReLU"]
    ]  # fmt: skip
    assert {box.children[k].label for k in box.entries} == {"first", "Add"}
    assert {box.children[k].label for k in box.exits} == {"ReLU"}
    lanes, count = box.lanes()  # the way of x around the layers
    assert count == 1 and list(lanes) == [(None, [p.label for p in box.children].index("Add"))]


def test_each_call_has_a_box():
    drawing = insight.draw(Twice(), (2, 6))
    assert len(nodes_of(drawing, "block")) == len(nodes_of(drawing, "block (call 2)")) == 1
    assert drawing.count == 8


def test_a_cell_has_the_name_of_its_variable_not_of_ipythons():
    __ = net = Block()  # `__`: what a notebook has shown before the last
    assert nodes_of(insight.draw(net, (2, 6)), "net")


def test_operations_name_parameters_and_lines():
    (dense,) = [p for p in insight.draw(nn.Dense(6, 4), (2, 6)).top.walk() if p.label == "Dense"
                and p.kind == "operation"]  # fmt: skip
    assert dense.note == "weight (4, 6), bias (4,)"
    assert dense.line[0].endswith("test_draw.py")


def test_backward():
    drawing = insight.draw(Block(), (2, 6), backward=True)
    forward, backward = (nodes_of(drawing, name)[0] for name in ("forward", "backward"))
    assert not any(node.is_backward for node in forward.walk())
    derived = {node.label: node.path for node in backward.walk() if node.kind == "operation"}
    assert {"ReLU.grad", "Add.grad", "Dense.grad"} <= derived.keys()
    paths = {node.path.partition(".")[2] for node in backward.walk() if node.label == "Dense.grad"}
    assert paths == {"first", "second"}


def test_backward_of_what_is_recomputed():
    net = Twice()
    net.block.recompute()
    nodes = insight.draw(net, (2, 6), backward=True).top.walk()
    derived = [node for node in nodes if node.label == "Block.grad"]
    assert len(derived) == 2 and all(p.is_backward and p.path.endswith("block") for p in derived)


def test_a_function_and_its_derivative():
    drawing = insight.draw(lambda x: ops.tanh(x).sum(), Tensor(np.ones(3, np.float32)), True)
    assert {node.label for node in drawing.top.walk()} >= {"x", "Tanh", "Tanh.grad", "result"}


EVIL = "</script><img src=x onerror=alert(1)>"


def evil_net():
    net = nn.SequentialCell()
    net.insert_child_to_cell(EVIL, nn.ReLU())
    net.construct = lambda x: net._cells[EVIL](x)
    return net


def test_files_escape_and_stand_alone(tmp_path):
    drawing = insight.draw(evil_net(), (2, 6))
    page = drawing.write_html(tmp_path / "graph.html").read_text("utf8")
    picture = drawing.write_svg(tmp_path / "graph.svg").read_text("utf8")
    assert "<img" not in page + picture and "&lt;img" in page
    assert EVIL in "".join(ElementTree.fromstring(picture).itertext())
    assert not re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?https?:", page + picture)


def test_layers_are_folded_at_first(tmp_path):
    page = insight.draw(Block(), (2, 6)).write_html(tmp_path / "graph.html").read_text("utf8")
    boxes = re.findall(r"<details([^>]*)><summary[^>]*><span[^>]*>(\w+)<.*?</summary>", page)
    assert {name: " open" in words for words, name in boxes} == {
        "Block": True, "first": False, "second": False,
    }  # fmt: skip
    summary = re.search(r">first</span>.*?</summary>", page)[0]
    assert "weight (6, 6), bias (6,)" in summary


def test_a_picture_folds(tmp_path):
    drawing = insight.draw(Twice(), (2, 6))
    texts = [
        "".join(ElementTree.fromstring(drawing.write_svg(tmp_path / "a", depth).read_text("utf8"))
                .itertext())
        for depth in (2, None)
    ]  # fmt: skip
    assert "first: Dense" not in texts[0] and "first: Dense" in texts[1]


@pytest.mark.slow
@pytest.mark.parametrize("width", [1200, 390])
def test_in_a_browser(tmp_path, width):
    net = nn.SequentialCell([Twice() for _ in range(4)])
    path = insight.draw(net, (2, 6), backward=True).write_html(tmp_path / "graph.html")
    document, console = document_of(path, width)
    assert console == []
    edges = document[document.index('<svg id="edges"') :].partition("</svg>")[0]
    assert edges.count("<path") > 20 and edges.count("(2, 6)") > 5


CLICKS = """<script>
addEventListener("load", () => {
  const made = {};
  URL.createObjectURL = blob => { made[blob.type] = blob; return "#"; };
  for (const id of ["open", "fit", "svg", "png"]) document.getElementById(id).click();
  setTimeout(async () => {
    const data = document.body.dataset, sheet = document.getElementById("sheet");
    data.svg = await made["image/svg+xml"].text();
    data.png = made["image/png"].size;
    data.zoom = document.getElementById("whole").textContent;
    data.height = sheet.getBoundingClientRect().height;
  }, 1000);
});
</script></body>"""


@pytest.mark.slow
def test_zoom_and_pictures(tmp_path):
    net = nn.SequentialCell([Twice() for _ in range(3)])
    path = insight.draw(net, (2, 6)).write_html(tmp_path / "graph.html")
    page = re.sub(r"<meta http-equiv=[^>]*>", "", path.read_text("utf8"))  # else no other script
    path.write_text(page.replace("</body>", CLICKS), "utf8")
    document, console = document_of(path)
    assert console == []
    found = dict(re.findall(r'data-(svg|png|zoom|height)="([^"]*)"', document))
    assert int(found["zoom"].removesuffix("%")) < 60 and float(found["height"]) < 900
    assert int(found["png"]) > 10_000
    picture = ElementTree.fromstring(html.unescape(found["svg"]))
    texts = ["".join(one.itertext()) for one in picture.iter() if one.tag.endswith("text")]
    assert texts.count("Dense") > 6 and texts.count("(2, 6)") > 6
    assert float(picture.get("height")) > 1.5 * float(found["height"])  # at its actual size


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: insight.draw(nn.Dense, (2, 3)), TypeError, "but got type Dense"),
        (lambda: insight.draw(3, (2, 3)), TypeError, "must be a function or a Cell, but got int"),
        (lambda: insight.draw(nn.ReLU(), (2, 3), True), ValueError, "the Cell has none"),
        (
            lambda: insight.draw(nn.SequentialCell(nn.Dense(4, 4)), (2, 3)),
            ValueError,
            "In the Cell 'SequentialCell.0'",
        ),
    ],
)
def test_bad_input(call, error, words, monkeypatch):
    monkeypatch.setenv("SPORAX_LANG", "en")
    with pytest.raises(error, match="For '") as caught:
        call()
    language.annotate(caught.value)
    assert "\n".join([str(caught.value), *caught.value.__notes__]).count(words) == 1


class Normed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.norm = nn.Dense(3, 4), nn.LayerNorm((4,))

    def construct(self, x):
        return ops.relu(self.norm(self.dense(x)))


class Loops(nn.Cell):
    def construct(self, x):
        i = ops.zeros((), ms.int32)
        while i < 3:
            x, i = x * 2 + 1, i + 1
        return ops.cholesky(x @ x.T)


class Around(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def construct(self, x):
        return ops.softmax(self.inner(x * 2))


@pytest.fixture(params=[Normed, Loops], ids=lambda cls: cls.__name__)
def loaded(request, tmp_path):
    file = str(tmp_path / "net.mindir")
    ms.export(request.param(), ops.ones((2, 3)), file_name=file, file_format="MINDIR")
    return ms.load(file)


def _labels(drawing):
    return [node.label for node in drawing.top.walk() if node.kind == "operation"]


def test_exported_graphs_show_their_operations(loaded):
    text = module_text(loaded.program.mlir_module_serialized)
    written = collections.Counter(re.findall(r"(?:stablehlo|chlo)\.(\w+)", text))
    drawn = collections.Counter(_labels(insight.draw(loaded)))
    assert drawn["dot_general"] == written["dot_general"] > 0
    boxes = collections.Counter(node.label for node in insight.draw(loaded).top.walk())
    for name in ("cholesky", "while"):  # with operations inside
        assert boxes[name] == written[name] + text.count(f"call @{name}(")
    assert not drawn.keys() & {"constant", "broadcast_in_dim", "return", "Normed", "Loops"}


def test_a_graph_cell_is_drawn_as_what_it_was_exported_from(loaded):
    alone, cell = insight.draw(loaded), insight.draw(nn.GraphCell(loaded))
    around = insight.draw(Around(nn.GraphCell(loaded)), (2, 3))
    assert _labels(alone) == _labels(cell) == _labels(around)[1:-1]
    results = [node for node in alone.top.walk() if node.kind == "output"]
    assert len(results) == 1 and any(j == results[0].index for _, j in alone.top.edges)


def test_exported_parameters_are_named(tmp_path):
    file = str(tmp_path / "net.mindir")
    ms.export(Normed(), ops.ones((2, 3)), file_name=file, file_format="MINDIR")
    notes = " ".join(node.note for node in insight.draw(ms.load(file)).top.walk())
    for name, parameter in Normed().parameters_and_names():
        assert f"{name} {parameter.shape}" in notes


def test_an_exported_graph_of_unknown_sizes_needs_inputs(tmp_path):
    file = str(tmp_path / "net.mindir")
    x = Tensor(shape=[None, 3], dtype=ms.float32)
    ms.export(Normed(), x, file_name=file, file_format="MINDIR")
    with pytest.raises(TypeError, match=r"'inputs' must be given for a graph of unknown sizes, x"):
        insight.draw(ms.load(file))
    assert "dot_general" in _labels(insight.draw(ms.load(file), (5, 3)))


def test_a_notebook_shows_drawings_as_images_and_loaded_graphs_as_tables(tmp_path):
    def hostile(x):
        return x + 1

    hostile.__name__ = "<script>"
    shown = ElementTree.fromstring(insight.draw(hostile, (2,))._repr_html_())
    picture = base64.b64decode(shown.get("src").partition(",")[2]).decode()
    assert shown.tag == "img" and "&lt;script&gt;" in picture and "<script" not in picture
    file = str(tmp_path / "net.mindir")
    ms.export(Normed(), ops.ones((2, 3)), file_name=file, file_format="MINDIR")
    graph = ms.load(file)
    graph.name = "<script>"
    graph.arrays = [(kind, f"<b>{name}", array) for kind, name, array in graph.arrays]
    table = ElementTree.fromstring(graph._repr_html_())
    assert "".join(table.find(".//caption").itertext()) == "exported <script>"
    texts = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    assert texts[1] == ["input", "x", "Float32", "(2, 3)"]
    assert ["parameter", "<b>dense.weight", "Float32", "(4, 3)"] in texts
