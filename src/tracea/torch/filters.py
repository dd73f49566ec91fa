# SPDX-License-Identifier: MIT
"""Who computes the gradients of a convolution: tracea where its kernels were measured to be the faster ones, else PyTorch.

That of the image is a transposed convolution of the result's gradient by the same filters, that of the filters a product over pixels. At
stride 1 every pixel of the image gathers what the windows over it gave, so the former is also a plain convolution by the filters turned
round; a GPU takes that one where a group has a few channels, whose kernels want filters as rows of memory, a CPU for 3×3 filters, by
minimal filtering. PyTorch's own is ``aten.convolution_backward``.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch

DEEPEST = 4
"""Channels of a group up to which kernels filter them on their own (`tracea_core.doctor.image_walk.RequiresOwnFilters`)."""
FEWEST = 16
"""Channels from which a vector of them is full."""
WIDEST_STEP = 2
"""The largest stride that was measured."""
WALKING = (9, 0)
"""Compute capability of GPUs whose copy engine walks over windows."""
BOX = 64
"""What an image's channels are a multiple of where gradients of filters are fetched in boxes."""
CHUNK = 8
"""The same for images: 16 bytes."""
MOST_WORK = 3e10
"""Multiplications up to which gradients of images were measured to be faster on such GPUs; of two with more, one was."""
STRIDED_PIXELS = 3136
"""Pixels of all results from which gradients of images by 1×1 filters at stride 2 were measured to be faster on such GPUs."""
MINIMAL = (3, 3)
"""Filters whose products a CPU's kernels have a way to multiply fewer times (`tracea_core.doctor.winograd`)."""
MANY_PIXELS = 256
"""Pixels of all images from which filters larger than 1×1, which are copied into panels, are used often enough."""
LONG_WORK = 1e10
"""Multiplications from which a gradient keeps matrix units busy for longer than a host takes for its calls: about 40 µs of an H200."""
LARGEST_BAND = {torch.float16: 11, torch.bfloat16: 11, torch.float32: 7}
"""Rows and columns of filters of planes, by what registers hold (`tracea_core.doctor.image_walk.RequiresOwnPlanes`)."""
LONG_WORK_OF_PLANES = 5e7
"""The same for planes with filters of their own, which take PyTorch longer: 5.9e7 took 60 µs of an H200 with filters of 7×7."""
LONG_WORK_APART = 1e8
"""The same for groups of a few channels, which matrix units do not multiply: 1.2e8 took PyTorch 52 µs of an H200, ours 12 (7×7, 14²).

Beside PyTorch's one call there are one of ours and one that turns filters, which cost where the host is the limit: a step of ConvNeXt-T at
batch 16, with six of them of 1.2e8 and 2.4e8, gained 1.03 over Inductor with them and 1.05 without. At batch 32 twelve of 1.2e8 and 2.4e8
spare the device 0.49 ms of 7.1.
"""


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
    """Whether kernels of ours are known to be the faster ones for the gradient of an image.

    On an H200, 16 and 64 images, 16-bit types, filters larger than 1×1 at stride 1 took 0.73 to 1.02 of cuDNN's time in layers of
    ResNet-50; larger ones 0.95 and 1.24 of it. 1×1 filters took 0.81 to 1.14 of it. Of 64 images 1×1 filters at stride 2 took 0.88 to 0.92,
    3×3 ones 1.01 to 1.11 of it.
    """
    if sums.device.type == "cpu":
        return is_fast(sums, weight, stride, groups)
    if _is_strided(weight, stride, padding):
        pixels = sums.numel() // max(1, sums.shape[1])
        fits = all(extent % CHUNK == 0 for extent in weight.shape[:2]) and pixels >= STRIDED_PIXELS
        return fits and _walked(sums, weight, groups)
    if not gathers(stride, padding, dilation, weight.shape[2:]):
        return False
    if _has_few_channels(weight, groups):
        alone = weight.shape[0] == groups and sums.dtype is not torch.float32  # of which nobody measured gradients
        return (alone and of_planes(sums, weight, dilation, groups)) or sums.is_contiguous(
            memory_format=torch.channels_last
        )
    work = weight.numel() * (sums.numel() // max(1, sums.shape[1]))
    fits = all(extent % CHUNK == 0 for extent in weight.shape[:2]) and work <= MOST_WORK
    return fits and max(weight.shape[2:]) > 1 and max(dilation) == 1 and _walked(sums, weight, groups)


def filters_worthwhile(
    x: torch.Tensor,
    sums: torch.Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> bool:
    """Whether kernels of ours are known to be the faster ones for the gradient of filters of this size.

    On an H200, 16 and 64 images, 16-bit types, those of filters larger than 1×1, or at a stride, took 0.52 to 1.04 of cuDNN's time; of 1×1
    filters at stride 1, whose gradients are plain products of long sums, 0.72 to 1.23 of it. A CPU's are PyTorch's.
    """
    if x.device.type == "cpu" or x.shape[1] % BOX or sums.shape[1] % CHUNK:
        return False
    return (max(size) > 1 or max(stride) > 1) and max(dilation) == 1 and _walked(x, sums, groups)


def is_long(sums: torch.Tensor, weight: torch.Tensor, groups: int) -> bool:
    """Whether a gradient takes a GPU so long that what the host does for it does not count.

    Both gradients by PyTorch are one call, those by tracea at least two. In the training of ResNet-50 at batch 16, whose layers take 5 to
    15 µs each, an H200 waits for the host throughout.
    """
    work = weight.numel() * (sums.numel() // max(1, sums.shape[1]))
    if of_planes(sums, weight, (1, 1), groups):
        return work >= LONG_WORK_OF_PLANES
    return work >= (LONG_WORK_APART if _has_few_channels(weight, groups) else LONG_WORK)


def of_planes(images: torch.Tensor, weight: torch.Tensor, dilation: Sequence[int], groups: int) -> bool:
    """Whether images are planes that a GPU filters where they lie (`tracea_core.semantic.build.plane_strips`), each by its own filters.

    On an H200 convolutions of such images took 0.05 to 0.9 of cuDNN's time, in fp32 0.24 to 0.57, and 16-bit gradients 0.05 to 0.8.
    """
    own = weight.dim() == 4 and groups > 1 and weight.shape[1] == 1 and images.dim() == 4 and images.shape[1] == groups
    held = own and max(weight.shape[2:]) <= LARGEST_BAND.get(images.dtype, 0) and max(dilation) == 1
    return held and images.dtype is weight.dtype and images.is_contiguous() and walking(images.device)


def _walked(first: torch.Tensor, second: torch.Tensor, groups: int) -> bool:
    """Whether both are what a copy engine walks over: channels-last, 16 bits wide, of one group, on a GPU that has one."""
    kinds = first.dtype is second.dtype and first.dtype in (torch.float16, torch.bfloat16)
    last = all(tensor.is_contiguous(memory_format=torch.channels_last) for tensor in (first, second))
    return kinds and groups == 1 and last and walking(first.device)


@functools.cache
def walking(device: torch.device) -> bool:
    """Whether a device's copy engine walks over windows, so that kernels are those that were measured."""
    return device.type == "cuda" and torch.cuda.get_device_capability(device) == WALKING


def _is_strided(weight: torch.Tensor, stride: Sequence[int], padding: Sequence[int]) -> bool:
    """Whether three pixels of four of an image's gradient are zeros."""
    return tuple(weight.shape[2:]) == (1, 1) and tuple(stride) == (2, 2) and tuple(padding) == (0, 0)


def _has_few_channels(weight: torch.Tensor, groups: int) -> bool:
    out, deep = weight.shape[:2]
    return groups > 1 and max(deep, out // groups) <= DEEPEST


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


def _turns(sums: torch.Tensor, weight: torch.Tensor, groups: int) -> bool:
    """Whether filters turned round are worth their copy: for a GPU's few channels, and where a CPU's kernels multiply less (3×3 ones).

    On two cores of Zen 1, batch 8, the 3×3 layers of ResNet-50 took 0.55 to 0.84 of a transposed convolution's time so, by minimal
    filtering, and 0.6 to 0.82 of PyTorch's (``benchmarks/conv_gradients.py``).
    """
    if sums.device.type == "cpu":
        return groups == 1 and tuple(weight.shape[2:]) == MINIMAL and sums.dtype is torch.float32
    return _has_few_channels(weight, groups)


def turned(weight: torch.Tensor, groups: int) -> torch.Tensor:
    """Return filters of shape (k, c/groups, r, s) turned by 180°, input and output channels exchanged: (c, k/groups, r, s)."""
    out, deep, *size = weight.shape
    parts = weight.reshape(groups, out // groups, deep, *size).transpose(1, 2)
    return parts.reshape(groups * deep, out // groups, *size).flip(-1, -2)


def filter_gradient_of_planes(
    x: torch.Tensor,
    sums: torch.Tensor,
    weight: torch.Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> torch.Tensor:
    """Return the gradient of filters of planes' own by PyTorch, from channels-last copies of both: what it has for planes takes longer.

    On an H200, bf16, 7×7: 338 µs for 16×96×56² in planes and 46 channels-last, 1313 and 131 for 64×96×56².

    Parameters
    ----------
    x, sums : tensor, shapes (n, c, h, w) and (n, k, p, q)
        The images, and the gradient of the convolution's result.
    """
    last = torch.channels_last
    found: torch.Tensor = torch.ops.aten.convolution_backward.default(
        sums.contiguous(memory_format=last), x.contiguous(memory_format=last), weight, None, list(stride), list(padding),
        list(dilation), False, [0, 0], groups, [False, True, False],
    )[1]  # fmt: skip
    return found.contiguous()


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
    if _turns(sums, weight, groups) and gathers(stride, padding, dilation, size):
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


def filter_gradient(
    x: torch.Tensor,
    sums: torch.Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> torch.Tensor:
    """Return the gradient of a convolution's filters by tracea, shape (k, c/groups, r, s), from its images and its result's gradient."""
    settings = (list(size), list(stride), list(padding), list(dilation), groups, 1, "", "torch")
    found: torch.Tensor = torch.ops.tracea.conv2d_filters.default(x, sums, [], "", *settings)
    return found
