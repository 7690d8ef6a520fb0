"""A Cell in a notebook: its tree as HTML, with text of users escaped."""

from html.parser import HTMLParser

from sporax import nn


class Tree(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def test_tree_of_cells():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.SequentialCell(nn.ReLU()))
    net.insert_child_to_cell("<img>", nn.Tanh())
    found = Tree(net._repr_html_())
    assert found.tags.count("details") == 2 and "img" not in found.tags
    assert "0: Dense(input_channels=2, output_channels=3" in found.text
    assert "<img>: Tanh" in found.text
