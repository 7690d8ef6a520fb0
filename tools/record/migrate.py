"""PyTorch's runs that tests/migrate compares Cells with, and the output in `docs/from_pytorch`.

Runs in an interpreter with PyTorch and sporax, which `make test-migrate` makes.
"""

import shutil

from tests import records


def migrate(pythons):
    from sporax import migrate
    from tests.migrate.torch_networks import NETWORKS, network

    folder = records.FOLDER / "migrate"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in NETWORKS:
        module, inputs = network(name)
        migrate.record(module, inputs).save(folder / f"{name}.npz")
    _record_pages()


def _record_pages():
    """Record the output of the PyTorch blocks, and the weights that the first block saves."""
    from tests.migrate import pytorch_page

    for page in pytorch_page.PAGES:
        text = page.read_text("utf8")
        found = pytorch_page.items(text)
        printed = pytorch_page.outcomes(found, 0)
        for result in printed:
            if isinstance(result, Exception):
                raise result
        page.write_text(pytorch_page.with_outputs(text, found, printed), "utf8")
    shutil.copy("start.pth", pytorch_page.PAGE.with_suffix(""))
