# SPDX-License-Identifier: MIT
"""Patching: convolutions of an existing model compute with tracea, inside a block or for good."""

import torch
from torch import nn

import tracea

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 8, 3, stride=2)).eval()
x = torch.randn(1, 3, 32, 32)

with torch.no_grad():
    expected = model(x)
    with tracea.patch_conv2d():
        print("inside the block, agrees:", torch.allclose(model(x), expected, atol=1e-4))

# A module of one's own: the same parameters and state dict, an activation that rides along, and no silent fallback.
layer = tracea.TraceaConv2d(3, 16, 3, padding=1, activation="relu", fallback="error")
layer.load_state_dict(model[0].state_dict())
print("with its ReLU, agrees:", torch.allclose(layer(x), model[1](model[0](x)), atol=1e-4))
print("fallback:", layer.fallback_reason(x))
print("fallback with an even filter:", tracea.TraceaConv2d(3, 16, 2, padding="same").fallback_reason(x))
