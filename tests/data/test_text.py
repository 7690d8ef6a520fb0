"""Transforms and data sets of text: what MindSpore makes of them (`tools.record text`)."""

import json
import sys
from types import SimpleNamespace

import pytest

from sporax import data
from sporax._src.core import dtype
from sporax.data import text
from tests import records
from tests.case_results import result_or_error
from tests.data.text_cases import CASES
from tests.data.text_file_cases import FILES, write_text_files
from tests.data.text_model_cases import CORPUS, MODELS, write_model_files

MS = SimpleNamespace(ds=data, text=text, dtype=dtype)
MINDSPORE = records.read("text")


def as_json(result):
    return json.dumps(result)  # NaN is NaN


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    write_text_files(folder)
    write_model_files(folder)
    return folder


@pytest.mark.parametrize("name", CASES)
def test_transforms_answer_as_mindspore(name):
    assert as_json(result_or_error(CASES[name], MS)) == as_json(MINDSPORE[name])


@pytest.mark.parametrize("name", [*FILES, *MODELS])
def test_files_are_read_as_by_mindspore(name, where):
    outcome = result_or_error(lambda ms: (FILES | MODELS)[name](ms, where), MS)
    assert as_json(outcome) == as_json(MINDSPORE[name])


def listed(result):
    return [x.tolist() for x in result] if isinstance(result, tuple) else result.tolist()


VOCAB = text.Vocab.from_list(["book", "is", "##s"])
UNKNOWN = text.WordpieceTokenizer(VOCAB, with_offsets=True)


@pytest.mark.parametrize("transform, value, expected", [
    # one offset for each token, that of the whole word
    (UNKNOWN, "bookis", [["[UNK]"], [0], [6]]),
    (UNKNOWN, ["books", "bookiz"], [["book", "##s", "[UNK]"], [0, 4, 0], [4, 5, 6]]),
    (text.WordpieceTokenizer(VOCAB, max_bytes_per_token=3, with_offsets=True), "床前",
     [["[UNK]"], [0], [6]]),
    # each string by itself
    (text.RegexReplace(r"\s+", "_"), ["a b", "c d"], ["a_b", "c_d"]),
    # text between two special tokens comes once
    (text.BasicTokenizer(lower_case=True), "A [CLS] B [SEP] C", ["a", "[CLS]", "b", "[SEP]", "c"]),
    (text.RegexReplace(r"\X", "<$0>"), "e\u0301🎉", "<e\u0301><🎉>"),
    (text.RegexReplace(r"\N{PARTY POPPER}", "!"), "🎉", "!"),
    (text.ToNumber(dtype.uint8), "1e-50", 1),
    (text.FilterWikipediaXML(), "a\n\nb", "a b"),
    (text.PythonTokenizer(str.split), "a b", ["a", "b"]),
], ids=lambda value: type(value).__name__ if callable(value) else str(value))  # fmt: skip
def test_where_mindspore_is_wrong(transform, value, expected):
    assert listed(transform(value)) == expected


