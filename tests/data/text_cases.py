"""Text transforms, run by MindSpore 2.10 and by sporax.

Each case is a function of a namespace with `text`, `ds` and `dtype` of MindSpore; `CASES`: name ->
case. If MindSpore is wrong there is no case, but a row in `test_text`.
"""

import tempfile
from itertools import product
from pathlib import Path

import numpy as np

STRINGS = [
    "", " ", "Welcome     To   BeiJing!", "床前明月光, 疑是地上霜。", "I ❤️ 你 🎉👩‍👩‍👧!",
    "Ünïcödé é à ﬁ ＡＢＣ", "北 京\t欢\n迎 你", "привет, мир; ΣΊΣΥΦΟΣ ß İ",
    "x\u200by\u00a0z\u3000w\u00adv", "a-b_c's $5.00 [unused12] [CLS]", "नमस्ते दुनिया שלום مرحبا",
    "こんにちは世界 カタカナ 한국어 조선말", "e\u0301 q\u0307\u0323 2⁵ ẛ̣ Å",
]  # fmt: skip
WORDS = [
    "my", "favor", "##ite", "book", "is", "love", "dur", "##ing", "the", "cholera", "era", "床",
    "前", "明", "月", "光", "##光", "what", "!", "i", "[CLS]", "[UNK]", "un", "##é", "❤️", " ",
]  # fmt: skip
MARKUP = [
    "<text xml:space='preserve'>A [[link|shown]] 12</text>", "&lt;ref name=x&gt;kept&lt;/ref&gt;",
    "[http://x.org page] text", "[[image:a.png|thumb|left|200px|A caption]]", "1999 and 0.5",
    "{{cite|x=1}} {table} {{{three}}}", "&nbsp;&quot;q&quot; a&b;c", "a\n b", "&amp;lt; twice",
    "Line one\nLine TWO\n three\n", "a <b>bold</b> c", "x < y > z", "a #redirect b\nc",
    "'''Bold''' ''it''", "é à ü", " lead and trail ", "a <b\nc> d", "a <b> c\nd > e <f",
]  # fmt: skip
CASES = {}


def described(value):
    """Convert a result to JSON data: dtype, shape and elements of arrays."""
    if isinstance(value, (tuple, list)):
        return [described(item) for item in value]
    if isinstance(value, dict):
        return {str(key): described(value[key]) for key in sorted(value)}
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        readable = np.char.decode(array, "latin-1") if array.dtype.kind == "S" else array
        return [str(array.dtype), list(array.shape), readable.tolist()]
    return value


def add(name, case):
    assert name not in CASES, name
    CASES[name] = lambda ms: described(case(ms))


def arguments(ms, kwargs):
    """Resolve arguments: '@a.b' is looked up in `ms`, and a list for `vocab` becomes a Vocab."""
    made = dict(kwargs)
    for name, value in made.items():
        if isinstance(value, str) and value.startswith("@"):
            space, *parts = value[1:].split(".")
            made[name] = getattr(ms, space)
            for part in parts:
                made[name] = getattr(made[name], part)
        elif name == "vocab" and isinstance(value, list):
            made[name] = ms.text.Vocab.from_list(value)
    return made


def called(name, values, **kwargs):
    """Return a case: the results of the transform `name` for each of the values."""

    def case(ms):
        transform = getattr(ms.text, name)(**arguments(ms, kwargs))
        return [transform(*v) if isinstance(v, tuple) else transform(v) for v in values]

    return case


def each(name, values, **kwargs):
    """Add a case for each value."""
    shown = ", ".join(f"{k}={v!r:.40}" for k, v in kwargs.items() if k != "vocab")
    for i, value in enumerate(values):
        add(f"{name}({shown}) {i} {value!r:.30}", called(name, [value], **kwargs))


# strings in several scripts -------------------------------------------------------------------

