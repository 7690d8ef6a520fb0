"""Trees of tensors: flatten, unflatten and paths agree about what is a container."""

import collections
from dataclasses import dataclass
from weakref import ref

import pytest

from sporax import Tensor
from sporax._src.core.tree import (
    LEAF,
    flatten,
    leaves_with_paths,
    live_objects,
    tensors_of,
    unflatten,
)

Pair = collections.namedtuple("Pair", "a b")


@dataclass(frozen=True)
class State:
    h: object
    n: int = 3


X, Y = Tensor([1.0]), Tensor([2.0])
# a tree, its leaves' paths where all are leaves
ROWS = [
    (X, [""]),
    ((X, [Y, 2]), ["[0]", "[1][0]", "[1][1]"]),
    (Pair(X, "s"), ["[0]", "[1]"]),
    ({"b": X, "a": (Y, None)}, ["['b']", "['a'][0]", "['a'][1]"]),
    (collections.OrderedDict(k=X), ["['k']"]),
    (collections.defaultdict(list, k=[X]), ["['k'][0]"]),
    ([State(X), State(h={"y": Y}, n=1)], ["[0].h", "[0].n", "[1].h['y']", "[1].n"]),
    ((), []),
]


@pytest.mark.parametrize(("tree", "paths"), ROWS, ids=lambda item: type(item).__name__)
def test_a_tree_is_taken_apart_and_put_together(tree, paths):
    leaves, treedef = flatten(tree)
    assert list(map(id, leaves)) == list(map(id, tensors_of(tree)))
    assert not any(t is X or t is Y for t in tensors_of(treedef))
    again = unflatten(treedef, leaves)
    assert type(again) is type(tree)
    assert list(map(id, tensors_of(again))) == list(map(id, leaves))
    assert [path for path, _ in leaves_with_paths(tree)] == paths
    every, all_marked = flatten(tree, every=True)
    assert len(every) == len(paths)
    assert all(leaf is LEAF for _, leaf in leaves_with_paths(all_marked))
    assert all(a is b for a, (_, b) in zip(every, leaves_with_paths(tree), strict=True))


def test_what_is_no_tensor_is_kept_or_replaced():
    leaves, treedef = flatten([X, 1, {"k": "s"}])
    assert unflatten(treedef, leaves) == [X, 1, {"k": "s"}]
    assert unflatten(treedef, iter(["x"]), lambda _: None) == ["x", None, {"k": None}]


def test_a_list_of_live_objects_keeps_none_alive():
    class Kept:
        pass

    others = [[i] for i in range(2000)]  # more than one of the buffers that the list goes through
    kept = Kept()
    listed = live_objects(Kept)
    assert listed == [kept]
    gone = ref(kept)
    del kept, listed
    assert gone() is None
    assert len(live_objects(list)) > len(others)
