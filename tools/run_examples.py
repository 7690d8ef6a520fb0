"""Run the examples of MindSpore's documentation, and report different results.

    python tools/run_examples.py run FOLDER --out ours.jsonl [--match REGEX] [--part 2/8]
    MINDSPORE_PYTHON tools/run_examples.py run FOLDER --native --out theirs.jsonl
    python tools/run_examples.py report ours.jsonl [--oracle theirs.jsonl] [--list STATE]
    python tools/run_examples.py report ... --counts tests/recorded/examples.json

FOLDER is an installed package `mindspore` (the examples of its docstrings), or one of tutorials
(.md and .ipynb, cell by cell). It is read as text (`ast`), never imported: `import mindspore` in an
example imports sporax. Each docstring or tutorial runs in a separate process, forked from one that
has imported the library, in an empty folder and for at most `--seconds`. With `--native` the real
MindSpore runs them: where its output differs from the documentation, or it stops, its result is the
reference. `--setup FILE` is run before all examples (definitions that the docstrings refer to, such
as LeNet5, and replacements for downloads); `--part k/n` runs every n-th; `--unless-equal RESULTS`
skips examples that were equal there; a second run adds missing results to the file, also after
`--stop-after SECONDS`.
"""

import argparse
import ast
import builtins
import collections
import contextlib
import io
import json
import linecache
import os
import re
import resource
import signal
import sys
import tempfile
import textwrap
import time
import traceback
import types
import warnings
from pathlib import Path

MODULES = {
    "np": "numpy", "mindspore": "mindspore", "ms": "mindspore", "nn": "mindspore.nn",
    "ops": "mindspore.ops", "mint": "mindspore.mint", "ds": "mindspore.dataset",
    "vision": "mindspore.dataset.vision", "transforms": "mindspore.dataset.transforms",
    "text": "mindspore.dataset.text", "audio": "mindspore.dataset.audio",
    "context": "mindspore.context", "train": "mindspore.train",
}  # fmt: skip  # what the docstrings use without importing it
NAMES = "Tensor", "Parameter", "Model", "dtype"
SKIPPED = re.compile(r"^(ops_generate|_extends|_akg|include|lib)/")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[-+]?\b(?:nan|inf)\b", re.IGNORECASE)
STATES = {
    "equal": "print what the docstring shows, or run where it shows nothing",
    "as MindSpore": "do what MindSpore does: prints the same, or stops as well",
    "random": "print something else at each run on MindSpore too",
    "files": "need files that are not there",
    "devices": "need an Ascend, a GPU or several processes",
    "refused": "use a name that is refused",
    "missing": "stop at a missing name",
    "keyword": "stop at an argument that is not taken",
    "error": "stop at another error",
    "timeout": "take too long",
    "differs": "print something else",
}


def statements(docstring):
    """(source, expected output) of each `>>>` of a docstring."""
    found, lines = [], docstring.expandtabs().splitlines()
    source, want, inside = [], [], False
    for line in [*lines, ">>> "]:
        text = line.strip()
        if text.startswith(">>>"):
            if source:
                found.append(["\n".join(source), "\n".join(want)])
            source, want, inside = [text[4:]], [], True
        elif inside and (text == "..." or text.startswith("... ")) and not want:
            source.append(text[4:])
        elif inside and not text:
            inside = False
        elif inside:
            want.append(text)
    return found


def examples(folder):
    """Each docstring with examples, and each tutorial: its name, statements, claimed platforms."""
    seen = set()
    for path in sorted(folder.rglob("*.*")):
        relative = path.relative_to(folder).as_posix()
        for name, text, found in _READERS.get(path.suffix, lambda path: ())(path):
            if found and not SKIPPED.match(relative) and str(found) not in seen:
                seen.add(str(found))
                claim = re.search(r"Supported Platforms:\s*\n\s*(.+)", text)
                yield {
                    "name": f"{relative}:{name}",
                    "statements": found,
                    "platforms": claim.group(1).replace("`", "") if claim else "",
                    "cells": path.suffix != ".py",
                }


def _source_file(path):
    for name, text in _docstrings(ast.parse(path.read_text("utf-8")), []):
        yield name, text, [s for s in statements(text) if s[0].strip()]