for name in ("UnicodeCharTokenizer", "WhitespaceTokenizer", "UnicodeScriptTokenizer"):
    add(name, called(name, STRINGS, with_offsets=True))
    add(f"{name} without offsets", called(name, STRINGS[2:4]))
add("UnicodeScriptTokenizer with spaces",
    called("UnicodeScriptTokenizer", STRINGS, keep_whitespace=True, with_offsets=True))  # fmt: skip
add("CaseFold", called("CaseFold", [*STRINGS, STRINGS, [STRINGS[:4], STRINGS[4:8]]]))
RANGES = [  # that have no place left for new characters
    (0x1, 0x250), (0x370, 0x378), (0x391, 0x3A2), (0x3A3, 0x530), (0x1E00, 0x1F16),
    (0x1F80, 0x1FB5),
    (0x2000, 0x2065), (0x2100, 0x218C), (0x2460, 0x2500), (0x3041, 0x3097), (0x3131, 0x318F),
    (0xFB00, 0xFB07), (0xFF01, 0xFFBF), (0x1D400, 0x1D455),
]  # fmt: skip
CHARACTERS = [chr(code) for start, end in RANGES for code in range(start, end)]
add("CaseFold of characters", called("CaseFold", [CHARACTERS]))
add("CaseFold of sequences",
    called("CaseFold", ["a\u0345\u0301b", "\u1f80\u0301", "가\u11a8",
    "A\u00ad\u0301"]))  # fmt: skip
spaced = " ".join(f"a{char}b" for char in CHARACTERS)
add("BasicTokenizer of characters",
    called("BasicTokenizer", [spaced], lower_case=True, preserve_unused_token=False))  # fmt: skip
add("UnicodeScriptTokenizer of characters", called("UnicodeScriptTokenizer", ["".join(CHARACTERS)]))
add("FilterWikipediaXML", called("FilterWikipediaXML", [*STRINGS, *MARKUP]))
for form in ("NONE", "NFC", "NFKC", "NFD", "NFKD"):
    form = f"@text.NormalizeForm.{form}"
    add(f"NormalizeUTF8 {form}", called("NormalizeUTF8", STRINGS, normalize_form=form))
    add(f"BasicTokenizer {form}", called("BasicTokenizer", STRINGS, normalization_form=form))
for lower, spaces, special in product((False, True), repeat=3):
    kwargs = {"lower_case": lower, "keep_whitespace": spaces, "preserve_unused_token": special}
    shown = f"{lower} {spaces} {special}"
    add(f"BasicTokenizer {shown}", called("BasicTokenizer", STRINGS, with_offsets=True, **kwargs))
    add(f"BertTokenizer {shown}", called("BertTokenizer", STRINGS, vocab=WORDS, **kwargs))

WORDLIKE = [
    "my", "favorite", "bookis", "during", "月光", "cholera", "", "uné", "❤️", "love love",
    ["my", "favorite", "zzz", "during"], "bookbook",
]  # fmt: skip
each("WordpieceTokenizer", WORDLIKE, vocab=WORDS)
each("WordpieceTokenizer", WORDLIKE, vocab=WORDS, unknown_token="")
each("WordpieceTokenizer", WORDLIKE, vocab=WORDS, suffix_indicator="")
each("WordpieceTokenizer", WORDLIKE, vocab=WORDS, max_bytes_per_token=5)
each("WordpieceTokenizer", ["my", "favorite", "月光", "uné", ["my", "zzz", "during"], ""],
     vocab=WORDS, with_offsets=True)  # fmt: skip

for i, (pattern, kept) in enumerate([
    (r"\s+", ""), (r"\s+", r"\s+"), ("[ |,]", ""), ("[ |,]", ","), (r"[\p{P}]|\s", r"\p{P}"),
    ("To", "To"), (r"\p{Han}", r"\p{Han}"), ("", ""), ("[[a-z]&&[^aeiou]]", ".*"), (r"(\d+)",
    r"\d"),
    (r"[\x{4E00}-\x{9FFF}]", "."), ("(?i)W", ""), ("(", ""), (r"\p{L}+(?=!)", ""), (".", "."),
]):  # fmt: skip
    add(f"RegexTokenizer {i}", called(
        "RegexTokenizer", STRINGS, delim_pattern=pattern, keep_delim_pattern=kept, with_offsets=True
    ))  # fmt: skip
