"""Classify the sentiment of sentences about films with the text operations of `dataset`.

The sentences are generated: a positive one contains praise or negated blame ("not dull"), a
negative one blame or negated praise, so single words do not determine the class. The pipeline is
the same as for real texts: a tokenizer, a vocabulary from the training sentences, `Lookup`,
`PadEnd`, batches; the network embeds the words and processes them with an LSTM.

    sporax run examples/sentiment.py --out outputs

8 epochs take about seven seconds on two cores. It prints the accuracy on held-out sentences and
writes `sentiment.txt`: some of them, each with the probability that it is positive.
"""

import argparse
import time
from pathlib import Path

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import text, transforms

LENGTH = 14  # words; shorter sentences are padded
SUBJECTS = ["the film", "this story", "the actor", "her last scene", "the music", "his long speech"]
MANNERS = ["really", "quite", "in my view", "at times", "from start to end", "in the end"]
PRAISE = ["wonderful", "moving", "clever", "funny", "beautiful", "bright", "fresh", "strong"]
BLAME = ["dull", "clumsy", "boring", "ugly", "weak", "stale", "awful", "pointless"]


def generate(count, rng):
    """Sentences and labels, 1 for positive."""
    sentences, labels = [], rng.integers(0, 2, count).astype(np.int32)
    for glad in labels:
        denied = rng.random() < 0.5
        word = rng.choice(PRAISE if glad != denied else BLAME)
        verb = "was not" if denied else "was"
        parts = [rng.choice(SUBJECTS), verb, rng.choice(MANNERS), word]
        if rng.random() < 0.5:  # the adverb may also start the sentence
            parts = [parts[2] + ",", parts[0], verb, word]
        sentences.append(" ".join(parts))
    return np.array(sentences), labels


def tokenize():
    """Lower case, split into words without commas."""
    return [text.PythonTokenizer(lambda line: np.array(str(line).replace(",", " ,").split()))]


def pipeline(sentences, labels, vocabulary, size, shuffle):
    """Batches of word numbers (batch, LENGTH), word counts and labels."""
    data = ds.NumpySlicesDataset((sentences, labels), ["text", "label"], shuffle=shuffle)
    operations = [
        *tokenize(),
        text.Lookup(vocabulary, unknown_token="<unknown>"),
        transforms.PadEnd([LENGTH], vocabulary.tokens_to_ids("<pad>")),
    ]
    return data.map(operations, input_columns=["text"]).batch(size, drop_remainder=shuffle)


def build_vocabulary(sentences):
    data = ds.NumpySlicesDataset(sentences, ["text"], shuffle=False)
    data = data.map(tokenize(), input_columns=["text"])
    return text.Vocab.from_dataset(data, "text", special_tokens=["<pad>", "<unknown>"])


class Reader(nn.Cell):
    """Word numbers, (batch, LENGTH), to two logits; padding is ignored."""

    def __init__(self, words, pad, width=24):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(words, width, embedding_table="xavier_uniform")
        self.read = nn.LSTM(width, width, batch_first=True, bidirectional=True)
        self.classify = nn.Dense(2 * width, 2)

    def construct(self, words):
        states, _ = self.read(self.embed(words))
        padded = (words == self.pad).expand_dims(-1)
        return self.classify(ops.masked_fill(states, padded, -1e4).max(axis=1))


def train(net, data, epochs):
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
    loss_fn = nn.CrossEntropyLoss()
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    for epoch in range(1, epochs + 1):
        losses = []
        for words, labels in data.create_tuple_iterator():
            loss, gradients = gradient(words, labels)
            optimizer(gradients)
            losses.append(loss)
        mean = float(ops.stack(losses).mean())
        print(f"epoch {epoch:2d}/{epochs}  loss {mean:.4f}")


def predict(net, data):
    """The probability that each sentence is positive."""
    batches = [ops.softmax(net(words), axis=-1)[:, 1] for words, _ in data.create_tuple_iterator()]
    return np.concatenate([batch.asnumpy() for batch in batches])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--sentences", type=int, default=1600)
    parser.add_argument("--out", type=Path, default=Path("outputs"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    ms.set_seed(0)
    sentences, labels = generate(options.sentences, np.random.default_rng(0))
    unseen, held_out = generate(600, np.random.default_rng(1))
    new = ~np.isin(unseen, sentences)
    unseen, held_out = unseen[new], held_out[new]
    vocabulary = build_vocabulary(sentences)
    print(f"{len(sentences)} sentences, {len(vocabulary.vocab())} words, such as: {sentences[0]}")
    net = Reader(len(vocabulary.vocab()), vocabulary.tokens_to_ids("<pad>"))
    start = time.perf_counter()
    train(net, pipeline(sentences, labels, vocabulary, 32, shuffle=True), options.epochs)
    seconds = time.perf_counter() - start
    glad = predict(net, pipeline(unseen, held_out, vocabulary, 50, shuffle=False))
    lines = [f"{p:7.2%}  {sentence}" for p, sentence in zip(glad, unseen, strict=True)]
    (options.out / "sentiment.txt").write_text("\n".join(lines[:40]) + "\n", encoding="utf-8")
    print("\n".join(["glad", *lines[:8]]))
    right = (glad > 0.5) == held_out
    print(f"{options.epochs} epochs in {seconds:.1f} s; held-out accuracy {right.mean():.2%}")


if __name__ == "__main__":
    main()
