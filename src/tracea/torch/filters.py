# SPDX-License-Identifier: MIT
"""Gradients of convolutions: that of the image is a transposed convolution of the result's gradient by the same filters.

At stride 1 every pixel of the image gathers what the windows over it gave, so it is also a plain convolution by the filters turned
round; a GPU takes that one, whose kernels want filters as rows of memory, while a CPU reads them where they are. Either is done
where it is known to be faster than PyTorch's own (``aten.convolution_backward``). Gradients of filters, whose sums run over pixels,
are PyTorch's.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

DEEPEST = 4
"""Channels of a group up to which kernels filter them on their own (`tracea_core.doctor.image_walk.RequiresOwnFilters`)."""
FEWEST = 16
"""Channels from which a vector of them is full."""
WIDEST_STEP = 2
"""The largest stride that was measured."""
MANY_PIXELS = 256
"""Pixels of all images from which filters larger than 1×1, which are copied into panels, are used often enough."""


def gathers(stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], size: Sequence[int]) -> bool:
    """Whether an image's gradient is a plain convolution: at stride 1, with no more padding than a window reaches."""
    reach = [spread * (extent - 1) for spread, extent in zip(dilation, size, strict=True)]
    return all(step == 1 for step in stride) and all(pad <= far for pad, far in zip(padding, reach, strict=True))


def worthwhile(
    sums: torch.Tensor,
    weight: torch.Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> bool:
    """Whether kernels of ours are known to be the faster ones for the gradient of an image."""
    if sums.device.type == "cpu":
        return is_fast(sums, weight, stride, groups)
    out, deep = weight.shape[:2]
    few = groups > 1 and max(deep, out // groups) <= DEEPEST
    last = sums.is_contiguous(memory_format=torch.channels_last)
    return few and last and gathers(stride, padding, dilation, weight.shape[2:])


def is_fast(sums: torch.Tensor, weight: torch.Tensor, stride: Sequence[int], groups: int) -> bool:
    """Whether a CPU is known to be faster with our gradient of an image: fp32, one group, full vectors, not too few pixels.

    On two cores of an AVX2 processor, batch 8, layers of ResNet-50 at stride 1 took 0.38 to 0.75 of PyTorch 2.13's time, at stride 2 0.4 to
    0.9 of it in NCHW and up to 1.7 times as long channels-last, where pixels of a phase lie apart (``benchmarks/conv_gradients.py``).
    """
    plain = sums.device.type == "cpu" and sums.dtype is weight.dtype is torch.float32 and groups == 1
    if not plain or min(weight.shape[:2]) < FEWEST or max(stride) > WIDEST_STEP:
        return False
    if max(stride) > 1 and sums.is_contiguous(memory_format=torch.channels_last):
        return False
    return weight.shape[2] == weight.shape[3] == 1 or sums.shape[0] * sums.shape[2] * sums.shape[3] >= MANY_PIXELS


def turned(weight: torch.Tensor, groups: int) -> torch.Tensor:
    """Return filters of shape (k, c/groups, r, s) turned by 180°, input and output channels exchanged: (c, k/groups, r, s)."""
    out, deep, *size = weight.shape
    parts = weight.reshape(groups, out // groups, deep, *size).transpose(1, 2)
    return parts.reshape(groups * deep, out // groups, *size).flip(-1, -2)


def image_gradient(
    sums: torch.Tensor,
    weight: torch.Tensor,
    image: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> torch.Tensor:
    """Return the gradient of a convolution's image by tracea.

    Parameters
    ----------
    sums : tensor, shape (n, k, p, q)
        Gradient of the convolution's result.
    weight : tensor, shape (k, c/groups, r, s)
        The filters.
    image : (int, int)
        Rows and columns of the image.

    Returns
    -------
    tensor, shape (n, c, h, w)
        In the type of `sums`.
    """
    size = weight.shape[2:]
    reach = [spread * (extent - 1) for spread, extent in zip(dilation, size, strict=True)]
    if sums.device.type != "cpu" and gathers(stride, padding, dilation, size):
        around = [far - pad for far, pad in zip(reach, padding, strict=True)]
        operator, filters = torch.ops.tracea.conv2d.default, turned(weight, groups)
        result: torch.Tensor = operator(sums, filters, [], "", [1, 1], around, list(dilation), groups, "")
        return result
    rest = [
        image[axis] - (sums.shape[2 + axis] - 1) * stride[axis] + 2 * padding[axis] - reach[axis] - 1 for axis in (0, 1)
    ]
    settings = (list(stride), list(padding), rest, list(dilation), groups, "")
    result = torch.ops.tracea.conv_transpose2d.default(sums, weight, [], "", *settings)
    return result