for pattern, new, everywhere in [
    (r"\s+", "_", True), (r"\s+", "_", False), (r"(\w+)\s(\w+)", "$2 $1", True), ("(", "", True),
    (r"\p{Mn}", "", True), ("", "-", True), ("e", r"\$", True), ("e", "$", True), ("e", "$7", True),
    (r"(?<x>[A-Z])", "<${x}>", True), ("e", r"\1", True), (r"\p{Cc}|\p{Cf}", " ", True),
    (r"^.", "^", True), (r".$", "$0$0", True), (r"[\u4e00-\u9fff]", "汉", True), (r"\R", "|", True),
    ("(?m)^", "> ", True), (r"\h+", "h", True), (r"[[:alpha:]]", "a", True), (r"\w", "w", True),
    (r"\d", "d", True), (r"\W", "W", True), (r"\p{IsAlphabetic}", "a", True), (r"\p{Lu}", "U",
    True),
    (r"\p{Script=Greek}", "g", True), (r"[^\p{ASCII}]", "?", True), (r"\Q[CLS]\E", "cls", True),
    (r"\bTo\b", "to", True), ("(?i)welcome", "bye", True), (r"\x{1F389}", "party", True),
    (r"(.)\1", "2", True), ("l{1,3}+", "y", True), ("[a-z--[aeiou]]", "c", True),
]:  # fmt: skip
    add(f"RegexReplace {pattern} {new} {everywhere}", called(
        "RegexReplace", STRINGS, pattern=pattern, replace=new, replace_all=everywhere
    ))  # fmt: skip

# rows of words and numbers --------------------------------------------------------------------

ROW, OTHER = ["a", "bb", "床", "d", "e❤"], [["a"], [["a", "b"]], "a", [1, 2]]
for kwargs in [
    {"n": 3}, {"n": [2, 3]}, {"n": [1]}, {"n": [7, 2]}, {"n": 9, "left_pad": ("_", 9)},
    {"n": 3, "left_pad": ("_", 5), "right_pad": ("é", 5), "separator": ""},
]:  # fmt: skip
    each("Ngram", [ROW, *OTHER], **kwargs)
for kwargs in [
    {"n": 0}, {"n": []}, {"n": 2, "left_pad": "a"}, {"n": 2, "left_pad": ("a", -1)}, {"n": 2.0},
    {"n": 2, "separator": 3},
]:  # fmt: skip
    each("Ngram", [ROW], **kwargs)
NUMERIC = [[1, 2, 3, 4], [[1, 2], [3, 4]], 3, [1.5, 2.5], [True, False, True]]
for width in (1, 2, 9, 0, 1.0):
    each("SlidingWindow", [ROW, *NUMERIC], width=width)
each("SlidingWindow", [ROW], width=3, axis=-1)
each("SlidingWindow", [ROW], width=3, axis=1)
each("SlidingWindow", [ROW], width=3, axis="x")
for limit in (0, 1, 3, 9, 2.0):
    each("Truncate", [ROW, "a", *NUMERIC], max_seq_len=limit)
for limit in (0, 1, 3, 4, 9, -1, 2.0):
    pairs = [(ROW, ["x", "y"]), ([1, 2, 3], [4, 5, 6, 7]), ([[1]], [2]), ([1, 2, 3], ["a"]), (3, 4)]
    each("TruncateSequencePair", pairs, max_length=limit)
for kwargs in [{"token": "<s>"}, {"token": "终", "begin": False}]:
    each("AddToken", [ROW, "a", [["a", "b"], ["c", "d"]], [[["a"]]], [1, 2], []], **kwargs)
