"""SentencePiece subword models (Kudo and Richardson 2018), by the library sentencepiece."""

import io
from pathlib import Path

import numpy as np

from sporax._src.core.signature_errors import fitting
from sporax._src.diagnosis.argument_kinds import DICT, FLOAT, STR, instance_of, member_of
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data.dataset import column_indices, names
from sporax.data.text.enums import SentencePieceModel, SPieceTokenizerOutType
from sporax.data.text.strings import TextTensorOperation, as_strings, row_of_strings
from sporax.data.text_lines import lines
from sporax.io import atomic_write, untrusted_file


def _library():
    """Import the optional module sentencepiece."""
    try:
        import sentencepiece
    except ModuleNotFoundError:
        raise rejection("sporax-needs-library-sentencepiece") from None
    return sentencepiece


class SentencePieceVocab:
    """A subword model, trained by `from_file` or `from_dataset`.

    `vocab_size`: the number of pieces. `character_coverage`: the fraction of characters that are
    covered, 0.9995 for Chinese and Japanese, 1.0 for others. `model_type`: a member of
    `SentencePieceModel`. `params`: other options of SentencePiece's trainer. Requires the library
    sentencepiece: `pip install 'sporax[text]'`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = path.write_text("low lower lowest\\nnew newer newest\\n" * 9)
    >>> vocab = SentencePieceVocab.from_file([str(path)], 14, 1.0, SentencePieceModel.CHAR, {})
    >>> SentencePieceTokenizer(vocab, SPieceTokenizerOutType.STRING)("low").tolist()
    ['▁', 'l', 'o', 'w']
    """

    def __init__(self):
        self._content = None

    @classmethod
    @fitting
    def from_file(cls, file_path, vocab_size, character_coverage, model_type, params):
        """Train a model on the lines of files; `file_path`: a list of their paths."""
        who = "SentencePieceVocab.from_file"
        require(isinstance(file_path, list), "list-paths", who, file_path=file_path)
        sentences = (line for path in file_path for line in lines(who, path))
        options = vocab_size, character_coverage, model_type, params
        return cls._trained(who, sentences, file_path, *options)

    @classmethod
    @fitting
    def from_dataset(cls, dataset, col_names, vocab_size, character_coverage, model_type, params):
        """Train a model on the strings in columns of a dataset."""
        who = "SentencePieceVocab.from_dataset"
        indices = column_indices(who, dataset, names(who, col_names))
        sentences = (
            sentence
            for row in dataset._begin()()
            for i in indices
            for sentence in as_strings(who, row[i]).ravel().tolist()
        )
        options = vocab_size, character_coverage, model_type, params
        return cls._trained(who, sentences, col_names, *options)

    @classmethod
    @fitting
    def _trained(
        cls, who, sentences, source, vocab_size, character_coverage, model_type, params
    ):  # fmt: skip
        check.UINT32(who, vocab_size=vocab_size)
        FLOAT(who, character_coverage=character_coverage)
        member_of(SentencePieceModel)(who, model_type=model_type)
        DICT(who, params=params)
        vocab, model = cls(), io.BytesIO()
        try:
            _library().SentencePieceTrainer.train(
                sentence_iterator=iter(sentences), model_writer=model, vocab_size=vocab_size,
                character_coverage=character_coverage, model_type=model_type.name.lower(),
                minloglevel=2, **params,
            )  # fmt: skip
        except (OSError, ValueError, RuntimeError) as error:
            fields = {"vocab_size": vocab_size, "character_coverage": character_coverage}
            fields |= {"source": source, "params": params, "cause": error}
            raise rejection("model-cannot-be-trained", who, **fields) from None
        vocab._content = model.getvalue()
        return vocab

    @classmethod
    @fitting
    def save_model(cls, vocab, path, filename):
        """Write the model `vocab` to the file `filename` in the folder `path`."""
        who = "SentencePieceVocab.save_model"
        instance_of(SentencePieceVocab)(who, vocab=vocab)
        folder = Path(STR.checked(who, "path", path))
        require(folder.is_dir(), "folder", who, path=path)
        path = folder / STR.checked(who, "filename", filename)
        with atomic_write.errors_named(who, path):
            atomic_write.write(path, vocab._trained_content(who))

    def _trained_content(self, who):
        require(self._content is not None, "sentencepiecevocab-been-made-from-file", who)
        return self._content


class SentencePieceTokenizer(TextTensorOperation):
    """Splits a string into the pieces of a SentencePiece model, or their ids, Int32.

    `mode`: a `SentencePieceVocab`, or the path of a model file. `out_type`:
    SPieceTokenizerOutType.STRING or INT. Requires the library sentencepiece:
    `pip install 'sporax[text]'`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = path.write_text("low lower lowest\\nnew newer newest\\n" * 9)
    >>> vocab = SentencePieceVocab.from_file([str(path)], 14, 1.0, SentencePieceModel.CHAR, {})
    >>> SentencePieceTokenizer(vocab, SPieceTokenizerOutType.INT)("low").dtype
    dtype('int32')
    """

    def __init__(self, mode, out_type):
        is_one = isinstance(mode, (str, SentencePieceVocab))
        require(is_one, "sentencepiecevocab-path", self._who, mode=mode)
        self.out_type = member_of(SPieceTokenizerOutType).checked(self._who, "out_type", out_type)
        if isinstance(mode, str):
            is_file = Path(mode).is_file()
            require(is_file, "there-must-be-file", self._who, path=mode, error=RuntimeError)
            content = untrusted_file.content(mode)
        else:
            content = mode._trained_content(self._who)
        self.mode = mode
        try:
            self._processor = _library().SentencePieceProcessor(model_proto=content)
            self._processor.encode("a")  # some damage is detected only here
        except (RuntimeError, *untrusted_file.MALFORMED) as error:
            raise rejection("model-sentencepiece", self._who, argument=mode, cause=error) from None

    def __call__(self, text):
        row = np.atleast_1d(row_of_strings(self._who, text, (0, 1))).tolist()
        kind = str if self.out_type is SPieceTokenizerOutType.STRING else int
        pieces = [piece for each in row for piece in self._processor.encode(each, out_type=kind)]
        return np.array(pieces, np.str_ if kind is str else np.int32)


__all__ = ["SentencePieceTokenizer", "SentencePieceVocab"]
