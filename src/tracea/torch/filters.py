# SPDX-License-Identifier: MIT
"""Gradients of convolutions: that of the image is a convolution of the result's gradient, by the filters turned round.

At stride 1 every pixel of the image gathers what the windows over it gave, so the same kernels serve, with their epilogues, layouts and
proofs. It is done where they are known to be faster than PyTorch's (``aten.convolution_backward``): where channels are filtered on
their own, on a GPU, channels-last. What remains is PyTorch's: gradients of filters, whose sums run over pixels, and those at other strides.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

DEEPEST = 4
"""Channels of a group up to which kernels filter them on their own (`tracea_core.doctor.image_walk.RequiresOwnFilters`)."""


def gathers(stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], size: Sequence[int]) -> bool:
    """Whether an image's gradient is such a convolution: at stride 1, with no more padding than a window reaches."""
    reach = [spread * (extent - 1) for spread, extent in zip(dilation, size, strict=True)]
    return all(step == 1 for step in stride) and all(pad <= far for pad, far in zip(padding, reach, strict=True))


def worthwhile(sums: torch.Tensor, weight: torch.Tensor, groups: int) -> bool:
    """Whether kernels of ours are known to be the faster ones."""
    out, deep = weight.shape[:2]
    few = groups > 1 and max(deep, out // groups) <= DEEPEST
    return few and sums.device.type != "cpu" and sums.is_contiguous(memory_format=torch.channels_last)


def turned(weight: torch.Tensor, groups: int) -> torch.Tensor:
    """Return filters of shape (k, c/groups, r, s) turned by 180°, input and output channels exchanged: (c, k/groups, r, s)."""
    out, deep, *size = weight.shape
    parts = weight.reshape(groups, out // groups, deep, *size).transpose(1, 2)
    return parts.reshape(groups * deep, out // groups, *size).flip(-1, -2)


def image_gradient(
    sums: torch.Tensor, weight: torch.Tensor, padding: Sequence[int], dilation: Sequence[int], groups: int
) -> torch.Tensor:
    """Return the gradient of a convolution's image by tracea, where it `gathers`.

    Parameters
    ----------
    sums : tensor, shape (n, k, p, q)
        Gradient of the convolution's result.
    weight : tensor, shape (k, c/groups, r, s)
        The filters.

    Returns
    -------
    tensor, shape (n, c, h, w)
        In the type of `sums`.
    """
    size = weight.shape[2:]
    around = [spread * (extent - 1) - pad for spread, extent, pad in zip(dilation, size, padding, strict=True)]
    result: torch.Tensor = torch.ops.tracea.conv2d.default(
        sums, turned(weight, groups), [], "", [1, 1], around, list(dilation), groups, ""
    )
    return result