each("AddToken", [ROW], token=3)
each("AddToken", [ROW], token="a", begin=1)

NUMBERS = [
    "1", "-1", "3.7", " 5", "5 ", "0x10", "1e3", "127", "128", "300", "99999999999", "x", "",
    "12abc", "+4", "nan", "inf", "1e400", "-0", "18446744073709551615", "٣", "1_0", "65520",
    "-3.5", "1e39",
]  # fmt: skip
for kind in ("int8", "int32", "int64", "uint8", "uint64", "float16", "float32", "float64"):
    each("ToNumber", NUMBERS, data_type=f"@dtype.{kind}")
each("ToNumber", ["1e-50"], data_type="@dtype.float32")
each("ToNumber", [["1", "2"], [["1"], ["2"]], [1], b"1", np.array(["3"])], data_type="@dtype.int16")
for wrong in (3, "@dtype.string", "int32", "@dtype.bool_"):
    each("ToNumber", ["1"], data_type=wrong)

# vocabularies ---------------------------------------------------------------------------------

for kwargs in [
    {}, {"unknown_token": "[UNK]"}, {"unknown_token": "<?>"}, {"data_type": "@dtype.float32"},
    {"data_type": "@dtype.string"}, {"unknown_token": 3}, {"data_type": 3},
    {"data_type": "@dtype.bool_"},
]:  # fmt: skip
    found = ["my", "zzz", ["my", "床"], ["my", "zzz"], [["my"], ["book"]], 3, b"my", []]
    each("Lookup", found, vocab=WORDS, **kwargs)
add("Lookup in a text", called("Lookup", ["my"], vocab="my"))


def looked_up(method, *values):
    return lambda ms: getattr(ms.text.Vocab.from_list(["w1", "w2", "床"]), method)(*values)


for value in ("w1", ["w1", "床"], ["w1", "zz"], "zz", np.array(["w1", "w2"]), 3, [3], [], None,
              ("w1",), np.array("w1"), np.array([["w1"]])):  # fmt: skip
    add(f"tokens_to_ids {value!r}", looked_up("tokens_to_ids", value))
for value in (1, [0, 2], [0, 9], 9, np.array([0, 1]), "w1", ["w1"], [], -1, [-1], np.array(1),
              (1,), True, 1.0):  # fmt: skip
    add(f"ids_to_tokens {value!r}", looked_up("ids_to_tokens", value))
add("vocab", looked_up("vocab"))
add("Vocab without words", lambda ms: ms.text.Vocab().vocab())


def made(maker, *args):
    return lambda ms: getattr(ms.text.Vocab, maker)(*args).vocab()


for args in [
    (["a", "b"],), (["a", "b"], ["<p>"]), (["a", "b"], ["<p>", "<u>"], False), (["a", "a"],),
    (["a"], ["b", "b"]), (["a"], ["a"]), ([1],), (("a",),), (["a"], None, 1), ([],), ([""],),
    (["❤️", "🎉"],), ("ab",),
]:  # fmt: skip
    add(f"from_list {args}", made("from_list", *args))
for given in [{"a": 3, "b": 1}, {"a": 1, "b": 1}, {"a": -1}, {"a": "b"}, {1: 1}, ["a"], {},
              {"a": True}]:  # fmt: skip
    add(f"from_dict {given}", made("from_dict", given))
    add(f"from_dict {given} and back", lambda ms, given=given: (
        ms.text.Vocab.from_dict(given).ids_to_tokens([0, 1, 3])))  # fmt: skip


def read(content, *args):
    def case(ms):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "words.txt")
            path.write_text(content, encoding="utf-8", newline="")
            return ms.text.Vocab.from_file(str(path), *args).vocab()

    return case


