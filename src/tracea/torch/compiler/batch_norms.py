# SPDX-License-Identifier: MIT
"""Batch norms in training behind convolutions: where the convolution's kernel may sum what the norm asks of the batch.

The result is then read once less. A trial says whether that pays (`tracea.torch.compiler.summed`), and the graph changes once it is past
autograd (`tracea.torch.compiler.sums`).
"""

from __future__ import annotations

import torch

from tracea.torch.compiler.anchors import value_of
from tracea.torch.compiler.pointwise import argument, name_of
from tracea.torch.compiler.regions import Region

DEVICES = ("cuda",)
"""Where kernels sum columns."""
TYPES = (torch.bfloat16, torch.float16)


def is_normed(region: Region) -> bool:
    """Whether a batch norm in training reads a convolution's result, whose kernel may sum its columns."""
    result = value_of(region.exit)
    if region.anchor.op != "conv2d" or region.anchor.settings[-1] != 1 or result is None or region.views:
        return False
    fixed = result.dim() == 4 and all(type(extent) is int for extent in result.shape)
    if not fixed or result.device.type not in DEVICES or result.dtype not in TYPES:
        return False
    return any(
        name_of(user) == "batch_norm"
        and user.args[:1] == (region.exit,)
        and argument(user, 5, "training", False) is True
        for user in region.exit.users
    )
