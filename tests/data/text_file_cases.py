"""Datasets of text files, read by MindSpore 2.10 and by sporax.

Each case is a function of a namespace with `ds` (`mindspore.dataset`) and of the folder that
`write_text_files` filled.
"""

import json

import numpy as np

NEWS = [
    ["1", "First, title", 'Some "quoted" text', "A"], ["2", "床前明月光", "疑是地上霜", "Ä"],
    ["3", "", "Émigré 🎉", ""],
]  # fmt: skip
TABLES = {  # folder -> columns
    "ag": 3, "amazon": 3, "dbpedia": 3, "sogou": 3, "yahoo": 4, "yelp": 2,
}  # fmt: skip
TALKS = {
    "de": ["<url>x</url>", "<title>T</title>", "Hallo Welt", " Zweite Zeile ", "Dritte &amp; <b>",
           "D <title> x", "<speaker>S</speaker>", "<x>y</x>", "<reviewer a>", " </doc>"],
    "en": ["<url>x</url>", "<title>T</title>", "Hello world", " Second line ", "Third &amp; <b>",
           "E <title> x", "<speaker>S</speaker>", "<x>y</x>", "<reviewer a>", " </doc>"],
}  # fmt: skip
SPANS = {"span1_index": 5, "span2_index": 9, "span1_text": "马", "span2_text": "它"}
PAIR = {"sentence1": "花呗", "sentence2": "借呗 é"}
CLUE = {  # task -> fields to train with, fields to test with
    "AFQMC": ({**PAIR, "label": "0"}, {"id": 7, **PAIR}),
    "CMNLI": ({**PAIR, "label": "neutral"}, {"id": 4, **PAIR}),
    "TNEWS": (
        {"label": "102", "label_desc": "ent", "sentence": "江", "keywords": "江,画"},
        {"id": 3, "sentence": "床", "keywords": "k"},
    ),
    "IFLYTEK": (
        {"label": "11", "label_des": "薅羊毛", "sentence": "小"}, {"id": 0, "sentence": "明月"}
    ),
    "WSC": (
        {"target": SPANS, "idx": 8, "text": "马 它", "label": "true"},
        {"target": SPANS, "idx": 8, "text": "马 它"},
    ),
    "CSL": (
        {"id": 1, "abst": "为解决", "keyword": ["水声", "滤波"], "label": "0"},
        {"id": 1, "abst": "为解决", "keyword": ["水声", "滤波"]},
    ),
}  # fmt: skip


def xml(*segments):
    listed = "".join(f'<seg id="{i}"> {text} </seg>\n' for i, text in enumerate(segments))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<mteval>\n<refset setid="x">\n'
        f'<doc docid="1">\n<talkid>1</talkid>\n{listed}</doc>\n</refset>\n</mteval>\n'
    )


def squad(version, word):
    answers = [{"text": "Bern", "answer_start": 3}, {"text": "in Bern", "answer_start": 0}]
    questions = [{"id": "a", "question": f"{word}? 🎉", "answers": answers}]
    if version == 2:
        questions.append({"id": "b", "question": "Why?", "answers": [], "is_impossible": True})
    paragraph = {"context": "in Bern é 床", "qas": questions}
    data = [{"title": "t", "paragraphs": [paragraph, paragraph]}]
    return json.dumps({"version": f"v{version}.0", "data": data})


