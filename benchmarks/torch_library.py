# SPDX-License-Identifier: MIT
"""Networks of torchvision, timm and transformers with random weights, and uses of PyTorch that `benchmarks.torch_models` lacks.

Nobody tuned for these: they say whether a model that somebody brings is taken, is right, and is no slower for it. Nothing is downloaded;
a network whose package is not installed is left out.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from benchmarks.torch_models import NETWORKS, Network

MODES = (("inference", 8), ("training", 8))
"""Modes and batches that are measured."""
_WORDS = 250
"""Words of a vocabulary that bf16, in which inputs arrive, can count."""


class Picked(nn.Module):
    """One tensor of what a network returns; with `counts`, what it is given are words."""

    def __init__(self, inner: nn.Module, pick: str, counts: bool = False) -> None:
        super().__init__()
        self.inner, self.pick, self.counts = inner, pick, counts

    def forward(self, x: Any) -> Any:
        """Return that tensor."""
        found = self.inner(x.long() if self.counts else x)
        return found[self.pick] if isinstance(found, dict) else getattr(found, self.pick)


class Autocast(nn.Module):
    """A network with weights of fp32 that computes in bf16 under autocast; in any other type as it is, which makes the exact results."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner, self.cast = inner, False

    def to(self, dtype: Any, *args: Any, **options: Any) -> Any:
        """Take a type, for which bf16 stands for autocast."""
        self.cast = dtype is torch.bfloat16
        return super().to(torch.float32 if self.cast else dtype, *args, **options)

    def forward(self, *inputs: Any) -> Any:
        """Return what the network makes of its inputs."""
        if not self.cast:
            return self.inner(*inputs)
        with torch.autocast(inputs[0].device.type, torch.bfloat16):
            return self.inner(*(x.float() for x in inputs)).float()


class SinglePrecision(Autocast):
    """The same in fp32 throughout, with what PyTorch's flags allow by default: convolutions may round to tf32."""

    def forward(self, *inputs: Any) -> Any:
        """Return what the network makes of its inputs."""
        return self.inner(*(x.float() for x in inputs)) if self.cast else self.inner(*inputs)


class ChannelsLast(nn.Module):
    """A network whose weights and images are laid out channels-last."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, x: Any) -> Any:
        """Return what the network makes of an image."""
        return self.inner(x.contiguous(memory_format=torch.channels_last))


class UNet(nn.Module):
    """Four levels of two 3×3 convolutions with batch norm, pooled on the way down and transposed convolutions on the way up."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        widths = [3, *(width << level for level in range(4))]
        self.down = nn.ModuleList(map(self._level, widths, widths[1:]))
        self.wider = nn.ModuleList(nn.ConvTranspose2d(2 * w, w, 2, 2) for w in widths[3:0:-1])
        self.up = nn.ModuleList(self._level(2 * w, w) for w in widths[3:0:-1])
        self.last = nn.Conv2d(width, 5, 1)

    @staticmethod
    def _level(channels: int, width: int) -> nn.Module:
        pairs = ((channels, width), (width, width))
        steps = [
            step
            for i, o in pairs
            for step in (nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(True))
        ]  # fmt: skip
        return nn.Sequential(*steps)

    def forward(self, x: Any) -> Any:
        """Return a map of classes."""
        levels = []
        for place, level in enumerate(self.down):
            x = level(F.max_pool2d(x, 2) if place else x)
            levels.append(x)
        levels.pop()
        for wider, level in zip(self.wider, self.up, strict=True):
            x = level(torch.cat([wider(x), levels.pop()], 1))
        return self.last(x)


class Experts(nn.Module):
    """All of eight experts, weighed by a gate."""

    def __init__(self, width: int = 512, count: int = 8) -> None:
        super().__init__()
        self.gate = nn.Linear(width, count)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)) for _ in range(count)
        )

    def forward(self, x: Any) -> Any:
        """Return the weighted sum."""
        shares = self.gate(x).softmax(-1)
        return sum(shares[..., place, None] * expert(x) for place, expert in enumerate(self.experts))


class WrittenOut(nn.Module):
    """Layers of attention written out as products and a softmax, window by window with biases of positions, or causal."""

    def __init__(self, width: int, heads: int, positions: int, biased: bool, layers: int = 4) -> None:
        super().__init__()
        self.heads, self.positions = heads, positions
        self.projections = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(layers))
        self.ends = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.biases = nn.ParameterList(torch.randn(heads, positions, positions) for _ in range(layers if biased else 0))
        self.register_buffer("later", torch.ones(positions, positions).triu(1) > 0)

    def forward(self, x: Any) -> Any:
        """Return what all layers make of rows of positions."""
        shape, width = x.shape, x.shape[-1]
        x = x.reshape(-1, self.positions, width)
        columns = width // self.heads
        for place, (projection, end) in enumerate(zip(self.projections, self.ends, strict=True)):
            both = projection(x).reshape(-1, self.positions, 3, self.heads, columns)
            q, k, v = both.permute(2, 0, 3, 1, 4).unbind(0)
            scores = (q @ k.transpose(-2, -1)) * columns**-0.5
            scores = scores + self.biases[place] if len(self.biases) else scores.masked_fill(self.later, float("-inf"))
            x = x + end((scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))
        return x.reshape(shape)


def _images(size: int = 224) -> Callable[[int], tuple[Any, ...]]:
    return lambda batch: (torch.randn(batch, 3, size, size),)


def _sequence(length: int, width: int) -> Callable[[int], tuple[Any, ...]]:
    return lambda batch: (torch.randn(batch, length, width),)


def _words(length: int) -> Callable[[int], tuple[Any, ...]]:
    return lambda batch: (torch.randint(0, _WORDS, (batch, length)).float(),)


