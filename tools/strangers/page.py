"""Writes `docs/libraries.md` and its Chinese counterpart from the records."""

import collections
import re

from tools.strangers.table import ROOT, is_import, read_record

SHOWN = 12  # causes of a library, most frequent first

ENGLISH = {
    "path": "docs/libraries.md",
    "title": "Libraries written for MindSpore",
    "intro": """\
The tests of these libraries run as they are, in copies of their repositories, under MindSpore 2.10
on a CPU and under sporax as `mindspore`. A test counts if it passes under MindSpore, and so does
the import of a module.

The code of a library is not changed. What its tests download is replaced: by random images, and by
weights of one parameter that no model has; configurations name no weights to download. NumPy has
the names that it lost in 1.24 and in 2, and a module that MindSpore 2.10 lost can be imported, but
not used; both apply to MindSpore as well. Four names that MindSpore lost since MindSPONGE, MindElec
and MindNLP were written are put back, and a mark that MindEarth's tests name without `pytest.mark`.
MindSpore requires NumPy 1, JAX NumPy 2, where a float32 times a Python number is no longer a Python
float: one test of MindSpore Armour asks for one. MindElec's C++ part, point clouds, is absent.

`python -m tools.strangers NAME --into FOLDER` repeats a row, and continues where it was ended;
`tools/strangers/libraries.csv` lists versions and requirements, `tests/recorded/libraries` the
verdict of each test. This page is written from these records.
""",
    "table": "| library | modules that import under MindSpore | of these, under sporax "
    "| tests | pass under MindSpore | of these, under sporax | |",
    "sum": "all",
    "commit": "[{source}](https://github.com/{source}) at `{commit}`: {about}.",
    "all": "All tests and imports that pass under MindSpore pass under sporax.",
    "none": "No test passes under MindSpore 2.10 on a CPU.",
    "rest": "Tests and imports that pass under MindSpore and not under sporax:",
    "real": "Tests and imports that do not pass under MindSpore:",
    "more ours": "{n} of them pass under sporax.",
    "columns": "| tests | verdict |",
    "more": "{n} more",
}
CHINESE = {
    "path": "docs/zh/libraries.md",
    "title": "为 MindSpore 编写的库",
    "intro": (
        "这些库的测试原样运行两遍：一遍用 CPU 上的 MindSpore 2.10，一遍用 sporax 充当 `mindspore`，"
        "都在各自仓库的副本里。在 MindSpore 下通过的测试才计入，模块的导入也一样。\n\n"
        "库的代码一处不改。测试要下载的数据换成形式相同的随机图片，要下载的权重换成只有一个参数的文件，"
        "哪个模型都没有这个参数；配置文件里要下载的权重则去掉。"
        "NumPy 补上了它在 1.24 和 2 里去掉的名字；MindSpore 2.10 去掉的模块可以导入，但不能使用；"
        "两边都是这样。MindSPONGE、MindElec 和 MindNLP 用到、MindSpore 后来去掉的四个名字，"
        "以及 MindEarth 的测试漏写 `pytest.mark` 的标记，也都补上。"
        "MindSpore 要用 NumPy 1，JAX 要用 NumPy 2，而在 NumPy 2 里 float32 乘以 Python 的数"
        "不再是 Python 的 float：MindSpore Armour 有一个测试要求它是。"
        "MindElec 用 C++ 写的点云部分不在其中。\n\n"
        "`python -m tools.strangers NAME --into FOLDER` 可以重做任意一行，中断后会从断处继续；"
        "版本和依赖见 `tools/strangers/libraries.csv`，"
        "每个测试的结果见 `tests/recorded/libraries`。本页由这些记录生成。\n"
    ),
    "table": "| 库 | 在 MindSpore 下可导入的模块 | 其中在 sporax 下可导入 "
    "| 测试 | 在 MindSpore 下通过 | 其中在 sporax 下通过 | |",
    "sum": "合计",
    "commit": "[{source}](https://github.com/{source})，版本 `{commit}`：{about}。",
    "all": "在 MindSpore 下通过的测试和导入，在 sporax 下全部通过。",
    "none": "在 CPU 上的 MindSpore 2.10 下，没有测试通过。",
    "rest": "在 MindSpore 下通过、在 sporax 下没有通过的测试和导入：",
    "real": "在 MindSpore 下没有通过的测试和导入：",
    "more ours": "其中 {n} 个在 sporax 下通过。",
    "columns": "| 测试 | 结果 |",
    "more": "另有 {n} 种",
}


def write(table):
    """Write both pages, from the libraries that have a record."""
    found = [(library, read_record(library)[1]) for library in table.values()]
    found = [(library, record) for library, record in found if record]
    for words in (ENGLISH, CHINESE):
        (ROOT / words["path"]).write_text(_page(words, found), "utf8")


def _page(words, found):
    rows, sections, sums = [], [], collections.Counter()
    for library, record in found:
        counts = collections.Counter()
        for name, row in record.items():
            kind = "imports" if is_import(name) else "tests"
            real = row["mindspore"] == "passed"
            ours = real and row.get("sporax") == "passed"
            counts.update({kind: 1, f"{kind} real": real, f"{kind} ours": ours})
        sums.update(counts)
        about = library.about_zh if words is CHINESE else library.about
        anchor = re.sub(r"[^\w -]", "", library.title.lower()).replace(" ", "-")
        rows.append(_row(f"[{library.title}](#{anchor})", counts, about))
        sections.append(_section(words, library, record, about))
    head = [words["table"], "|---|---|---|---|---|---|---|"]
    rows.append(_row(f"**{words['sum']}**", sums, ""))
    parts = [f"# {words['title']}", words["intro"].strip(), "\n".join(head + rows), *sections]
    return "\n\n".join(parts) + "\n"


def _row(title, counts, about):
    shown = ["imports real", "imports ours", "tests", "tests real", "tests ours"]
    return f"| {' | '.join([title, *(str(counts[key]) for key in shown), about])} |"


def _section(words, library, record, about):
    parts = [
        f"## {library.title}",
        words["commit"].format(source=library.source, commit=library.commit, about=about),
    ]
    passing = [row for row in record.values() if row["mindspore"] == "passed"]
    if not passing:
        parts.append(words["none"])
    elif all(row.get("sporax") == "passed" for row in passing):
        parts.append(words["all"])
    else:
        parts += [words["rest"], _causes(words, (row.get("sporax", "lost") for row in passing))]
    others = [row for row in record.values() if row["mindspore"] != "passed"]
    if others:
        n = sum(row.get("sporax") == "passed" for row in others)
        parts += [words["real"], _causes(words, (row["mindspore"] for row in others))]
        parts += [words["more ours"].format(n=n)] if n else []
    return "\n\n".join(parts)


def _causes(words, verdicts):
    """A table of the verdicts other than `passed`, the most frequent first."""
    counts = collections.Counter(v for v in verdicts if v != "passed").most_common()
    rows = [f"| {n} | {_code(verdict)} |" for verdict, n in counts[:SHOWN]]
    if counts[SHOWN:]:
        more = words["more"].format(n=len(counts) - SHOWN)
        rows.append(f"| {sum(n for _, n in counts[SHOWN:])} | {more} |")
    return "\n".join([words["columns"], "|---|---|", *rows])


def _code(verdict):
    """A verdict as code in a table: shortened, one line, no bar and no backquote."""
    text = " ".join(verdict.replace("|", "/").replace("`", "'").split())
    return f"`{text if len(text) <= 150 else text[:149] + '…'}`"
