"""Count phrases that a reader of the field stumbles over: in docstrings, comments, messages, pages.

    python tools/plain_english.py [--list] [--rule TEXT] [--only PATH-PART] [--limit N]

Each rule is a habit to avoid, and each match a sentence to read again: it should say subject, verb
and object, in the terms of the field. The Chinese pages and the tests are left out. Exits with
status 1 for more than N matches in a thousand texts, or a text that opens with a relative clause.
"""

import argparse
import ast
import collections
import io
import re
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OPENING = "opens with a relative clause"
RULES = {
    name: re.compile(pattern)
    for name, pattern in {
        OPENING: r"\A\s*(?:What|Which|Whether|Those|Whose|That (?:of|which)|How (?!to\b))[^?]*\Z",
        "that of, those of": r"\b(?:that|those) of\b(?! (?:a|the) (?:kind|sort))",
        "is no <noun>": r"\b(?:is|are|was|be) no [a-z]+\b(?! (?:longer|more))",
        "refuse": r"\b[Rr]efus(?:e|es|ed|al|als|ing)\b",
        "of the user's, of its own": r"\bof (?:the user's|(?:one's|its|their) own|ours|theirs)\b",
        "has not.": r"\b(?:has|have|does|do|is|are) not[.;,]",
        "and its like": r"\b(?:by so much|as many .{0,30} as there are|and (?:its|their) like)\b",
        "told, asked, awaited": (
            r"\b(?:(?:is|are|be) told|(?:is|are) asked|awaited|mended|taken for|looked at)\b"
            r"|\bdone with it\b"
        ),
        "derived by": r"\b(?:derivative|derived|differentiated|gradient)s? by\b",
    }.items()
}
EXAMPLES = re.compile(r"^>>>.*?(?=\n\n|\Z)", re.S | re.M)
SOURCES = "sporax/**/*.py", "tools/**/*.py", "examples/**/*.py", "bench/**/*.py"
PAGES = "*.md", "docs/**/*.md"


def texts_of_page(source):
    """Yield (line, text) of the paragraphs and cells of tables of a page, without its code."""
    source = re.sub(r"```.*?```", lambda code: "\n" * code[0].count("\n"), source, flags=re.S)
    line = 1
    for block in re.split(r"(\n\s*\n)", source):
        start = block.lstrip()
        if start and not start.startswith(("|--", "<")):
            for text in block.split("|") if start.startswith("|") else [block]:
                yield line, text
        line += block.count("\n")


def texts_of_module(source):
    """Yield (line, text) of the docstrings, messages of exceptions and comments of a module."""
    documented = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and (doc := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), EXAMPLES.sub("", doc)
        elif isinstance(node, ast.Raise) and node.exc is not None:
            parts = [n.value for n in ast.walk(node.exc) if isinstance(n, ast.Constant)]
            yield node.lineno, " ".join(part for part in parts if isinstance(part, str))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


def texts(root, only=""):
    """Yield (file, line, text) of all that people read in the pages and modules under a folder."""
    for patterns, parts in ((PAGES, texts_of_page), (SOURCES, texts_of_module)):
        for path in sorted({path for pattern in patterns for path in root.glob(pattern)}):
            name = path.relative_to(root).as_posix()
            if only in name and not name.endswith(".zh.md") and "/zh/" not in name:
                for line, text in parts(path.read_text("utf-8")):
                    if text.strip():
                        yield name, line, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--list", action="store_true", help="each match with its file and line")
    parser.add_argument("--rule", default="", help="only rules whose names hold this text")
    parser.add_argument("--only", default="", help="only files whose paths hold this text")
    parser.add_argument("--limit", type=float, help="matches allowed in a thousand texts")
    options = parser.parse_args()
    counts, total = collections.Counter(), 0
    for name, line, text in texts(options.root, options.only):
        total += 1
        for rule, pattern in RULES.items():
            if options.rule in rule and (matches := len(pattern.findall(text))):
                counts[rule] += matches
                if options.list or (rule == OPENING and options.limit is not None):
                    print(f"{name}:{line}: [{rule}] {' '.join(text.split())[:150]}")
    for rule, count in counts.most_common():
        print(f"{count:6d}  {rule}")
    share = 1000 * counts.total() / max(total, 1)
    print(f"{counts.total()} matches in {total} texts, {share:.1f} in a thousand")
    is_over = options.limit is not None and (share > options.limit or counts[OPENING] > 0)
    sys.exit(is_over)


if __name__ == "__main__":
    main()
