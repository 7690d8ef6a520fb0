"""Word vectors and segmentation models, read by MindSpore 2.10 and by sporax.

Each case is a function of a namespace with `text` and `ds`, and of the folder that
`write_model_files` filled.
"""

import random

import numpy as np

from tests.data.text_cases import described

PLAIN = "ok 0.418 0.24968 -0.41242\n! 0.01 0.23 -0.16\nthe 1 2 3\n床 -1e-3 0 5\nÉ 7 8 9\n"
KEYS = [
    "1gram-h", "1gram-t", "1gram-e", "2gram-#BEGIN#t", "2gram-th", "2gram-he", "2gram-e#END#",
    "3gram-the", "3gram-#BEGIN#th", "3gram-he#END#", "4gram-#BEGIN#the", "4gram-the#END#",
    "1gram-#BEGIN#",
]  # fmt: skip
VECTORS = {
    "plain.txt": PLAIN, "headed.txt": "5 3\n" + PLAIN, "glove.6B.3d.txt": PLAIN, "wiki.vec": PLAIN,
    "headed.vec": "99 3\n" + PLAIN, "empty.txt": "", "ragged.txt": "a 1 2\nb 1\n",
    "ngrams.txt": "".join(f"{key} {i} {i * 0.5}\n" for i, key in enumerate(KEYS)),
    "twice.txt": "a 1 2\na 3 4\n", "blank.txt": "a 1 2\n\nb 3 4\n", "one.txt": "a 1\nb 2\n",
    "spaces.txt": " a 1 2 \nb  3 4\n", "tabs.txt": "a\t1\t2\n", "noend.txt": "a 1 2\nb 3 4",
    "crlf.txt": "a 1 2\r\nb 3 4\r\n", "only.txt": "5 3\n", "phrase.txt": "new york 1 2\nb 3 4\n",
    "nan.txt": "a nan 2\n",
}  # fmt: skip
CHINESE = "床前明月光疑是地上霜举头望明月低头思故乡江州市长大桥参加了长江通车仪式"
FREQUENCIES = {
    "床": 50, "前": 80, "明月": 30, "明月光": 4, "月光": 20, "疑是": 5, "地上": 60, "地": 300,
    "上": 500, "霜": 10, "举头": 3, "望": 90, "低头": 25, "思": 40, "故乡": 35, "江": 100, "州": 20,
    "市": 200, "市长": 70, "江州": 2, "长江": 45, "大桥": 30, "长": 300, "大": 900, "桥": 15,
    "参加": 120, "了": 2000, "通车": 8, "仪式": 17, "ab": 3, "A股": 2, "3月": 7,
}  # fmt: skip
CORPUS = [
    "the quick brown fox jumps over the lazy dog", "the low lower lowest newer newest widest",
    "I saw a girl with a telescope", "hello world and hello friends", "naïve café déjà vu",
    "pack my box with five dozen liquor jugs", "subword units help with rare words",
    "the cat sat on the mat with the hat",
]  # fmt: skip


def hidden_markov_model():
    """Return a model in cppjieba's format."""
    draw = random.Random(3)
    never = "-3.14e+100"
    rows = [
        "#start", f"-0.2626868 {never} {never} -1.4652634", "#steps",
        f"{never} -0.5108256 -0.9162907 {never}", f"-0.5897150 {never} {never} -0.8085251",
        f"{never} -0.3334486 -1.2603624 {never}", f"-0.7211966 {never} {never} -0.6658631",
    ]  # fmt: skip
    for state in "BEMS":
        known = [char for char in dict.fromkeys(CHINESE) if draw.random() < 0.8]
        rows += [f"#{state}", ",".join(f"{char}:{-draw.uniform(2, 14):.6f}" for char in known)]
    return "\n".join(rows) + "\n"