PLAIN = {
    "lines/a.txt": "one\ntwo\n\n  three  \n床前\n", "lines/b.txt": "uno\n\ndos",
    "lines/d.txt": "\n\n", "lines/e.txt": "", "many/1.txt": "1a\n1b\n1c\n", "many/2.txt": "2a\n",
    "many/3.txt": "3a\n3b\n3c\n3d\n3e\n", "nothing/x": "",
    **{f"single/{i}.txt": f"{i}\n" for i in range(8)},
    "csv/plain.csv": "1,2.5,abc\n2,3.5,床\n3,-1e2,é\n",
    "csv/head.csv": "a,b,c\n1,2.5,d\n2,3.5,x y\n",
    "csv/quotes.csv": 'a,b\n"x,y","he said ""hi"""\n"two\nlines",z\n" ",""\n,\n',
    "csv/tab.csv": "1\t2\n3\t4\n", "csv/short.csv": "1,2,3\n4,5\n",
    "csv/long.csv": "1,2,3\n4,5,6,7\n",
    "csv/text.csv": "1,2,3\nx,5,6\n", "csv/blank.csv": "1,2\n\n3,4\n",
    "csv/crlf.csv": "1,2\r\n3,4\r\n",
    "csv/open.csv": 'a,b\n"x,y\n', "csv/empty.csv": "", "csv/holes.csv": "1,,3\n,5,\n",
    "csv/noend.csv": "1,2\n3,4", "csv/after.csv": '"a"b,c\n', "csv/spaces.csv": " 1 , 2\n",
    "csv/headonly.csv": "a,b\n", "csv/large.csv": "99999999999,1\n",
    "sst2/train.tsv": "sentence\tlabel\nhide new secretions \t0\ngood é\t1\n",
    "sst2/dev.tsv": "sentence\tlabel\nfine\t1\n",
    "sst2/test.tsv": "index\tsentence\n0\tuneasy\n1\tso\n",
    "conll/train.txt": "Rock NN B-NP\nis VBZ B-VP\n. . O\n\nIt PRP B-NP\nis VBZ B-VP\n\n",
    "conll/test.txt": "He PRP B-NP\n床 NN O\n\n",
    "udpos/en-ud-tag.v2.train.txt": "Al\tPROPN\tNNP\n-\tPUNCT\tHYPH\n\nHi\tINTJ\tUH\n\n",
    "udpos/en-ud-tag.v2.dev.txt": "A\tDET\tDT\n\nB\tX\tY\n\n",
    "udpos/en-ud-tag.v2.test.txt": "C\tDET\tDT\n\n", "ptb/ptb.train.txt": " a b <unk> \n c d \n\n",
    "ptb/ptb.valid.txt": " e f \n", "ptb/ptb.test.txt": " g h \n i j \n",
    "wiki/wiki.train.tokens": " \n = Robert = \n \n Robert <unk> is\n",
    "wiki/wiki.valid.tokens": " = V = \n", "wiki/wiki.test.tokens": " t é\n",
    "enwik/enwik9": "<page>\n  <title>A</title>\n\n </page>\nText é\n",
    "multi/training/train.en": "A man.\n\nTwo men.\n",
    "multi/training/train.de": "Ein Mann.\n\nZwei.\n",
    "multi/validation/val.en": "V\n", "multi/validation/val.de": "Ü\n",
    "multi/mmt16_task1_test/test.en": "T\n", "multi/mmt16_task1_test/test.de": "Tee\n",
    "imdb/train/pos/0_9.txt": "Great é 🎉", "imdb/train/pos/10_7.txt": "lines<br />",
    "imdb/train/pos/1_7.txt": "third", "imdb/train/neg/0_3.txt": "Bad\n",
    "imdb/train/unsup/0.txt": "?",
    "imdb/test/pos/0_10.txt": "床", "imdb/test/neg/0_2.txt": "no", "broken/train.csv": '"1","a"\n',
    "broken/train-v1.1.json": '{"version": 1', "broken/dev-v1.1.json": "{}",
    "broken/clue2.json": "{\n",
    "broken/clue.json": '{"sentence1": "a"}\n',
}  # fmt: skip


def contents():
    """Return {path: text} of the files of all datasets."""
    files = dict(PLAIN)
    for version, word in ((1, "Where"), (2, "When")):
        for part in ("train", "dev"):
            files[f"squad{version}/{part}-v{version}.{2 - version}.json"] = squad(
                version, f"{word} {part}"
            )
    for name, width in TABLES.items():
        rows = [",".join('"' + x.replace('"', '""') + '"' for x in row[:width]) for row in NEWS]
        files[f"{name}/train.csv"] = "".join(f"{row}\n" for row in rows)
        files[f"{name}/test.csv"] = rows[1] + "\n"
    for task, (train, test) in CLUE.items():
        for usage, row in (("train", train), ("eval", train), ("test", test)):
            both = json.dumps(row, ensure_ascii=False), json.dumps(row)
            files[f"clue/{task}.{usage}.json"] = "".join(f"{line}\n" for line in both)
    folders = "16/texts/de/en/de-en", "17/texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"
    for folder in folders:
        for language, talk in TALKS.items():
            files[f"iwslt20{folder}/train.tags.de-en.{language}"] = "\n".join(talk) + "\n"
            for part in ("dev2010", "tst2010", "tst2013", "tst2014"):
                name = f"IWSLT{folder[:2]}.TED.{part}.de-en.{language}.xml"
                text = xml(f"{part} {language} é", "second &amp; x")
                files[f"iwslt20{folder}/{name}"] = text
    return files