def _vision(name: str, **options: Any) -> Network:
    def make() -> nn.Module:
        made: nn.Module = getattr(importlib.import_module("torchvision.models"), name)(weights=None, **options)
        return made

    return Network(make, _images(), True)


def _segmentation(name: str) -> Network:
    def make() -> nn.Module:
        models = importlib.import_module("torchvision.models.segmentation")
        return Picked(getattr(models, name)(weights=None, weights_backbone=None), "out")

    return Network(make, _images(), True)


def _timm(name: str, size: int = 224) -> Network:
    return Network(lambda: importlib.import_module("timm").create_model(name, pretrained=False), _images(size), True)


def _transformers(
    name: str, inputs: Callable[[int], tuple[Any, ...]] | None = None, pick: str = "last_hidden_state", **options: Any
) -> Network:
    def make() -> nn.Module:
        library = importlib.import_module("transformers")
        kind = getattr(library, name)
        settings = kind.config_class(**options)
        if hasattr(settings, "use_cache"):
            settings.use_cache = False
        return Picked(kind(settings), pick, counts=inputs is None)

    return Network(make, inputs or _words(256), False)


def _wrapped(kind: Callable[[nn.Module], nn.Module], network: Network) -> Network:
    return Network(lambda: kind(network.make()), network.inputs, network.convolutional)


_SMALL: dict[str, Any] = {
    "hidden_size": 1024,
    "intermediate_size": 2816,
    "num_hidden_layers": 4,
    "num_attention_heads": 16,
}
_OWN = {
    "attention written out, causal": Network(lambda: WrittenOut(512, 8, 256, False), _sequence(256, 512), False),
    "attention written out, windows": Network(lambda: WrittenOut(96, 3, 49, True), _sequence(64 * 49, 96), False),
    "U-Net": Network(UNet, _images(256), True),
    "experts": Network(Experts, _sequence(256, 512), False),
    "nn.TransformerEncoder": Network(
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True), 4),
        _sequence(200, 512),
        False,
    ),
}
_LIBRARIES = {
    "torchvision": {
        **{name: _vision(name) for name in (
            "densenet121", "efficientnet_b0", "maxvit_t", "mobilenet_v2", "mobilenet_v3_large", "regnet_y_1_6gf", "resnet18",
            "resnext50_32x4d", "shufflenet_v2_x1_0", "squeezenet1_1", "swin_t", "vgg16_bn",
        )},
        "googlenet": _vision("googlenet", aux_logits=False, init_weights=False),
        "deeplabv3_resnet50": _segmentation("deeplabv3_resnet50"),
    },
    "timm": {
        **{name: _timm(name) for name in (
            "beit_base_patch16_224", "coatnet_0_rw_224", "convmixer_768_32", "dm_nfnet_f0", "edgenext_small", "efficientvit_b1",
            "hrnet_w18_small", "mixer_b16_224", "resmlp_24_224",
        )},
        "mobilevit_s": _timm("mobilevit_s", 256), "vit_small_patch14_dinov2": _timm("vit_small_patch14_dinov2", 518),
    },
    "transformers": {
        "BertModel": _transformers("BertModel"),
        "CLIPVisionModel": _transformers("CLIPVisionModel", _images()),
        "DistilBertModel": _transformers("DistilBertModel"),
        "GemmaModel": _transformers("GemmaModel", **{**_SMALL, "num_key_value_heads": 1, "head_dim": 128, "num_attention_heads": 8}),
        "GPT2LMHeadModel": _transformers("GPT2LMHeadModel", pick="logits", n_layer=6),
        "LlamaForCausalLM": _transformers("LlamaForCausalLM", pick="logits", num_key_value_heads=4, **_SMALL),
        "MistralForCausalLM": _transformers(
            "MistralForCausalLM", pick="logits", num_key_value_heads=4, sliding_window=128, **_SMALL
        ),
        "OPTModel": _transformers("OPTModel", num_hidden_layers=6),
        "PhiModel": _transformers("PhiModel", **_SMALL),
        "Qwen2ForCausalLM": _transformers("Qwen2ForCausalLM", pick="logits", num_key_value_heads=4, **_SMALL),
        "RobertaModel": _transformers("RobertaModel", num_hidden_layers=6),
        "SegformerModel": _transformers("SegformerModel", _images()),
        "T5EncoderModel": _transformers("T5EncoderModel"),
        "Wav2Vec2Model": _transformers("Wav2Vec2Model", lambda n: (torch.randn(n, 16000),), num_hidden_layers=4),
    },
}  # fmt: skip
_AUTOCAST = ("ResNet-50", "ConvNeXt-T", "ViT-B/16", "BERT-base", "GPT-2")
_SINGLE = ("ResNet-50", "ConvNeXt-T", "SDXL block")
_CHANNELS_LAST = ("resnet18", "efficientnet_b0")

MISSING = tuple(package for package in _LIBRARIES if importlib.util.find_spec(package) is None)
"""Packages whose networks are left out here."""
LIBRARY: dict[str, Network] = {
    **_OWN,
    **{f"{name}, autocast": _wrapped(Autocast, NETWORKS[name]) for name in _AUTOCAST},
    **{f"{name}, fp32": _wrapped(SinglePrecision, NETWORKS[name]) for name in _SINGLE},
    **{f"{package} {name}": network for package, made in _LIBRARIES.items() if package not in MISSING for name, network in made.items()},
    **{
        f"torchvision {name}, channels-last": _wrapped(ChannelsLast, _LIBRARIES["torchvision"][name])
        for name in _CHANNELS_LAST
        if "torchvision" not in MISSING
    },
}  # fmt: skip
"""By name; those of libraries carry the package's."""
