# SPDX-License-Identifier: MIT
"""Fusion: a model compiled by tracea gives PyTorch's numbers and gradients, with fewer passes over memory."""

import torch
from torch import nn

import tracea.torch

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256), nn.LayerNorm(256))
compiled = torch.compile(model, backend="tracea", dynamic=True, options={"tracea.policy": "always"})

with torch.no_grad():
    for rows in (32, 100):
        x = torch.randn(rows, 256)
        print(f"{rows} rows: agrees with PyTorch:", torch.allclose(compiled(x), model(x), atol=1e-4))

stats = tracea.torch.stats()
print(f"{stats.graphs} graph compiled, {stats.taken} regions became kernels of tracea, {stats.left} left")

# The same operators with gradients: they train.
weight = torch.randn(8, 256, requires_grad=True)
tracea.ops.linear(x, weight, epilogue="relu").sum().backward()
print("gradient:", tuple(weight.grad.shape))