@pytest.mark.parametrize("content, expected", [
    (b"a\r\nb\r\n", {"a": 0, "b": 1}), (b"\xef\xbb\xbfa\nb", {"a": 0, "b": 1}),
])  # fmt: skip
def test_lines_of_other_systems(content, expected, tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    assert text.Vocab.from_file(str(path)).vocab() == expected
    assert rows(data.TextFileDataset(str(path), shuffle=False)) == [["a"], ["b"]]


def rows(dataset):
    return [[x.tolist() for x in row] for row in dataset.create_tuple_iterator(num_epochs=1)]


UTF8 = "must be UTF-8, but line 2 is not"


@pytest.mark.parametrize("name, files, arguments, words", [
    ("TextFileDataset", {"a.txt": b"a\ncaf\xe9\n"}, {}, rf"a.txt' {UTF8}"),
    ("CSVDataset", {"a.csv": b"a,b\n\xff,2\n"}, {}, UTF8),
    ("CSVDataset", {"a.csv": b"1,2\n3\n"}, {"column_names": ["x", "y"]},
     r"a.csv', line 2, must have 2 columns, \['x', 'y'\], but has 1"),
    ("CSVDataset", {"a.csv": b"1\n1.5\n"}, {"column_names": ["x"], "column_defaults": [1]},
     r"line 2, must have an int of 32 bits in column 'x', but has '1.5'"),
    ("CoNLL2000Dataset", {"train.txt": b"a b c\na b\n"}, {"usage": "train"},
     r"train.txt', line 2, must have 3 columns separated by ' ', but is 'a b'"),
    ("SST2Dataset", {"train.tsv": b"text\tlabel\na\t1\n"}, {}, r"line 1, must have columns"),
    ("SST2Dataset", {"train.tsv": b"sentence\tlabel\na\n"}, {}, r"line 2, must have 2 columns"),
    ("Multi30kDataset", {"training/train.en": b"a\nb\n", "training/train.de": b"a\n"},
     {"usage": "train"}, r"train.de' must have as many sentences .* but has only 1"),
    ("DBpediaDataset", {}, {"usage": "train"}, r"train.csv' cannot be read: No such file"),
    ("SQuADDataset", {"dev-v2.0.json": b'{"data": [{"paragraphs": [{}]}]}'}, {"usage": "dev"},
     r"must have data, paragraphs, qas and answers .* KeyError\('qas'\)"),
    ("IWSLT2016Dataset", {"texts/de/en/de-en/IWSLT16.TED.tst2014.de-en.de.xml": b"<doc>",
                          "texts/de/en/de-en/IWSLT16.TED.tst2014.de-en.en.xml": b"<doc/>"},
     {"usage": "test"}, r"de.xml' must be XML"),
    ("TextFileDataset", {"a.txt": b"a"}, {"shuffle": data.Shuffle.INFILE},
    "must be a bool, Shuffle"),
])  # fmt: skip
def test_damaged_files_end_in_one_error(name, files, arguments, words, tmp_path):
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    of_files = name in ("TextFileDataset", "CSVDataset")
    source = str(tmp_path / next(iter(files))) if of_files else str(tmp_path)
    with pytest.raises((RuntimeError, ValueError), match=words):
        rows(getattr(data, name)(source, **arguments))


@pytest.mark.parametrize("kind, content, words", [
    ("GloVe", "a 1 2\nb 1\n", r"line 2, must have a word and 2 numbers, as the first has"),
    ("Vectors", "a b c\n", r"line 1, must have numbers after the word: could not convert string"),
    ("FastText", "5 3\n", "must hold vectors, but has none"),
])  # fmt: skip
def test_damaged_vectors_end_in_one_error(kind, content, words, tmp_path):
    path = tmp_path / {"GloVe": "glove.42B.txt", "FastText": "wiki.vec"}.get(kind, "a.txt")
    path.write_text(content)
    with pytest.raises(RuntimeError, match=words):
        getattr(text, kind).from_file(str(path))


def test_sequences_are_of_characters_and_not_of_bytes(tmp_path):
    (tmp_path / "a.txt").write_text("2gram-#BEGIN#床 1 3\n2gram-床#END# 3 5\n", encoding="utf-8")
    grams = text.CharNGram.from_file(str(tmp_path / "a.txt"))
    assert text.ToVectors(grams)("床").tolist() == [2, 4]


def trained(model, size, where):
    return text.SentencePieceVocab.from_file(
        [str(where / "corpus")], size, 1.0, getattr(text.SentencePieceModel, model), {}
    )


@pytest.mark.parametrize("model, size", [("UNIGRAM", 60), ("BPE", 60), ("CHAR", 40)])
def test_pieces_make_up_the_text(model, size, where):
    kind = text.SPieceTokenizerOutType
    vocab = trained(model, size, where)
    strings, numbers = (text.SentencePieceTokenizer(vocab, out) for out in (kind.STRING, kind.INT))
    for sentence in CORPUS:
        assert "".join(strings(sentence)).replace("▁", " ") == f" {sentence}"
        assert len(numbers(sentence)) == len(strings(sentence))
    several = strings(CORPUS[:2])  # a row of strings: the pieces of all
    assert several.tolist() == [*strings(CORPUS[0]), *strings(CORPUS[1])]


def test_the_pieces_of_unigrams_are_those_of_sentencepiece(where):
    import sentencepiece

    text.SentencePieceVocab.save_model(trained("UNIGRAM", 60, where), str(where), "u.model")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(where / "u.model"))
    assert processor.vocab_size() == 60
    ours = text.SentencePieceTokenizer(str(where / "u.model"), text.SPieceTokenizerOutType.INT)
    assert ours("hello world").tolist() == processor.encode("hello world")


