"""What scripts ask of several processes: there is one."""

import pytest

from sporax import distributed


def test_a_group_of_one():
    distributed.init()
    assert distributed.GlobalComm.INITED
    requested = ("get_rank", "get_group_size", "get_local_rank", "get_local_rank_size")
    assert [getattr(distributed, name)() for name in requested] == [0, 1, 0, 1]
    distributed.release()
    assert not distributed.GlobalComm.INITED


def test_one_of_several_is_refused(monkeypatch):
    monkeypatch.setenv("RANK_SIZE", "8")
    with pytest.raises(NotImplementedError, match="RANK_SIZE is 8"):
        distributed.init()


def test_refusals():
    with pytest.raises(RuntimeError, match="'backend_name' must be one of"):
        distributed.init("other")
    with pytest.raises(TypeError, match="'group' must be a string, but got int"):
        distributed.get_rank(5)
    with pytest.raises(AttributeError, match=r"has no .*AllReduce. yet"):
        _ = distributed.AllReduce