for args in [
    (), (",",), (",", None, ["<pad>", "<unk>"]), (",", None, ["<pad>"], False), (",", 2),
    (",", 2, ["<p>"]), (",", 9), (",", 0), (",", -1), (",", "2"), (", ", None), (3,),
    (",", None, ["apple"]), (",", None, ["<p>", "<p>"]), (",", None, "<p>"), (",", None, None, 3),
    (None,),
]:  # fmt: skip
    add(f"from_file {args}", read("apple,2\nbanana,3\n床,4\ncat 5\n", *args))
for content, *args in [
    ("a\n\nb\n",), ("a\nb",), ("a\nb\na\n",), ("",), (" a \nb c\n",), ("a\t1\nb\t2\n\t3\n", "\t"),
]:  # fmt: skip
    add(f"from_file of {content!r} {args}", read(content, *args))
add("from_file of nowhere", made("from_file", "/nowhere/words.txt"))
add("from_file of a number", made("from_file", 3))

TABLE = {"x": [["b", "a"], ["b", "c"], ["b", "d"], ["a", "床"]], "y": ["a", "z", "z", "z"]}


def counted(*args, data=TABLE):
    return lambda ms: ms.text.Vocab.from_dataset(
        ms.ds.NumpySlicesDataset(data, shuffle=False), *args
    ).vocab()


for args in [
    (), ("x",), (["y"],), (["x", "y"],), ("x", (2, None)), ("x", (None, 2)), ("x", (2, 2)),
    ("x", None, 2), ("x", None, 99), ("x", (1, 2), 2), ("x", None, None, ["<p>"]),
    ("x", None, None, ["<p>"], False), ("x", None, 1, ["<p>"]), ("x", None, None, ["a"]),
    ("x", (50, 60)), ("q",), (3,), ("x", [1, 2]), ("x", (1, 2, 3)), ("x", (3, 1)), ("x", (-1, 1)),
    ("x", ("a", 1)), ("x", None, 0), ("x", None, "a"), ("x", None, None, None, 1),
    ("x", None, None, ["b", "b"]),
]:  # fmt: skip
    add(f"from_dataset {args}", counted(*args))
add("from_dataset of numbers", counted(data={"x": [1, 2, 3]}))
add("from_dataset of one column", counted("y", data={"x": [1, 2], "y": ["a", "b"]}))

# other inputs, arguments and pipelines --------------------------------------------------------

for name, values in {
    "to_bytes": [np.array(["a", "床"]), np.array("é"), ["a"], np.array([["a"]]), np.array([1])],
    "to_str": [np.array([b"a", "床".encode()]), np.array(b"a"), [b"a"], np.array([1])],
}.items():  # fmt: skip
    for i, value in enumerate(values):
        add(f"{name} {i}", lambda ms, name=name, value=value: getattr(ms.text, name)(value))
add("to_bytes utf-16", lambda ms: ms.text.to_bytes(np.array(["a", "é"]), "utf-16-le"))
each("PythonTokenizer", [np.array("Hello big world"), np.array(["a b", "c d"]), np.array(b"a b"),
                         np.array("")], tokenizer=str.split)  # fmt: skip
each("PythonTokenizer", [np.array("a")], tokenizer=3)
for name in ("JiebaMode", "NormalizeForm", "SPieceTokenizerLoadType", "SPieceTokenizerOutType",
             "SentencePieceModel"):  # fmt: skip
    add(name, lambda ms, name=name: [[m.name, m.value] for m in getattr(ms.text, name)])
each("PythonTokenizer", [np.array("a")], tokenizer=int)

INPUTS = [3, [1, 2], ["a b", "c"], [["a b"]], b"a b", np.array("a b"), np.array(["a b"]), None,
          np.array(b"a b"), 1.5, np.array("床 b").astype(object)]  # fmt: skip
for name in ("UnicodeCharTokenizer", "WhitespaceTokenizer", "UnicodeScriptTokenizer", "CaseFold",
             "BasicTokenizer", "NormalizeUTF8"):  # fmt: skip
    each(name, INPUTS)