@pytest.mark.parametrize("call, words", [
    (lambda t: t(text.SentencePieceVocab()), "must have been made by from_file or from_dataset"),
    (lambda t: t("nowhere.model"), "there must be a file 'nowhere.model'"),
    (lambda t: t(__file__), "must be a model of SentencePiece"),
])  # fmt: skip
def test_models_that_are_none(call, words):
    kind = text.SPieceTokenizerOutType.INT
    with pytest.raises(RuntimeError, match=words):
        call(lambda mode: text.SentencePieceTokenizer(mode, kind))


def test_words_of_a_dictionary_that_are_none(where, tmp_path):
    (tmp_path / "dict").write_text("a 1 n\nb\n")
    with pytest.raises(RuntimeError, match="dict', line 2, must be a word, its frequency"):
        text.JiebaTokenizer(str(where / "hmm"), str(tmp_path / "dict"))


def test_vectors_go_through_a_pipeline(where):
    lookup = text.ToVectors(text.Vectors.from_file(str(where / "plain.txt")))
    words = data.NumpySlicesDataset([["the", "ok"], ["zz", "!"]], ["text"], shuffle=False)
    (first, second) = rows(words.map(lookup, "text"))
    assert first[0][0] == [1, 2, 3] and second[0][0] == [0, 0, 0]


def test_sentences_are_counted_and_the_last_one_comes(tmp_path):
    (tmp_path / "train.txt").write_text("a B c\n\nd E f\ng H i")
    sentences = data.CoNLL2000Dataset(str(tmp_path), "train", shuffle=False)
    assert (len(sentences), rows(sentences)[1][0]) == (2, ["d", "g"])


def test_reviews_of_several_lines_are_whole(tmp_path):
    for kind, content in (("pos", "two\nlines\n"), ("neg", "")):
        (tmp_path / "train" / kind).mkdir(parents=True)
        (tmp_path / "train" / kind / "0_1.txt").write_text(content)
    reviews = data.IMDBDataset(str(tmp_path), "train", shuffle=False)
    assert rows(reviews) == [["two\nlines", 1], ["", 0]]


def test_shards_have_all_rows_of_the_files(where):
    paths = [str(where / "many" / f"{i}.txt") for i in (1, 2, 3)]
    whole = rows(data.TextFileDataset(paths, shuffle=False))
    data.config.set_seed(5)
    shards = [data.TextFileDataset(paths, num_shards=3, shard_id=i) for i in range(3)]
    assert sorted(row for shard in shards for row in rows(shard)) == sorted(whole)


def test_the_buffer_of_a_shuffle_holds_ten_thousand_rows(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("\n".join(map(str, range(20_000))))
    data.config.set_seed(1)
    shuffled = [int(row[0]) for row in rows(data.TextFileDataset(str(path)))]
    assert sorted(shuffled) == list(range(20_000))
    assert all(number < 10_000 + i for i, number in enumerate(shuffled))
    assert max(shuffled[:100]) > 9_000


def test_texts_go_through_a_pipeline_to_tensors(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("the cat\nthe black cat sat\n")
    lines = data.TextFileDataset(str(path), shuffle=False)
    words = lines.map(text.WhitespaceTokenizer(), "text")
    vocab = text.Vocab.from_dataset(words, "text", special_tokens=["<pad>", "<unk>"])
    numbers = words.map([text.Lookup(vocab, "<unk>"), text.Truncate(3)], "text")
    (batch,) = numbers.padded_batch(2, pad_info={"text": ([3], 0)}).create_tuple_iterator()
    assert batch[0].asnumpy().tolist() == [[3, 2, 0], [3, 4, 2]]
    assert batch[0].dtype == dtype.int32


@pytest.mark.parametrize("module, transform", [
    ("regex", lambda: text.RegexReplace("a+", "b")("aa")),
    ("fontTools", lambda: text.UnicodeScriptTokenizer()("\u2c00")),
    ("sentencepiece",
    lambda: text.SentencePieceTokenizer(__file__, text.SPieceTokenizerOutType.INT)),
])  # fmt: skip
def test_without_a_library_the_error_names_the_extra(module, transform, monkeypatch):
    for name in (module, f"{module}.unicodedata"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install .*\[text\]'"):
        transform()