def write_text_files(folder):
    """Write small files in the formats of the datasets."""
    for name, text in contents().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def readable(array):
    return [array.dtype.kind, array.dtype.itemsize * (array.dtype.kind != "U"), array.tolist()]


def summary(data):
    """Return columns, size, kinds of dtypes, and rows."""
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return (
        data.get_col_names(), data.get_dataset_size(),
        [np.dtype(kind).kind for kind in data.output_types()],
        [[readable(array) for array in row] for row in rows],
    )  # fmt: skip


def of(name, files, *args, seed=None, sampler=None, epochs=1, level=None, sized=True, **options):
    """A summary of the data set `name`; with `epochs`, the strings of the rows of each."""

    def case(ms, where):
        if seed is not None:
            ms.ds.config.set_seed(seed)
        chosen = dict(options)
        if sampler is not None:
            chosen["sampler"] = sampler(ms.ds)
        if level is not None:
            chosen["shuffle"] = getattr(ms.ds.Shuffle, level)
        if name != "IMDBDataset":  # several workers mix the files' rows
            chosen["num_parallel_workers"] = 1
        several = isinstance(files, list)
        paths = [str(where / path) for path in files] if several else str(where / files)
        data = getattr(ms.ds, name)(paths, *args, **chosen)
        if epochs > 1:
            rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
            return [[[str(x) for x in row] for row in rows] for _ in range(epochs)]
        return summary(data) if sized else summary(data)[2:]

    return case


still = {"shuffle": False}
TEXT = "TextFileDataset"
MANY = ["many/1.txt", "many/2.txt", "many/3.txt"]
FILES = {
    "lines": of(TEXT, "lines/a.txt", **still),
    "lines of files": of(TEXT, ["lines/a.txt", "lines/b.txt"], **still),
    "lines of a pattern": of(TEXT, "lines/[ab].txt", **still),
    "lines of nowhere": of(TEXT, "lines/zz.txt"), "lines of no files": of(TEXT, []),
    "lines of a folder": of(TEXT, "lines"), "lines of nothing": of(TEXT, "lines/e.txt", **still),
    "lines of blanks": of(TEXT, "lines/d.txt", **still),
    "files turned": of(TEXT, MANY[::-1], **still), "a file twice": of(TEXT, [MANY[0]] * 2, **still),
    "samples": of(TEXT, MANY, 4, **still), "samples shuffled": of(TEXT, MANY, 4, seed=3),
    "shuffled": of(TEXT, MANY, seed=3, epochs=3),
    "shuffle True": of(TEXT, MANY, seed=4, shuffle=True),
    "shuffle None": of(TEXT, MANY, seed=4, shuffle=None),
    "shuffle GLOBAL": of(TEXT, MANY, seed=5, epochs=4, level="GLOBAL"),
    "shuffle FILES": of(TEXT, MANY, seed=5, epochs=4, level="FILES"),
    "files of shards": of(TEXT, MANY, seed=5, epochs=4, level="FILES", num_shards=2, shard_id=1),
    "rows of shards": of(TEXT, MANY, seed=5, epochs=3, num_shards=2, shard_id=1),
    "single rows": of(TEXT, "single/*.txt", seed=5),
    "single rows of shards": of(TEXT, "single/*.txt", seed=6, num_shards=3, shard_id=2),
    "shuffle of a text": of(TEXT, MANY, shuffle="x"), "shuffle of 3": of(TEXT, MANY, shuffle=3),
    "a number": lambda ms, where: summary(ms.ds.TextFileDataset(3)),
    "samples 0": of(TEXT, MANY, 0, **still), "samples below 0": of(TEXT, MANY, -1, **still),
    "samples of a text": of(TEXT, MANY, "a", **still), "shards alone": of(TEXT, MANY, num_shards=2),
    "a shard outside": of(TEXT, MANY, num_shards=2, shard_id=2),
    "a shard alone": of(TEXT, MANY, shard_id=1),
}  # fmt: skip
for count in (2, 3, 4, 12):
    for i in range(count):
        part = {"num_shards": count, "shard_id": i, **still}
        FILES[f"shard {i} of {count}"] = of(TEXT, MANY, **part)
        FILES[f"samples of shard {i} of {count}"] = of(TEXT, MANY, 2, **part)