def _markdown(path):
    text = path.read_text("utf-8")
    blocks = re.findall(r"^ *```python *\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    yield "", text, [[_without_commands(block), ""] for block in blocks]


def _notebook(path):
    text = path.read_text("utf-8")
    cells = [c["source"] for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    yield "", text, [[_without_commands("".join(cell)), ""] for cell in cells]


def _without_commands(cell):
    """A cell's Python code, without shell and notebook command lines."""
    lines = textwrap.dedent(cell.replace("\xa0", " ")).splitlines()
    return "\n".join("" if line.lstrip().startswith(("!", "%")) else line for line in lines)


_READERS = {".py": _source_file, ".md": _markdown, ".ipynb": _notebook}


def _docstrings(tree, path):
    """(name, text) of the strings with `>>>`: docstrings, and arguments as in `f(name, text)`."""
    for node in ast.iter_child_nodes(tree):
        name = getattr(node, "name", None)
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = node.args[0].value
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ">>>" in node.value:
            yield ".".join(path), node.value
        yield from _docstrings(node, [*path, name] if isinstance(name, str) else path)


def run(arguments):
    """Run the examples, one result per line; examples already in the output file are skipped."""
    chosen = [e for e in examples(arguments.folder) if re.search(arguments.match, e["name"])]
    if arguments.unless_equal:
        known = map(json.loads, arguments.unless_equal.open())
        equal = {result["name"] for result in known if state(result, [])[0] == "equal"}
        chosen = [e for e in chosen if e["name"] not in equal]
    part, parts = map(int, arguments.part.split("/"))
    chosen = chosen[part - 1 :: parts]
    if arguments.out.exists():
        there = {json.loads(line)["name"] for line in arguments.out.open()}
        chosen = [e for e in chosen if e["name"] not in there]
    if not arguments.native:
        from sporax._src.mindspore.compat import install_as_mindspore

        install_as_mindspore()
    namespace = _namespace(arguments.setup)
    start = time.perf_counter()
    with arguments.out.open("a") as out:
        for example in chosen:
            begin = time.perf_counter()
            if begin - start > arguments.stop_after:
                sys.exit(3)  # work remains
            result = _forked(example, namespace, arguments.seconds)
            result = {**example, **result, "seconds": round(time.perf_counter() - begin, 2)}
            out.write(json.dumps(result) + "\n")
            out.flush()


def _namespace(setups):
    namespace = {"__name__": "__main__", "__builtins__": builtins}
    for name, module in MODULES.items():
        exec(f"import {module} as {name}", namespace)
    for name in NAMES:
        namespace[name] = getattr(namespace["mindspore"], name)
    for path in setups:
        exec(compile(path.read_text("utf-8"), str(path), "exec"), namespace)
    return namespace


def _forked(example, namespace, seconds):
    """The example's result from a child process, which ends after `seconds`."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        child = os.fork()
        if child == 0:
            os.setsid()
            os.mkdir(os.path.join(folder, "work"))
            os.chdir(os.path.join(folder, "work"))
            _child(example, dict(namespace), result)
        end = time.monotonic() + seconds
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return {"stops": "timeout", "error": "", "printed": []}
            time.sleep(0.01)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # processes started by the example
        if not result.exists():
            return {"stops": "crash", "error": "the process ended", "printed": []}
        return json.loads(result.read_text())


def _child(example, namespace, target):
    memory = 12 << 30
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in 0, 1, 2:
        os.dup2(null, descriptor)
    warnings.simplefilter("ignore")
    result = {"stops": "", "error": "", "printed": [], "cells_stopped": {}}
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__dict__.update(namespace, __file__=os.path.abspath("example.py"))
    for index, (source, want) in enumerate(example["statements"]):
        printed, stop = io.StringIO(), {}
        try:
            with contextlib.redirect_stdout(printed):
                _execute(source, main)
        except BaseException as error:  # noqa: BLE001 - the report names whatever it raises
            if not want.startswith("Traceback"):
                at = traceback.extract_tb(error.__traceback__)[-1]
                stop = {"stops": type(error).__name__, "error": str(error)[:600]}
                stop |= {"source": source, "at": f"{at.filename}:{at.lineno}"}
        result["printed"].append(printed.getvalue())
        if stop and example["cells"]:
            result["cells_stopped"][index] = stop
        elif stop:
            result |= stop
            break
    target.write_text(json.dumps(result))
    os._exit(0)


def _execute(source, main):
    """Execute a statement as interactive Python does; a file has its lines, for `inspect`."""
    with open(main.__file__, "a+", encoding="utf-8") as file:
        file.seek(0)
        line = len(file.readlines())
        file.write(source + "\n")
    linecache.checkcache(main.__file__)
    for node in ast.parse(source).body:
        mode = ast.increment_lineno(ast.Interactive([node]), line)
        exec(compile(mode, main.__file__, "single"), main.__dict__)


def same_output(printed, wanted):
    """Return True if two texts have the same words and, within a tolerance, the same numbers."""
    printed, wanted = (re.sub(r"[\s,]+", " ", text).strip() for text in (printed, wanted))
    if printed == wanted:
        return True
    words = [re.sub(r"\s+", "", NUMBER.sub("#", text)) for text in (printed, wanted)]
    if words[0] != words[1]:
        return False
    pairs = zip(NUMBER.findall(printed), NUMBER.findall(wanted), strict=True)
    return all(_close(float(a), float(b)) for a, b in pairs)


def _close(a, b):
    return a == b or (a != a and b != b) or abs(a - b) <= 1e-4 + 2e-3 * abs(b)


def state(result, oracle):
    """(state, cause) of a result; `oracle` is the list of MindSpore's own results."""
    agrees = [_same_behaviour(result, theirs) for theirs in oracle]
    if not result["stops"]:
        pairs = [
            (s[0], p, s[1]) for s, p in zip(result["statements"], result["printed"], strict=True)
            if s[1] and not s[1].startswith("Traceback")
        ]  # fmt: skip
        wrong = [source for source, printed, want in pairs if not same_output(printed, want)]
        if not wrong:
            return "equal", ""
        if any(agrees):
            return "as MindSpore", ""
        if any(theirs["stops"] for theirs in oracle):
            return "as MindSpore", "it stops there"
        if any(not _same_behaviour(a, b) for a in oracle for b in oracle):
            return "random", ""
        return "differs", wrong[0]
    stops_there = [theirs["stops"] for theirs in oracle if theirs["stops"]]
    return _kind(result, "as MindSpore" if stops_there else None, stops_there)


def _same_behaviour(ours, theirs):
    return ours["stops"] == theirs["stops"] and all(
        same_output(a, b) for a, b in zip(ours["printed"], theirs["printed"], strict=False)
    )


def _kind(result, where_mindspore_stops, stops_there=()):
    error, stops = result["error"], result["stops"]
    cause = f"{stops}: {error.splitlines()[0] if error else ''}"
    if stops == "NotImplementedError" and "sporax has no" in error:
        return "refused", cause
    if stops in stops_there:
        return "as MindSpore", cause
    if stops in ("ImportError", "ModuleNotFoundError") or (
        stops == "AttributeError" and ("has no attribute" in error or "sporax has no" in error)
    ):
        return "missing", cause
    if where_mindspore_stops:
        return where_mindspore_stops, cause
    if stops == "NameError":
        return "files", cause
    if "does not exist" in error or "No such file" in error or stops == "FileNotFoundError":
        return "files", cause
    if "keyword argument" in error or "positional argument" in error:
        return "keyword", cause
    if "CPU" not in (result["platforms"] or "CPU"):
        return "devices", cause
    return ("timeout" if stops == "timeout" else "error"), cause


def report(arguments):
    """Print the counts, the causes by frequency, and the examples of the states to list."""
    results = [json.loads(line) for path in arguments.results for line in path.open()]
    oracle = collections.defaultdict(list)
    for path in arguments.oracle:
        for line in path.open():
            theirs = json.loads(line)
            oracle[theirs["name"]].append(theirs)
    latest = {result["name"]: result for result in results}  # of a later file, where it has one
    results = list(latest.values())
    tutorials = _report_cells([r for r in results if r["cells"]], oracle)
    results = [r for r in results if not r["cells"]]
    states, causes = collections.Counter(), collections.defaultdict(list)
    for result in results:
        kind, cause = state(result, oracle[result["name"]])
        states[kind] += 1
        causes[kind, cause].append(result["name"])
    print(f"{len(results)} docstrings with examples")
    for kind, meaning in STATES.items():
        print(f"{states[kind]:5} {kind:12} {meaning}")
    if arguments.counts:
        counts = {"docstrings": len(results), **{kind: states[kind] for kind in STATES}}
        text = json.dumps({"docstrings": counts, "tutorials": tutorials}, indent=1)
        arguments.counts.write_text(text + "\n")
    for (kind, cause), names in sorted(causes.items(), key=lambda item: -len(item[1])):
        if kind in arguments.list:
            print(f"{len(names):4} {kind}: {cause[:200]}   {' '.join(names[:4])}")


def _report_cells(results, oracle):
    """Print for each tutorial its cells, the cells that MindSpore runs, and how many of these fail
    here. Returns the sums."""
    sums = collections.Counter(tutorials=len(results))
    for result in results:
        theirs = [set(r["cells_stopped"]) for r in oracle[result["name"]]]
        stopped_there = set.union(*theirs) if theirs else set()
        stops = {i: s for i, s in result["cells_stopped"].items() if i not in stopped_there}
        cells = len(result["statements"])
        there = cells - len(stopped_there)
        sums.update(cells=cells, there=there, run=cells - len(result["cells_stopped"]))
        sums["stop"] += len(stops)
        print(f"{result['name']} {cells} cells, {there} run on MindSpore, {len(stops)} stop here")
        for index, stop in stops.items():
            print(f"    cell {index}: {stop['stops']}: {stop['error'][:300]} ({stop['at']})")
    return dict(sums)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    command.add_argument("folder", type=Path)
    command.add_argument("--out", type=Path, required=True)
    command.add_argument("--native", action="store_true")
    command.add_argument("--match", default="")
    command.add_argument("--unless-equal", type=Path, metavar="RESULTS")
    command.add_argument("--part", default="1/1")
    command.add_argument("--seconds", type=float, default=30)
    command.add_argument("--stop-after", type=float, default=float("inf"), metavar="SECONDS")
    command.add_argument("--setup", type=Path, action="append", default=[])
    command.set_defaults(function=run)
    command = commands.add_parser("report")
    command.add_argument("results", type=Path, nargs="+")
    command.add_argument("--oracle", type=Path, action="append", default=[])
    command.add_argument("--counts", type=Path, metavar="FILE", help="write the counts as JSON")
    command.add_argument("--list", action="append", default=[], choices=STATES)
    command.set_defaults(function=report)
    arguments = parser.parse_args()
    arguments.function(arguments)


if __name__ == "__main__":
    main()
