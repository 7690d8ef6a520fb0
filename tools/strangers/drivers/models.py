"""Networks of mindspore/models in small sizes: output, loss, gradients and three steps."""

import importlib
import sys
import types
from types import SimpleNamespace

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn
from strangers_numbers import compare, integers, uniform


def _load(monkeypatch, folder, module, *arguments):
    """Import a module of a folder whose package is `src`, without `src/__init__.py`."""
    for name in [n for n in sys.modules if n.split(".")[0] == "src"]:
        del sys.modules[name]
    sys.modules["src"] = package = types.ModuleType("src")
    package.__path__ = [f"official/{folder}/src"]
    monkeypatch.setattr(sys, "argv", ["train.py", *arguments])
    return importlib.import_module(module)


@pytest.fixture
def load(monkeypatch):
    def load(*arguments):
        return _load(monkeypatch, *arguments)

    return load


def _logits_loss(outputs):
    return nn.CrossEntropyLoss()(outputs, integers("labels", 10, outputs.shape[0]))


@pytest.mark.parametrize("name", ["resnet18", "se_resnet50"])
def test_resnet(load, name):
    net = getattr(load("cv/ResNet", "src.resnet"), name)(10)
    compare(name, net, uniform("image", 4, 3, 64, 64), loss=_logits_loss)


@pytest.mark.parametrize("name", ["UNet", "NestedUNet"])
def test_unet(load, name):
    module = load("cv/Unet", "src.unet_nested.unet_model")
    compare(name, getattr(module, name)(1, 2, feature_scale=8), uniform("image", 1, 1, 64, 64))


def test_unet_medical(load):
    net = load("cv/Unet", "src.unet_medical.unet_parts").DoubleConv(1, 8)
    compare("DoubleConv", net, uniform("image", 1, 1, 64, 64))


def test_ssd_mobilenet_v2(load):
    ssd = load("cv/SSD", "src.ssd")
    config = importlib.import_module("src.model_utils.config").config
    config.num_ssd_boxes = sum(
        size * size * n for size, n in zip(config.feature_size, config.num_default, strict=True)
    )
    net = ssd.SSD300(ssd.ssd_mobilenet_v2(), config)
    compare("ssd_mobilenet_v2", net, uniform("image", 1, 3, 300, 300), is_training=False)


def test_cyclegan_resnet(load):
    net = load("cv/CycleGAN", "src.models.resnet").ResNetGenerator(3, 8, 2, norm_mode="instance")
    compare("ResNetGenerator", net, uniform("image", 1, 3, 64, 64))


def test_cyclegan_unet(load):
    net = load("cv/CycleGAN", "src.models.unet").UnetGenerator(3, 3, 4, 5)
    compare("UnetGenerator", net, uniform("image", 2, 3, 64, 64))


def test_cyclegan_discriminator(load):
    net = load("cv/CycleGAN", "src.models.cycle_gan").Discriminator(3, 8)
    compare("Discriminator", net, uniform("image", 2, 3, 64, 64))


def test_swin(load):
    config = "official/cv/SwinTransformer/src/configs/swin_tiny_patch4_window7_224.yaml"
    module = load(
        "cv/SwinTransformer", "src.models.swintransformer.swin_transformer",
        "--swin_config", config, "--device_target", "CPU",
    )  # fmt: skip
    net = module.SwinTransformer(
        image_size=56, embed_dim=24, depths=[2, 2], num_heads=[2, 4], num_classes=10,
        drop_path_rate=0.0,
    )  # fmt: skip
    compare("SwinTransformer", net, uniform("image", 2, 3, 56, 56), loss=_logits_loss)


def _bert_config(module):
    return module.BertConfig(
        seq_length=16, vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=32, type_vocab_size=2,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip


def test_bert(load):
    module = load("nlp/Bert", "src.bert_model")
    net = module.BertModel(_bert_config(module), True)
    ids, mask = integers("ids", 100, 2, 16), Tensor(np.ones((2, 16)), ms.int32)
    compare("BertModel", net, ids, integers("types", 2, 2, 16), mask)


def test_bert_pretraining(load):
    module = load("nlp/Bert", "src.bert_for_pre_training")
    net = module.BertNetworkWithLoss(_bert_config(sys.modules["src.bert_model"]), True)
    compare(
        "BertNetworkWithLoss", net, integers("ids", 100, 2, 16),
        Tensor(np.ones((2, 16)), ms.int32), integers("types", 2, 2, 16),
        integers("next", 2, 2, 1), integers("places", 16, 2, 3), integers("words", 100, 2, 3),
        Tensor(np.ones((2, 3)), ms.float32), loss=lambda out: out.sum(),
    )  # fmt: skip


def test_transformer(load):
    module = load("nlp/Transformer", "src.transformer_model")
    config = module.TransformerConfig(
        batch_size=2, seq_length=16, vocab_size=100, hidden_size=32, num_hidden_layers=2,
        num_attention_heads=4, intermediate_size=64, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0, max_position_embeddings=32,
    )  # fmt: skip
    ids = [integers(name, 100, 2, 16) for name in ("source", "target")]
    mask = Tensor(np.ones((2, 16)), ms.int32)
    compare("TransformerModel", module.TransformerModel(config, True), ids[0], mask, ids[1], mask)


def test_lstm(load):
    module, weight = load("nlp/LSTM", "src.lstm"), uniform("embedding", 50, 12)
    net = module.SentimentNet(50, 12, 6, 2, True, 2, weight, 2)
    compare("SentimentNet", net, integers("words", 50, 2, 500))


def test_gcn(load):
    module = load("gnn/GCN", "src.gcn")
    net = module.GCN(SimpleNamespace(hidden1=16, dropout=0.5), 12, 10)
    compare("GCN", net, uniform("adjacency", 20, 20), uniform("features", 20, 12))


def test_deepfm(load):
    module = load("recommend/DeepFM", "src.deepfm")
    config = SimpleNamespace(
        batch_size=4, data_field_size=5, data_vocab_size=60, data_emb_dim=8,
        deep_layer_args=[[16, 16, 16, 16], "relu"], init_args=[-0.01, 0.01],
        weight_bias_init=["normal", "normal"], keep_prob=1.0, convert_dtype=False,
    )  # fmt: skip
    net = module.NetWithLossClass(module.DeepFMModel(config))
    compare(
        "DeepFM", net, integers("ids", 60, 4, 5), uniform("weights", 4, 5),
        integers("labels", 2, 4, 1, dtype=ms.float32), loss=lambda out: out,
    )  # fmt: skip


def test_deepspeech2(load):
    module = load("audio/DeepSpeech2", "src.deepspeech2")
    audio = SimpleNamespace(sample_rate=16000, window_size=0.02)
    net = module.DeepSpeechModel(
        2, list("abcdefgh"), 16, 2, audio, bidirectional=True, device_target="CPU"
    )
    lengths = Tensor([64, 48], ms.int32)
    compare("DeepSpeechModel", net, uniform("sound", 2, 1, 161, 64), lengths)
