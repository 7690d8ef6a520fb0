"""Run the blocks of a page as one script, and compare the output with the page.

    python tools/run_page.py docs/tutorial/1_tensor.md [--write]

A `python` block is a part of the page's script `train.py`; a `console` block has one command of
sporax after `$`. The output of a block is in a `text` block right below it (below the command, in a
`console` block). Times are not compared, nor whether a program was cached by an earlier run.
`--write` writes the output into the page, and all of its blocks into the Chinese page. If there are
third-level sections, as in the error index, each is a separate script.
"""

import argparse
import contextlib
import io
import linecache
import os
import re
import shlex
import shutil
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from unittest import mock

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS.parent))
os.environ.setdefault("SPORAX_TIERS", "off")  # compilation does not depend on timing
import sporax  # noqa: E402
from sporax._src.core.language import annotate  # noqa: E402
from sporax._src.devices.distributed.ranks import release  # noqa: E402 - of this checkout, by the path above
from sporax._src.workbench.cli import main  # noqa: E402

BLOCK = re.compile(
    r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<shown>.*?)```\n)?"
    r"|```console\n\$ sporax (?P<command>[^\n]*)\n(?P<answer>.*?)```\n",
    re.DOTALL,
)
FENCE = re.compile(r"```.*?```", re.DOTALL)
SECTION = re.compile(r"^(?=### )", re.MULTILINE)
CHANGING = re.compile(r"\d[\d.,]* (?:s|ms|us|ns)\b|, from the folder of compiled programs")


def blocks(text):
    """(code or command, output shown below it) for each block of a page."""
    return [(m["code"] or f"$ {m['command']}", m["shown"] or m["answer"] or "")
            for m in BLOCK.finditer(text)]  # fmt: skip


def provide_files(page):
    """Copy the files of the folder named after a page into the working folder."""
    if page.with_suffix("").is_dir():
        shutil.copytree(page.with_suffix(""), ".", dirs_exist_ok=True)


def run(text):
    """The output of each block of a page. Files are written to the working folder."""
    parts = [code for code, _ in blocks(text)]
    source = ["\n" * part.count("\n") if part.startswith("$ ") else part for part in parts]
    Path("train.py").write_text("".join(source), "utf8")
    linecache.clearcache()  # of the previous page, whose script has the same name
    sporax.install_as_mindspore()
    scope, line, printed = {"__name__": "__main__"}, 0, []
    for part in parts:
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            if part.startswith("$ "):
                _command(part[2:])
            else:
                with warnings.catch_warnings():
                    warnings.simplefilter("default")
                    warnings.showwarning = _show_warning
                    _execute(compile("\n" * line + part, "train.py", "exec"), scope)
                line += part.count("\n")
        lines = output.getvalue().replace(os.getcwd() + os.sep, "").splitlines()
        printed.append("".join(f"{text.rstrip()}\n" for text in lines))
    release()  # its `init`: the next script starts afresh
    return printed


def _execute(code, scope):
    try:
        exec(code, scope)
    except Exception as error:  # noqa: BLE001 - pages show what Python prints below the traceback
        with mock.patch.dict(os.environ, SPORAX_LANG="en"):
            annotate(error)
        print("".join(traceback.format_exception_only(error)), end="", file=sys.stderr)


def _show_warning(message, category, filename, line, *_):
    print(f"{category.__name__}: {message}", file=sys.stderr)


def _command(words):
    with contextlib.suppress(SystemExit):  # its exit status; errors are printed
        main(shlex.split(words))


def differences(text):
    """(code, shown, printed) for each block whose output differs from the page."""
    rows = []
    for script in SECTION.split(text):
        printed = run(script)
        rows += [(*block, now) for block, now in zip(blocks(script), printed, strict=True)]
    return [row for row in rows if CHANGING.sub("", row[1]) != CHANGING.sub("", row[2])]


def rewritten(text):
    """The page, with the output of its blocks."""
    return "".join(map(_rewritten, SECTION.split(text)))


def _rewritten(script):
    printed = iter(run(script))

    def block(match):
        now = next(printed)
        if match["code"] is None:
            return f"```console\n$ sporax {match['command']}\n{now}```\n"
        return f"```python\n{match['code']}```\n" + (f"\n```text\n{now}```\n" if now else "")

    return BLOCK.sub(block, script)


def with_blocks_of(page, text):
    """A page in another language, with its blocks replaced by the blocks of `text`, in order."""
    fences = FENCE.findall(text)
    if len(FENCE.findall(page)) != len(fences):
        raise ValueError(f"The other language must have {len(fences)} blocks, too.")
    fences = iter(fences)
    return FENCE.sub(lambda _: next(fences), page)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("page", type=lambda path: Path(path).resolve())
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    page = options.page.read_text("utf8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        provide_files(options.page)
        if options.write:
            page = rewritten(page)
            options.page.write_text(page, "utf8")
            chinese = DOCS / "zh" / os.path.relpath(options.page, DOCS)
            if chinese.exists():
                chinese.write_text(with_blocks_of(chinese.read_text("utf8"), page), "utf8")
        else:
            wrong = differences(page)
            for row in wrong:
                print("{}\nshown:\n{}\nprinted:\n{}\n".format(*row))
            sys.exit(bool(wrong))