each("WordpieceTokenizer", INPUTS, vocab=WORDS, unknown_token="?")
each("BertTokenizer", INPUTS, vocab=WORDS)
each("RegexTokenizer", INPUTS, delim_pattern=" ")
SINGLE = [x for x in INPUTS if np.ndim(x) == 0]
each("FilterWikipediaXML", SINGLE)
each("RegexReplace", SINGLE, pattern=" ", replace="")

for name, rows in {
    "UnicodeCharTokenizer": [{"with_offsets": 1}], "WhitespaceTokenizer": [{"with_offsets": None}],
    "UnicodeScriptTokenizer": [{"keep_whitespace": 1}, {"with_offsets": "x"}],
    "BasicTokenizer": [
        {"lower_case": 1}, {"keep_whitespace": 1}, {"normalization_form": 1},
        {"normalization_form": "NFC"}, {"preserve_unused_token": 0},
    ],
    "BertTokenizer": [
        {"vocab": 3}, {"suffix_indicator": 3}, {"max_bytes_per_token": -1},
        {"max_bytes_per_token": 1.5}, {"unknown_token": 3}, {"lower_case": 3},
        {"normalization_form": 3},
    ],
    "WordpieceTokenizer": [
        {"vocab": 3}, {"suffix_indicator": 3}, {"max_bytes_per_token": -1}, {"with_offsets": 3},
    ],
    "NormalizeUTF8": [{"normalize_form": 1}, {"normalize_form": None}],
    "RegexTokenizer": [{"delim_pattern": 3}, {"delim_pattern": "a", "keep_delim_pattern": 3}],
    "RegexReplace": [
        {"pattern": 3, "replace": ""}, {"pattern": "a", "replace": 3},
        {"pattern": "a", "replace": "", "replace_all": 3},
    ],
    "CaseFold": [{"x": 1}],
}.items():  # fmt: skip
    for kwargs in rows:
        vocab = {"vocab": WORDS} if name in ("BertTokenizer", "WordpieceTokenizer") else {}
        add(f"{name} of {kwargs}", called(name, ["a b"], **(vocab | kwargs)))


def mapped(name, data, outputs=None, columns=("text",), **kwargs):
    def case(ms):
        transform = getattr(ms.text, name)(**arguments(ms, kwargs))
        source = ms.ds.NumpySlicesDataset(data, list(columns), shuffle=False)
        rows = source.map(transform, list(columns), outputs)
        return list(rows.create_tuple_iterator(num_epochs=1, output_numpy=True))

    return case


THREE = ["token", "start", "limit"]
for name, case in {
    "UnicodeCharTokenizer": mapped("UnicodeCharTokenizer", STRINGS),
    "WhitespaceTokenizer": mapped("WhitespaceTokenizer", STRINGS, THREE, with_offsets=True),
    "BertTokenizer": mapped("BertTokenizer", STRINGS, vocab=WORDS),
    "Lookup": mapped("Lookup", ["my", "zzz"], vocab=WORDS, unknown_token="[UNK]"),
    "Lookup of unknown": mapped("Lookup", ["my", "zzz"], vocab=WORDS),
    "ToNumber": mapped("ToNumber", [["1", "2"], ["3", "4"]], data_type="@dtype.float32"),
    "ToNumber of text": mapped("ToNumber", [["1", "x"]], data_type="@dtype.float32"),
    "Ngram": mapped("Ngram", [["a", "b", "c"], ["d", "e", "f"]], n=[2]),
    "SlidingWindow": mapped("SlidingWindow", [[1, 2, 3, 4]], width=2),
    "TruncateSequencePair": mapped(
        "TruncateSequencePair", ([[1, 2, 3]], [[4, 5]]), columns=("a", "b"), max_length=4
    ),
    "PythonTokenizer": mapped("PythonTokenizer", ["a b", "c"], tokenizer=str.split),
    "BasicTokenizer of rows": mapped("BasicTokenizer", [["a b"], ["c d"]]),
}.items():
    add(f"map {name}", case)