CSV = "CSVDataset"
for name in ("plain", "head", "quotes", "short", "long", "blank", "crlf", "open", "empty", "holes",
             "noend", "after", "spaces", "headonly"):  # fmt: skip
    FILES[f"csv {name}"] = of(CSV, f"csv/{name}.csv", **still)
three = {"column_names": ["x", "y", "z"], **still}
two = {"column_names": ["x", "y"], **still}
for label, path, options in [
    ("named", "plain", three), ("typed", "plain", {"column_defaults": [1, 2.0, ""], **three}),
    ("typed more", "plain", {"column_defaults": [1, 2.0, "", 3], **three}),
    ("typed less", "plain", {"column_defaults": [1], **three}),
    ("text as int", "text", {"column_defaults": [1, 1, 1], **three}),
    ("holes as int", "holes", {"column_defaults": [7, 8, 9], **three}),
    ("holes named", "holes", three), ("tab", "tab", {"field_delim": "\t", **two}),
    ("two delimiters", "tab", {"field_delim": ",,", **two}), ("short named", "short", three),
    ("quote", "tab", {"field_delim": '"', **two}), ("no delimiter", "tab", {"field_delim": "",
    **two}),
    ("long named", "long", three), ("names number", "tab", {"column_names": [1]}),
    ("typed None", "tab", {"column_defaults": [None]}), ("quotes named", "quotes", two),
    ("typed text", "tab", {"column_defaults": "a"}), ("large", "large", {"column_defaults": [1],
    **two}),
    ("bool", "spaces", {"column_defaults": [1.0, True], **two}), ("open named", "open", two),
    ("shuffled", "plain", {"column_names": ["x", "y", "z"], "seed": 3}), ("blank named", "blank",
    two),
    ("samples", "plain", {"num_samples": 2, **three}), ("empty named", "empty", two),
    ("shards", "plain", {"num_shards": 2, "shard_id": 1, **three}), ("nowhere", "zz", {}),
    ("crlf named", "crlf", {"column_defaults": [1, 1], **two}), ("after named", "after", two),
    ("noend named", "noend", two), ("one column", "plain", {"field_delim": ";",
    "column_names": ["x"],
     **still}),
]:  # fmt: skip
    FILES[f"csv {label} of {path}"] = of(CSV, f"csv/{path}.csv", **options)
both = ["csv/head.csv", "csv/plain.csv"]
FILES["csv other heads"] = of(CSV, both, **still)
FILES["csv files named"] = of(CSV, both, **three)
FILES["csv same heads"] = of(CSV, [both[0]] * 2, **still)

NAMED = {
    "AGNewsDataset": ("ag", "train test all"), "AmazonReviewDataset": ("amazon", "train test all"),
    "DBpediaDataset": ("dbpedia", "train test all"), "SogouNewsDataset": ("sogou",
    "train test all"),
    "YahooAnswersDataset": ("yahoo", "train test all"), "YelpReviewDataset": ("yelp",
    "train test all"),
    "CoNLL2000Dataset": ("conll", "train test all"), "UDPOSDataset": ("udpos",
    "train valid test all"),
    "PennTreebankDataset": ("ptb", "train valid test all"), "SQuADDataset": ("squad1",
    "train dev all"),
    "WikiTextDataset": ("wiki", "train valid test all"), "IMDBDataset": ("imdb", "train test all"),
    "SST2Dataset": ("sst2", "train test dev all"), "Multi30kDataset": ("multi",
    "train valid test all"),
    "IWSLT2016Dataset": ("iwslt2016", "train valid test all"),
    "IWSLT2017Dataset": ("iwslt2017", "train valid test all"),
}  # fmt: skip
ENDS_MINDSPORE = "DBpediaDataset", "SogouNewsDataset", "YahooAnswersDataset"  # of files not there
for name, (folder, usages) in NAMED.items():
    words = name in ("CoNLL2000Dataset", "UDPOSDataset")  # MindSpore's size is that of lines
    for usage in [*usages.split(), None, "other"]:
        FILES[f"{name} {usage}"] = of(name, folder, usage, sized=not words, **still)
    if not words:  # nor is the buffer of a shuffle
        FILES[f"{name} shuffled"] = of(name, folder, seed=3)
    FILES[f"{name} one"] = of(name, folder, num_samples=1, **still)
    if not words and folder not in TABLES:  # MindSpore cuts rows there
        FILES[f"{name} shard"] = of(name, folder, num_shards=2, shard_id=1, **still)
    FILES[f"{name} nowhere"] = of(name, "nowhere")
    if name not in ENDS_MINDSPORE:
        FILES[f"{name} of nothing"] = of(name, "nothing", **still)
    if folder in TABLES or folder == "squad1":
        FILES[f"{name} broken"] = of(name, "broken", "train", **still)
