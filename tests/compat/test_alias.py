"""`import mindspore`: every path that users write, as measured in public scripts."""

import collections
import csv
import importlib
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import sporax
from sporax._src.mindspore.compat import alias

ROOT = Path(__file__).parents[2]
with open(ROOT / "tests" / "recorded" / "import_paths.csv", encoding="utf8") as _file:
    PATHS = list(csv.DictReader(_file))
BY_MODULE = collections.defaultdict(list)
for _row in PATHS:
    BY_MODULE[_row["path"].rpartition(".")[0]].append(_row)

# where a canonical name of MindSpore's lives in sporax
HOMES = {
    "mindspore": ["sporax"],
    "mindspore.nn": ["sporax.nn", "sporax.optim"],
    "mindspore.ops": ["sporax.ops", "sporax._src.transforms.autodiff"],
    "mindspore.common.initializer": ["sporax.initializers"],
    "mindspore.mint": ["sporax.mint"],
    "mindspore.mint.nn": ["sporax.mint.nn"],
    "mindspore.mint.nn.functional": ["sporax.mint.nn.functional"],
    "mindspore.numpy": ["sporax.numpy"],
    "mindspore.dataset": ["sporax.data"],
    "mindspore.train": ["sporax.train"],
    "mindspore.amp": ["sporax.amp"],
}


sporax.install_as_mindspore()


def follow(path):
    """The object that a path as written leads to: `from longest.module import the.rest`."""
    names = path.split(".")
    split = max(i for i in range(1, len(names)) if ".".join(names[:i]) in alias.MODULES)
    result = importlib.import_module(".".join(names[:split]))
    for name in names[split:]:
        result = getattr(result, name)
    return result


def canonical(symbol):
    """sporax's object for MindSpore's own name of it; None if there is none."""
    module, _, name = symbol.rpartition(".")
    for home in HOMES.get(module, ()):
        result = getattr(sporax.module_if_there(home), name, None)
        if result is not None and not isinstance(result, type(sys)):
            return result
    return None


@pytest.mark.parametrize("module", sorted(BY_MODULE))
def test_each_path_leads_to_the_one_object_or_says_what_is_missing(module):
    for row in BY_MODULE[module]:
        path, expected = row["path"], canonical(row["canonical"])
        try:
            result = follow(path)
        except AttributeError as error:
            assert expected is None or not _is_alias(row), f"{path}: {error}"
            assert "sporax has no 'mindspore." in str(error) or "has no attribute" in str(error)
        except NotImplementedError as error:  # refused on purpose, below what is refused
            assert expected is None and "sporax has no 'mindspore." in str(error)
        else:
            assert expected is None or not _is_alias(row) or result is expected, path


def _is_alias(row):
    """Whether the path names its canonical symbol itself, in MindSpore 2.10 too: what goes on below
    it (mindspore.Tensor.from_numpy), and what 2.10 lacks, does not."""
    module, _, name = row["path"].rpartition(".")
    same = name == row["canonical"].rpartition(".")[2] and not name.startswith("__")
    return same and module in alias.MODULES and row["in_mindspore"] == "1"


@pytest.mark.parametrize("module", sorted({m for m in BY_MODULE if m in alias.MODULES}))
def test_every_module_that_users_import_can_be_imported(module):
    assert importlib.import_module(module).__name__ == module


