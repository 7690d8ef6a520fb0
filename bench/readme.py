"""The tables of README.md and README.zh.md, from the same numbers as `docs/performance.md`: ratios
to the best peer, one row for each group of cases."""

import re
import statistics

from bench.rows import ACCURACY, CHANGING, DATA, FIRST_STEPS, INFERENCE, NETWORKS, ONCE, TRAINING

_LARGE = tuple(row for row in TRAINING if row.name in NETWORKS)
_SMALL = tuple(row for row in TRAINING if row.name not in NETWORKS)
HEADS = {
    "README.md": ("time or memory of sporax / best peer", "cases", "median", "best", "worst"),
    "README.zh.md": ("sporax / 最快（或最省）的同类库", "项数", "中位数", "最好", "最差"),
}
# of cases whose measured name is not a name of a network
_CHINESE = {"arrays in memory": "内存中的数组", "JPEG files": "JPEG 文件"}
_MARKS = re.compile(r"(<!-- measured -->\n).*?(<!-- /measured -->)", re.DOTALL)


def groups(results):
    """Yield (the name of a group in English and in Chinese, [(case, {peer: value})])."""
    first = [*results.answers(_LARGE + FIRST_STEPS, lambda answers: answers["first"])]
    once = [*results.answers((*ONCE, ACCURACY), lambda answers: answers["first"])]
    once += results.answers((CHANGING,), lambda answers: sum(answers["each"]))
    yield ("training step of a network", "网络的一个训练步"), results.medians(_LARGE)
    yield (
        (
            "small steps: derivatives, simulation, many small Parameters",
            "小的计算步：高阶导数、模拟、大量小 Parameter",
        ),
        results.medians(_SMALL),
    )
    yield ("inference of one example", "单样本推理"), results.medians(INFERENCE)
    yield ("first step in a new process", "新进程中的第一步"), first
    yield (
        (
            "loops, new lengths, training, from a cold start",
            "循环、不断变化的长度、整次训练，从零开始",
        ),
        once,
    )
    yield ("reading data", "读取数据"), results.medians(DATA)
    for k, name in enumerate(
        [
            ("peak memory, compiling included", "内存峰值，含编译"),
            ("peak memory of later steps", "后续各步的内存峰值"),
        ]
    ):
        yield name, results.answers(_LARGE, lambda answers, k=k: answers["memory"][k])


def _short(case):
    return re.sub(r" step$|, batch 1$|, us$|^first step: |^loop: ", "", case)


def table(file, results, ratio):
    """Return the table in Markdown. `ratio({peer: value})`: sporax / best peer, or None."""
    language = list(HEADS).index(file)
    lines = ["| " + " | ".join(HEADS[file]) + " |", "|---" * 5 + "|"]
    for names, cases in groups(results):
        ratios = [(ratio(cells), _short(case)) for case, cells in cases]
        ratios = sorted((r, case) for r, case in ratios if r is not None)
        if ratios:
            ends = [(f"{r:.2f}", case) for r, case in (ratios[0], ratios[-1])]
            if language:
                ends = [(r, _CHINESE.get(case, case)) for r, case in ends]
            median = statistics.median(r for r, _ in ratios)
            cells = [names[language], str(len(ratios)), f"**{median:.2f}**"]
            cells += [f"{r} ({case})" for r, case in ends]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def with_table(text, content):
    """Return the page with another table between its marks."""
    replaced, count = _MARKS.subn(lambda m: f"{m[1]}{content}{m[2]}", text)
    assert count == 1, "the page has no marks for its table"
    return replaced
