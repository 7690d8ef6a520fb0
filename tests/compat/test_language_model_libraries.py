"""What MindFormers, MindNLP and mindone import and call of MindSpore's private modules."""

import numpy as np
import pytest

import sporax
from sporax import Tensor, ops

pytestmark = pytest.mark.usefixtures("on_numpy")
ms = sporax.install_as_mindspore()

# E402: `mindspore` can be imported from here on
from mindspore import context, dtype  # noqa: E402
from mindspore._c_expression import MSContext, NoFallbackGuard, is_reboot_node  # noqa: E402
from mindspore._c_expression.typing import BFloat, Float  # noqa: E402
from mindspore.common.seed import _get_graph_seed  # noqa: E402
from mindspore.ops.auto_generate import FlashAttentionScore, SplitWithSize  # noqa: E402

X = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_the_kinds_of_dtypes():
    assert isinstance(ms.float32, Float) and isinstance(ms.bfloat16, BFloat)
    assert not isinstance(ms.bfloat16, Float) and ms.bfloat16.is_floating_point
    assert [t.itemsize for t in dtype.int_type + dtype.uint_type] == [1, 2, 4, 8] * 2
    assert ms.bool_ in dtype.all_types and ms.bool_ not in dtype.number_type
    assert ms.bfloat16 in dtype.float_type and ms.uint8 not in dtype.signed_type
    assert dtype.type_size_in_bytes(ms.complex128) == 16
    assert [dtype.QuantDtype(n).name for n in (0, 15, 100)] == ["INT1", "INT16", "UINT1"]


def test_split_with_size():
    first, second = SplitWithSize()(Tensor(X), (1, 3), -1)
    np.testing.assert_array_equal(first.asnumpy(), X[:, :1])
    np.testing.assert_array_equal(second.asnumpy(), X[:, 1:])
    slope = ms.grad(lambda x: SplitWithSize()(x, (1, 2))[1].sum())(Tensor(X)).asnumpy()
    assert slope.sum(1).tolist() == [0, 4, 4]
    with pytest.raises(ValueError, match="must add up"):
        SplitWithSize()(Tensor(X), (1, 2), 1)


@pytest.mark.parametrize(
    "make", [FlashAttentionScore, lambda *_: ms.ops.NPUAllocFloatStatus()], ids=["flash", "status"]
)
def test_a_primitive_of_ascend_is_created_and_not_called(make):
    primitive = make(1).add_prim_attr("x", 1)
    assert isinstance(primitive, ops.Primitive)
    with pytest.raises(NotImplementedError, match=r"sporax has no 'mindspore\.ops"):
        primitive(Tensor(X))


def test_seeds_of_primitives():
    """The values are MindSpore's."""
    sporax._src.core.random._Seed.value = None
    assert [_get_graph_seed(n, "x") for n in (0, 5, 5)] == [(0, 0), (0, 5), (0, 533697033)]
    for _ in range(2):
        ms.set_seed(3)
        assert [_get_graph_seed(0, "x") for _ in range(2)] == [(3, 0), (3, 533697028)]


def test_settings_as_objects():
    assert MSContext.get_instance().get_ascend_soc_version() == ""
    assert not is_reboot_node()
    with NoFallbackGuard():
        context.K_CONTEXT.set_backend_policy("ge")
    try:
        context.K_CONTEXT.set_mode(context.GRAPH_MODE)
        assert ms.get_context("mode") == context.K_CONTEXT.get_mode() == context.GRAPH_MODE
    finally:
        ms.set_context(mode=context.PYNATIVE_MODE)


def test_mixed_precision_of_the_runtime_is_imported_and_refused():
    from mindspore._c_expression.amp import AmpLevel, create_amp_strategy
    from mindspore.graph.api import _function_forbid_reuse
    from mindspore.parallel._cost_model_context import _set_rp_matmul_mem_coef

    assert _set_rp_matmul_mem_coef(0.1) is None
    assert AmpLevel.AmpAuto.value == 4 and _function_forbid_reuse(len) is len
    with pytest.raises(NotImplementedError, match="create_amp_strategy"):
        create_amp_strategy(AmpLevel.AmpO3, ms.float16, [], [])


def test_items_of_pipeline_config():
    names = "pipeline_interleave", "pipeline_scheduler"
    assert [ms.get_auto_parallel_context(name) for name in names] == [False, "1f1b"]
    ms.set_auto_parallel_context(pipeline_config={"pipeline_scheduler": "gpipe"})
    try:
        assert [ms.get_auto_parallel_context(name) for name in names] == [False, "gpipe"]
    finally:
        ms.reset_auto_parallel_context()