for usage in ("train", "dev", "all"):
    FILES[f"SQuAD2 {usage}"] = of("SQuADDataset", "squad2", usage, **still)
WIK, IMDB = "EnWik9Dataset", "IMDBDataset"
PAIRS, TED, TED17 = "Multi30kDataset", "IWSLT2016Dataset", "IWSLT2017Dataset"
FILES |= {
    "SQuAD without data": of("SQuADDataset", "broken", "dev", **still),
    "usage 3": of("AGNewsDataset", "ag", 3), "enwik": of(WIK, "enwik", sized=False, **still),
    "enwik shuffled": of(WIK, "enwik", seed=3, sized=False),
    "enwik one": of(WIK, "enwik", 1, **still), "enwik of nothing": of(WIK, "nothing"),
    "enwik nowhere": of(WIK, "nowhere"),
    "imdb sampler": of(IMDB, "imdb", sampler=lambda ds: ds.SubsetSampler([3, 1])),
    "imdb classes": lambda ms, where: ms.ds.IMDBDataset(str(where / "imdb")).num_classes(),
    "imdb shuffle": of(IMDB, "imdb", shuffle="global"),
    "imdb both": of(IMDB, "imdb", shuffle=True, sampler=lambda ds: ds.SequentialSampler()),
    "pair": of(PAIRS, "multi", "train", ("de", "en"), **still),
    "pair as list": of(PAIRS, "multi", "train", ["de", "en"], **still),
    "pair other": of(PAIRS, "multi", "train", ["de", "fr"]),
    "pair of three": of(PAIRS, "multi", "train", ["de", "en", "fr"]),
    "pair of text": of(PAIRS, "multi", "train", "de"), "pairs level": of(PAIRS, "multi",
    level="FILES"),
    "talks": of(TED, "iwslt2016", "train", ["de", "en"], **still),
    "talks absent": of(TED, "iwslt2016", "train", ("en", "de"), **still),
    "talks of others": of(TED, "iwslt2016", "train", ["de", "nl"]),
    "talks of sets": of(TED, "iwslt2016", "all", None, "dev2010", "tst2010", **still),
    "talks of another set": of(TED, "iwslt2016", "all", None, "dev2011"),
    "talks of text": of(TED, "iwslt2016", "train", "de"),
    "talks 17 absent": of(TED17, "iwslt2017", "train", ("en", "nl"), **still),
    "talks 17 of others": of(TED17, "iwslt2017", "train", ("en", "fr")),
}  # fmt: skip
for task in CLUE:
    for usage in ("train", "eval", "test"):
        path = f"clue/{task}.{usage}.json"
        FILES[f"clue {task} {usage}"] = of("CLUEDataset", path, task, usage, **still)
for label, path, *args in [
    ("task", "clue/CSL.test.json", "X"), ("usage", "clue/CSL.test.json", "CSL", "dev"),
    ("lacking", "broken/clue.json"), ("broken", "broken/clue2.json"), ("nowhere", "clue/zz"),
    ("another", "clue/CSL.train.json", "WSC"),
]:  # fmt: skip
    FILES[f"clue {label}"] = of("CLUEDataset", path, *args, **still)
FILES["clue shard"] = of("CLUEDataset", "clue/CSL.train.json", "CSL", num_shards=2, shard_id=1)
