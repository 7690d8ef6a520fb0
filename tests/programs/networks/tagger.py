"""A tagger: embeddings, a bidirectional LSTM, and a conditional random field over the tags."""

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore.common.initializer import Uniform, initializer


def compute_score(emissions, tags, seq_ends, mask, trans, start_trans, end_trans):
    seq_length, batch_size = tags.shape
    mask = mask.astype(emissions.dtype)
    places = ms.numpy.arange(batch_size)
    score = start_trans[tags[0]]
    score += emissions[0, places, tags[0]]
    for i in range(1, seq_length):
        score += trans[tags[i - 1], tags[i]] * mask[i]
        score += emissions[i, places, tags[i]] * mask[i]
    last_tags = tags[seq_ends, places]
    score += end_trans[last_tags]
    return score


def compute_normalizer(emissions, mask, trans, start_trans, end_trans):
    seq_length = emissions.shape[0]
    score = start_trans + emissions[0]
    for i in range(1, seq_length):
        next_score = score.expand_dims(2) + trans + emissions[i].expand_dims(1)
        next_score = ops.logsumexp(next_score, 1)
        score = ops.where(mask[i].expand_dims(1), next_score, score)
    return ops.logsumexp(score + end_trans, 1)


def viterbi_decode(emissions, mask, trans, start_trans, end_trans):
    score = start_trans + emissions[0]
    history = ()
    for i in range(1, emissions.shape[0]):
        next_score = score.expand_dims(2) + trans + emissions[i].expand_dims(1)
        history += (next_score.argmax(axis=1),)
        score = ops.where(mask[i].expand_dims(1), next_score.max(axis=1), score)
    return score + end_trans, history


def sequence_mask(seq_length, max_length, batch_first=False):
    range_vector = ops.arange(0, max_length, 1, dtype=seq_length.dtype)
    result = range_vector < seq_length.view(seq_length.shape + (1,))
    if batch_first:
        return result.astype(ms.int64)
    return result.astype(ms.int64).swapaxes(0, 1)


class CRF(nn.Cell):
    def __init__(self, num_tags, batch_first=False, reduction="sum"):
        super().__init__()
        if num_tags <= 0:
            raise ValueError(f"invalid number of tags: {num_tags}")
        if reduction not in ["none", "sum", "mean"]:
            raise ValueError(f"invalid reduction: {reduction}")
        self.num_tags, self.batch_first, self.reduction = num_tags, batch_first, reduction
        self.start_transitions = ms.Parameter(
            initializer(Uniform(0.1), (num_tags,)), name="start_transitions"
        )
        self.end_transitions = ms.Parameter(
            initializer(Uniform(0.1), (num_tags,)), name="end_transitions"
        )
        self.transitions = ms.Parameter(
            initializer(Uniform(0.1), (num_tags, num_tags)), name="transitions"
        )

    def construct(self, emissions, tags=None, seq_length=None):
        if tags is None:
            return self._decode(emissions, seq_length)
        return self._forward(emissions, tags, seq_length)

    def _forward(self, emissions, tags=None, seq_length=None):
        if self.batch_first:
            tags = tags.swapaxes(0, 1)
            emissions = emissions.swapaxes(0, 1)
        max_length, batch_size = emissions.shape[:2]
        if seq_length is None:
            seq_length = ops.full((batch_size,), max_length, dtype=ms.int64)
        mask = sequence_mask(seq_length, max_length).astype(ms.bool_)
        rest = (self.transitions, self.start_transitions, self.end_transitions)
        numerator = compute_score(emissions, tags, seq_length - 1, mask, *rest)
        denominator = compute_normalizer(emissions, mask, *rest)
        llh = denominator - numerator
        if self.reduction == "none":
            return llh
        if self.reduction == "sum":
            return llh.sum()
        return llh.mean()

    def _decode(self, emissions, seq_length=None):
        if self.batch_first:
            emissions = emissions.swapaxes(0, 1)
        mask = sequence_mask(seq_length, emissions.shape[0]).astype(ms.bool_)
        rest = (self.transitions, self.start_transitions, self.end_transitions)
        return viterbi_decode(emissions, mask, *rest)


class BiLSTM_CRF(nn.Cell):
    def __init__(self, vocab_size, embedding_dim, hidden_dim, num_tags, padding_idx=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_dim, padding_idx=padding_idx)
        self.lstm = nn.LSTM(
            embedding_dim, hidden_dim // 2, num_layers=2, bidirectional=True, batch_first=True
        )
        self.hidden2tag = nn.Dense(hidden_dim, num_tags, "he_uniform")
        self.crf = CRF(num_tags, batch_first=True)

    def construct(self, inputs, seq_length, tags=None):
        embeds = self.embedding(inputs)
        outputs, _ = self.lstm(embeds, seq_length=seq_length)
        feats = self.hidden2tag(outputs)
        return self.crf(feats, tags, seq_length)


def build():
    return BiLSTM_CRF(vocab_size=20, embedding_dim=6, hidden_dim=8, num_tags=5)


def forward(net, inputs, seq_length, tags):
    score, history = net(inputs, seq_length)
    return score, ops.stack(history).astype(ms.float32), net(inputs, seq_length, tags)


def batch(step):
    rng = np.random.default_rng([11, step])
    words = rng.integers(1, 20, (3, 6)).astype(np.int32)
    lengths = np.array([6, 3, 4], np.int32)
    words[np.arange(6) >= lengths[:, None]] = 0
    return words, lengths, rng.integers(0, 5, (3, 6)).astype(np.int32)


def training(net):
    net.set_train()
    optimizer = nn.SGD(net.trainable_params(), learning_rate=0.01, weight_decay=1e-4)
    grad_fn = ms.value_and_grad(net, None, optimizer.parameters)

    def train_step(data, seq_length, label):
        loss, grads = grad_fn(data, seq_length, label)
        optimizer(grads)
        return loss

    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
