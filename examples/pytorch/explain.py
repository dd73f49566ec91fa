# SPDX-License-Identifier: MIT
"""Explain: what compiling would do to a model and why, before anything is compiled."""

import torch
from torch import nn

import tracea


class Block(nn.Module):
    """A gated product between two norms."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.gate, self.down = nn.LayerNorm(128), nn.Linear(128, 512), nn.Linear(256, 128)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return x + down(silu(gate)·up)."""
        gate, up = self.gate(self.norm(x)).chunk(2, -1)
        return x + self.down(nn.functional.silu(gate) * up)


with torch.no_grad():
    report = tracea.explain(Block(), torch.randn(64, 128), policy="always")
print(report)
print()
print("as JSON:", len(report.to_json()) > 500, "and as a page:", report.to_html().startswith("<!doctype html>"))