SAME = [
    ("mindspore.Tensor", "mindspore.common.tensor.Tensor", "mindspore.common.Tensor"),
    ("mindspore.Tensor", "mindspore.ops.Tensor"),
    ("mindspore.tensor", "mindspore.common.tensor"),
    ("mindspore.Parameter", "mindspore.common.parameter.Parameter"),
    ("mindspore.float32", "mindspore.common.dtype.float32", "mindspore.dtype.float32"),
    ("mindspore.float32", "mindspore.common.type.float32"),
    ("mindspore.set_context", "mindspore.context.set_context"),
    ("mindspore.GRAPH_MODE", "mindspore.context.GRAPH_MODE"),
    ("mindspore.set_seed", "mindspore.common.set_seed", "mindspore.common.seed.set_seed"),
    ("mindspore.jit", "mindspore.common.api.jit", "mindspore.ms_function"),
    ("mindspore.load_checkpoint", "mindspore.train.serialization.load_checkpoint"),
    ("mindspore.load_checkpoint", "mindspore.train.load_checkpoint"),
    ("mindspore.grad", "mindspore.ops.grad"),
    ("mindspore.ops.Add", "mindspore.ops.operations.Add", "mindspore.ops.operations.math_ops.Add"),
    ("mindspore.ops.add", "mindspore.ops.functional.add", "mindspore.ops.function.math_func.add"),
    ("mindspore.ops.GradOperation", "mindspore.ops.composite.GradOperation"),
    ("mindspore.ops.Primitive", "mindspore.ops.primitive.Primitive"),
    ("mindspore.common.initializer.Normal",),
    ("mindspore.nn.Cell", "mindspore.nn.cell.Cell"),
    ("mindspore.nn.Dense", "mindspore.nn.layer.Dense", "mindspore.nn.layer.basic.Dense"),
    ("mindspore.nn.Adam", "mindspore.nn.optim.Adam", "mindspore.nn.optim.adam.Adam"),
    ("mindspore.nn.MSELoss", "mindspore.nn.loss.MSELoss", "mindspore.nn.loss.loss.MSELoss"),
]


@pytest.mark.parametrize("paths", SAME, ids=lambda paths: paths[-1])
def test_one_object_under_all_its_paths(paths):
    for path in paths:
        module, _, name = path.rpartition(".")
        scope = {}
        exec(f"from {module} import {name} as found", scope)
        assert scope["found"] is follow(paths[0])


IMPORTS = [
    "import mindspore as ms; assert ms.nn.Cell and ms.float32",
    "import mindspore.nn as nn; assert nn.Cell",
    "import mindspore.common.dtype as mstype; assert mstype.float32 and mstype.int_",
    "from mindspore import dtype as mstype; assert mstype.float32",
    "from mindspore.ops import operations as P, functional as F; assert P.Add and F.add",
    "from mindspore.ops import composite as C; assert C.GradOperation",
    "from mindspore import context; context.set_context(mode=context.PYNATIVE_MODE)",
    "from mindspore import log as logger; logger.debug('x')",
    "from mindspore import Tensor, nn, ops; assert isinstance(ops.add(Tensor(1.0), 1), Tensor)",
    "import mindspore.common.tensor; assert mindspore.common.tensor([1]).shape == (1,)",
    "from mindspore.common import tensor; import mindspore.common.tensor as t; assert t is tensor",
    "from mindspore.common.tensor import Tensor; import mindspore as m; assert m.Tensor is Tensor",
    "from mindspore.common.initializer import initializer, Normal; assert Normal and initializer",
    "import mindspore.dataset as ds, mindspore.dataset.vision as v; assert ds.vision is v",
    "from mindspore import *; assert Tensor and float32 and save_checkpoint and grad",
    "from mindspore.nn import *; assert Cell",
    "import mindspore; assert mindspore.__version__ == '2.10.0'",
    "import mindspore, sporax; assert mindspore.__sporax__ == sporax.__version__",
    "import importlib.util; assert importlib.util.find_spec('mindspore.nn').name == 'mindspore.nn'",
    "import mindspore; assert not hasattr(mindspore, 'nowhere')",
    "import mindspore; assert 'Tensor' in dir(mindspore) and 'Cell' in dir(mindspore.nn)",
]


@pytest.mark.parametrize("code", IMPORTS)
def test_forms_of_import(code):
    exec(code, {})


MISSING = [
    ("import mindspore; mindspore.nowhere", AttributeError, "mindspore.nowhere"),
    ("import mindspore.nn as nn; nn.Nowhere(3)", AttributeError, "mindspore.nn.Nowhere"),
    ("import mindspore as ms; ms.ops.operations.Nowhere()", AttributeError,
     "mindspore.ops.operations.Nowhere"),
    ("from mindspore import nowhere", ImportError, "mindspore.nowhere"),
    ("from mindspore.nn import Cell, Nowhere", ImportError, "mindspore.nn.Nowhere"),
    ("import mindspore.nowhere", ModuleNotFoundError, "mindspore.nowhere"),
    ("import mindspore.nowhere.deeper", ModuleNotFoundError, "mindspore.nowhere"),
    ("from mindspore.nowhere import Cell", ModuleNotFoundError, "mindspore.nowhere"),
    ("from mindspore.nn.nowhere.deeper import x", ModuleNotFoundError, "mindspore.nn.nowhere"),
    ("from mindspore._checkparam import Nowhere", ImportError, "mindspore._checkparam.Nowhere"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "error", "path"), MISSING)
