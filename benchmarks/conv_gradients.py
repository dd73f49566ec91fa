# SPDX-License-Identifier: MIT
"""Gradients of ResNet-50's convolutions on the CPU: ``aten.convolution_backward`` over tracea's kernels, both ways of lying.

These ratios are what `tracea.torch.filters` decides by. Each side runs once unmeasured, then seven times; the least counts. Run it alone on
the machine: ``python benchmarks/conv_gradients.py``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from tracea import ops
from tracea.torch.filters import image_gradient


class Layer(NamedTuple):
    """A convolution of eight images."""

    channels: int
    size: int
    filters: int
    taps: int
    stride: int
    padding: int


LAYERS = (
    Layer(64, 56, 64, 3, 1, 1),
    Layer(256, 56, 64, 1, 1, 0),
    Layer(128, 56, 128, 3, 2, 1),
    Layer(256, 56, 512, 1, 2, 0),
    Layer(256, 14, 256, 3, 1, 1),
)
IMAGES, RUNS = 8, 7


def seconds(call: Callable[[], Any]) -> float:
    """Return the least of several runs after one that does not count."""
    call()
    found = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def ratios(layer: Layer, order: Any) -> tuple[float, float]:
    """Return PyTorch's time over tracea's for the gradients of the image and of the filters."""
    channels, size, filters, taps, stride, padding = layer
    x = torch.randn(IMAGES, channels, size, size).contiguous(memory_format=order)
    w = torch.randn(filters, channels, taps, taps).contiguous(memory_format=order)
    g = torch.randn_like(torch.nn.functional.conv2d(x, w, None, stride, padding))
    square, steps, borders = (size, size), (stride, stride), (padding, padding)

    def pytorch(image: bool) -> Any:
        twice = [stride, stride], [padding, padding], [1, 1]
        return torch.ops.aten.convolution_backward(g, x, w, None, *twice, False, [0, 0], 1, [image, not image, False])

    def of_filters() -> Any:
        padded = (
            torch.nn.functional.pad(x, (padding,) * 4) if padding else x
        )  # images without padding are read in place
        parts = IMAGES if g.shape[2] ** 2 >= 400 else 1
        found = ops.conv2d_filters(padded, g, taps, stride, parts=parts)
        return found.sum(0) if parts > 1 else found

    ours = seconds(lambda: image_gradient(g, w, square, steps, borders, (1, 1), 1))
    return seconds(lambda: pytorch(True)) / ours, seconds(lambda: pytorch(False)) / seconds(of_filters)


def main() -> None:
    """Print a line for each layer and order."""
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads")
    for layer in LAYERS:
        for name, order in (("channels-last", torch.channels_last), ("NCHW", torch.contiguous_format)):
            image, filters = ratios(layer, order)
            print(f"{layer} {name}: image {image:.2f}, filters {filters:.2f}", flush=True)


if __name__ == "__main__":
    main()
