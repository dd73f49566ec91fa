# SPDX-License-Identifier: MIT
"""Tensors without memory: what a decision asks about before there are any, and what stands for others of nearby extents."""

from __future__ import annotations

from typing import NamedTuple

import torch


class Outline(NamedTuple):
    """A tensor without memory; it answers what `tracea.arrays` asks of one."""

    shape: tuple[int, ...]
    steps: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    @classmethod
    def contiguous(cls, shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Outline:
        """Return that of a tensor without gaps."""
        return cls(shape, torch.empty(shape, device="meta").stride(), dtype, device)

    def stride(self) -> tuple[int, ...]:
        """Return the strides in elements."""
        return self.steps

    @property
    def is_cuda(self) -> bool:
        """Whether it is on an NVIDIA or AMD GPU, as PyTorch says it."""
        return self.device.type == "cuda"

    def dim(self) -> int:
        """Return the number of axes."""
        return len(self.shape)

    def t(self) -> Outline:
        """Return the transposed matrix."""
        return Outline(self.shape[::-1], self.steps[::-1], self.dtype, self.device)

    def channels_last(self) -> Outline:
        """Return images or filters as PyTorch lays them out channels-last; what has no four axes stays."""
        if len(self.shape) != 4:
            return self
        empty = torch.empty_strided(self.shape, self.steps, device="meta")
        return self._replace(steps=empty.contiguous(memory_format=torch.channels_last).stride())

    def random(self) -> torch.Tensor:
        """Return such a tensor with normal values."""
        reach = 1 + sum((e - 1) * s for e, s in zip(self.shape, self.steps, strict=True) if e)
        memory = torch.randn(reach, device=self.device, dtype=torch.float32).to(self.dtype)
        return memory.as_strided(self.shape, self.steps)