def test_what_is_missing_is_named_at_the_line_that_uses_it(code, error, path):
    with pytest.raises(error) as raised:
        exec(code, {})
    assert type(raised.value) is error
    said = str(raised.value)
    assert said.removesuffix(".") == f"sporax has no '{path}': MindSpore 2.10 has no such name" or (
        said == f"sporax has no '{path}'" and "deeper" in code
    )


def test_sporax_itself_says_what_is_missing():
    with pytest.raises(AttributeError, match=r"^sporax has no 'mindspore.nowhere'$"):
        sporax.nowhere  # noqa: B018
    with pytest.raises(ImportError):
        exec("from sporax import nowhere")


def test_the_public_list_has_everything_it_names():
    assert all(getattr(sporax, name) is not None for name in sporax.__all__)
    assert {"Tensor", "float32", "jit", "grad", "install_as_mindspore"} <= set(sporax.__all__)
    assert not {"bool", "int", "float"} & set(
        sporax.__all__
    )  # a star import must not hide Python's


def test_the_table_is_whole():
    with open(ROOT / "sporax/_src/mindspore/compat/paths.csv", encoding="utf8") as file:
        rows = [row["path"] for row in csv.DictReader(file)]
    assert rows == sorted(rows)
    for path in [*alias.MODULES, *alias.SYMBOLS]:
        assert not path.rpartition(".")[0] or alias.is_module(path.rpartition(".")[0])


# in a process of its own ---------------------------------------------------------------------


def run(code, *path):
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *path],
        capture_output=True, text=True, cwd=ROOT, timeout=300, check=False,
    )  # fmt: skip
    return result.returncode, result.stdout, result.stderr


def test_importing_is_cheap_until_something_is_used():
    code, _, errors = run("""
        import sys, sporax
        sporax.install_as_mindspore()
        import mindspore, mindspore.nn, mindspore.ops.operations, mindspore.dataset.vision
        from mindspore import context
        assert not {"jax", "numpy"} & set(sys.modules)
    """)
    assert code == 0, errors


def test_importing_starts_no_device():
    code, _, errors = run("""
        import sporax
        sporax.install_as_mindspore()
        import mindspore.train, mindspore.mint.nn, mindspore.dataset.audio, mindspore.parallel
        from mindspore import Model, Tensor, nn, amp, experimental
        nn.Adam, mindspore.mint.optim.Adam, mindspore.dataset.GeneratorDataset
        from jax._src import xla_bridge  # a fork, or several processes, must come before
        assert not xla_bridge._backends
    """)
    assert code == 0, errors


def test_another_mindspore_is_named_once(tmp_path):
    (tmp_path / "mindspore").mkdir()
    (tmp_path / "mindspore" / "__init__.py").write_text("other = True")
    code, out, errors = run(
        """
        import sys
        sys.path.append(sys.argv[1])
        import sporax
        for _ in range(3):
            sporax.install_as_mindspore()
        import mindspore
        print(mindspore.__sporax__)
        """,
        str(tmp_path),
    )
    assert (code, out.strip()) == (0, sporax.__version__)
    assert errors.count("sporax") == errors.count("\n") + 1 == 2
    assert "not the MindSpore of unknown version" in errors and str(tmp_path) in errors


def test_another_mindspore_that_is_already_imported_is_an_error(tmp_path):
    (tmp_path / "mindspore.py").write_text("")
    code, _, errors = run(
        "import sys; sys.path.insert(0, sys.argv[1]); import mindspore, sporax; "
        "sporax.install_as_mindspore()",
        str(tmp_path),
    )
    assert code == 1 and "Call it before the first import" in errors
