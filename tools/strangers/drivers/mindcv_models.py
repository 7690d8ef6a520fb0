"""MindCV's models: output, loss, gradients and three steps."""

import pytest
from mindcv.models import create_model
from strangers_numbers import compare, uniform

OF_64 = [
    "resnet18",
    "seresnet18",
    "skresnet18",
    "mobilenet_v1_025",
    "mobilenet_v3_small_075",
    "mnasnet_050",
    "shufflenet_v1_g3_05",
    "shufflenet_v2_x0_5",
    "squeezenet1_0",
    "ghostnet_050",
    "regnet_x_200mf",
    "repvgg_a0",
    "rexnet_09",
    "mixnet_s",
    "densenet121",
    "res2net50",
    "hrnet_w32",
    "poolformer_s12",
    "convnext_tiny",
]
OF_224 = [
    "edgenext_xx_small",
    "pvt_v2_b0",
    "convit_tiny",
    "crossvit_9",
    "swin_tiny",
    "visformer_tiny",
    "mobilevit_xx_small",
    "coat_tiny",
    "vit_b_32_224",
    "googlenet",
]
# Statistics of a batch's last maps, of 4 x 2 x 2 elements, amplify rounding in a step.
BY_RUNNING_STATISTICS = {"densenet121", "res2net50", "hrnet_w32"}


@pytest.mark.parametrize("size, name", [(64, n) for n in OF_64] + [(224, n) for n in OF_224])
def test_numbers(size, name):
    net = create_model(name, num_classes=10)
    image = uniform("image", 4 if size == 64 else 2, 3, size, size)
    compare(name, net, image, is_training=name not in BY_RUNNING_STATISTICS)