def write_model_files(folder):
    files = VECTORS | {
        "dict": "".join(f"{word} {count} n\n" for word, count in FREQUENCIES.items()),
        "hmm": hidden_markov_model(), "user": "江州市 5\n大桥参\n\n坏 词 3\n  加了 2  \n",
        "corpus": "\n".join(CORPUS * 4) + "\n", "hmm of 3": "1 2 3\n",
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")


MODELS = {}


def vectors(kind, name, *args, words=("a", "the", "zz"), **options):
    def case(ms, where):
        lookup = ms.text.ToVectors(
            getattr(ms.text, kind).from_file(str(where / name), *args), **options
        )
        return described([lookup(word) for word in [*words, list(words)]])

    return case


for name in VECTORS:
    for kind in ("Vectors", "CharNGram"):
        MODELS[f"{kind} {name}"] = vectors(kind, name)
for name in ("glove.6B.3d.txt", "wiki.vec", "headed.vec", "plain.txt"):
    for kind in ("GloVe", "FastText"):
        MODELS[f"{kind} {name}"] = vectors(kind, name)
PATHS = {"Vectors": "plain.txt", "GloVe": "glove.6B.3d.txt", "FastText": "wiki.vec"}
for kind, path in PATHS.items():
    for most in (0, 2, 99, -1, 1.5, "a", None):
        MODELS[f"{kind} {most}"] = vectors(kind, path, most, words=("ok", "the", "É"))
    MODELS[f"{kind} of nowhere"] = vectors(kind, f"zz {path}")
    MODELS[f"{kind} of 3"] = lambda ms, where, kind=kind: getattr(ms.text, kind).from_file(3)
for label, options in {
    "plain": {}, "unknown": {"unk_init": [1, 2, 3.5]}, "short": {"unk_init": [1]},
    "tuple": {"unk_init": (1, 2, 3)}, "text": {"unk_init": ["a"]}, "number": {"unk_init": 3},
    "lower": {"lower_case_backup": True}, "lower 1": {"lower_case_backup": 1},
    "array": {"unk_init": np.ones(3)},
}.items():  # fmt: skip
    words = "ok", "OK", "THE", "zz", "é", "É", ""
    MODELS[f"ToVectors {label}"] = vectors("Vectors", "plain.txt", words=words, **options)
for label, words, options in [
    ("", ("the", "t", "he", "", "zz", "THE", "hat"), {}), (" unknown", ("zz", "the"), {
        "unk_init": [7, 8]}), (" lower", ("THE", "The"), {"lower_case_backup": True}),
]:  # fmt: skip
    MODELS[f"grams{label}"] = vectors("CharNGram", "ngrams.txt", words=words, **options)
MODELS["ToVectors of no vectors"] = lambda ms, where: ms.text.ToVectors(3)
for i, value in enumerate([3, [["ok"]], b"ok", [1], [], np.array("ok"), np.array(["ok"])]):
    MODELS[f"ToVectors of {i}"] = vectors("Vectors", "plain.txt", words=(value,))

SENTENCES = [
    "江州市长江大桥参加了长江大桥的通车仪式", "床前明月光，疑是地上霜。", " ", "望举低参疑",
    "了了了",
    "abc 123.4 A股3月3月x 7", "我ab床é🎉明 月\n头", "举头望明月", "低头思故乡。\t江州",
    "A1b2 3.14.15 ...", "长长长桥桥市",
]  # fmt: skip


def jieba(mode, texts=SENTENCES, words=(), user=None, hmm="hmm", mp="dict", offsets=True):
    def case(ms, where):
        mode_of = getattr(ms.text.JiebaMode, mode) if isinstance(mode, str) else mode
        paths = [path if path is None else str(where / path) for path in (hmm, mp)]
        tokenizer = ms.text.JiebaTokenizer(*paths, mode_of, offsets)
        for word in words:
            tokenizer.add_word(*word)
        if user is not None:
            tokenizer.add_dict(str(where / user) if isinstance(user, str) else user)
        return [described(tokenizer(text)) for text in texts]

    return case


for mode in ("MIX", "MP", "HMM"):
    MODELS[f"jieba {mode}"] = jieba(mode)
    MODELS[f"jieba {mode} tokens"] = jieba(mode, ["", *SENTENCES[:2]], offsets=False)
    more = [("江州市",), ("前明", 900), ("望举", 1), ("桥", 5000)]
    MODELS[f"jieba {mode} with words"] = jieba(mode, words=more)
    MODELS[f"jieba {mode} with a file"] = jieba(mode, user="user")
    MODELS[f"jieba {mode} with a dict"] = jieba(mode, user={"通车仪式": 10, "月": 100})
for label, options in {
    "hmm of 3": {"hmm": "hmm of 3"}, "an empty dict": {"mp": "empty.txt"}, "no dict": {"mp": "zz"},
    "no hmm": {"hmm": "zz"}, "no user": {"user": "zz"}, "user 3": {"user": 3},
    "None": {"hmm": None},
    "word None": {"words": [(None,)]}, "below 0": {"words": [("a", -1)]},
    "offsets 1": {"offsets": 1},
    "text": {"words": [("a", "b")]}, "a list": {"texts": [["床前"]]}, "a number": {"texts": [3]},
}.items():  # fmt: skip
    MODELS[f"jieba {label}"] = jieba("MP", **options)
MODELS["jieba mode 1"] = jieba(1)

PHRASES = [
    "hello world",
    "the lowest dog",
    "",
    "unseen zebra 🎉",
    "café the",
    " two  spaces ",
    "THE",
]


def pieces(model, size, out="STRING", path="corpus", texts=PHRASES, coverage=1.0, params=None):
    def case(ms, where):
        text = ms.text
        files = [str(where / path)] if isinstance(path, str) else path
        model_type = getattr(text.SentencePieceModel, model)
        vocab = text.SentencePieceVocab.from_file(files, size, coverage, model_type, params or {})
        kind = getattr(text.SPieceTokenizerOutType, out)
        tokenizer = text.SentencePieceTokenizer(vocab, kind)
        return [described(tokenizer(each)) for each in texts]

    return case


for model, size in (("BPE", 60), ("BPE", 90), ("CHAR", 40), ("WORD", 40)):
    for out in ("STRING", "INT"):
        MODELS[f"pieces {model} {size} {out}"] = pieces(model, size, out)
for label, options in {
    "5000": {"size": 5000}, "3": {"size": 3}, "0": {"size": 0}, "-1": {"size": -1},
    "coverage 2": {"coverage": 2.0}, "coverage 1": {"coverage": 1},
    "coverage half": {"coverage": 0.5},
    "nowhere": {"path": "zz"}, "path 3": {"path": 3}, "params": {"params": {"zz": "3"}},
    "params list": {"params": [1]}, "of 3": {"texts": [3]}, "of bytes": {"texts": [b"a"]},
    "of rows": {"texts": [[["a"]]]}, "short": {"params": {"max_sentencepiece_length": "3"}},
}.items():  # fmt: skip
    MODELS[f"pieces {label}"] = pieces("BPE", **({"size": 60} | options))


def of_dataset(columns, data=CORPUS):
    def case(ms, where):
        text = ms.text
        source = ms.ds.NumpySlicesDataset(data, ["text"], shuffle=False)
        vocab = text.SentencePieceVocab.from_dataset(
            source, columns, 60, 1.0, text.SentencePieceModel.BPE, {}
        )
        text.SentencePieceVocab.save_model(vocab, str(where), "m.model")
        kind = text.SPieceTokenizerOutType.STRING
        loaded = text.SentencePieceTokenizer(str(where / "m.model"), kind)
        return [described(loaded(each)) for each in PHRASES]

    return case


MODELS["pieces of a column"] = of_dataset(["text"])
MODELS["pieces of another column"] = of_dataset(["zz"])
MODELS["pieces of numbers"] = of_dataset(["text"], [1, 2])
