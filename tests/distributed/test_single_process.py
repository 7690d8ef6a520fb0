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


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (RuntimeError, "'backend_name' must be one of", lambda: distributed.init("other")),
        (TypeError, "'group' must be a string, but got int", lambda: distributed.get_rank(5)),
        (AttributeError, r"has no .*AllReduce. yet", lambda: distributed.AllReduce),
    ],
)
def test_refusals(error, message, call):
    with pytest.raises(error, match=message):
        call()
