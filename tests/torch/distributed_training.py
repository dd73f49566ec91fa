# SPDX-License-Identifier: MIT
"""One of two processes that train the same layers on halves of a batch: ``python distributed_training.py RANK STORE HOW``.

Prints as JSON the largest deviation of parameters from those of one process that sees the whole batch, and which ops tracea computed.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import torch
import torch.distributed as dist

import tracea
from tracea.torch import kernels
from tracea.torch.modules import TraceaConv2d, TraceaLinear


class Network(torch.nn.Module):
    """A convolution, two linear layers, and a product with a parameter that is no module's."""

    def __init__(self, conv: Any, linear: Any) -> None:
        super().__init__()
        self.conv, self.first, self.second = conv(3, 8, 3, padding=1), linear(8 * 36, 32), linear(32, 16)
        self.last = torch.nn.Parameter(torch.randn(16, 4) / 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.conv(x)).flatten(1)
        return tracea.ops.matmul(torch.relu(self.second(torch.relu(self.first(x)))), self.last)


def train(network: Any, batches: list[torch.Tensor]) -> None:
    optimizer = torch.optim.SGD(network.parameters(), lr=0.5, momentum=0.9)
    for batch in batches:
        optimizer.zero_grad()
        network(batch).square().mean().backward()
        optimizer.step()


def whole(parameter: torch.Tensor) -> torch.Tensor:
    """A parameter as one process has it."""
    full = getattr(parameter, "full_tensor", None)
    return (parameter if full is None else full()).detach()


def _farthest(some: list[torch.Tensor], others: list[torch.Tensor]) -> float:
    return max(float((a - b).abs().max()) for a, b in zip(some, others, strict=True))


def main(rank: int, store: str, how: str) -> None:
    torch.manual_seed(7)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    alone, shared = Network(TraceaConv2d, TraceaLinear), Network(TraceaConv2d, TraceaLinear)
    shared.load_state_dict(alone.state_dict())
    batches = [torch.randn(8, 3, 6, 6) for _ in range(4)]
    before = [parameter.detach().clone() for parameter in alone.parameters()]
    train(alone, batches)
    if how in ("ddp", "planted"):
        wrapped: Any = torch.nn.parallel.DistributedDataParallel(shared)
    else:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        mesh = init_device_mesh("cpu", (2,))
        for layer in (shared.conv, shared.first, shared.second):
            fully_shard(layer, mesh=mesh)
        wrapped = fully_shard(shared, mesh=mesh)
    halves = [batch[rank * 4 : rank * 4 + 4] for batch in batches]
    if how == "planted":  # both see the same half: what the test has to notice
        halves = [batch[:4] for batch in batches]
    train(wrapped, halves)
    after = [whole(parameter) for parameter in wrapped.parameters()]
    expected = [parameter.detach() for parameter in alone.parameters()]
    told = {
        "apart": _farthest(after, expected),
        "moved": _farthest(before, expected),
        "kernels": sum(entry.plan is not None for entry in kernels._entries.values()),
        "left": [str(entry.reason) for entry in kernels._entries.values() if entry.reason is not None],
    }
    print(json.dumps(told), flush=True)
    dist.destroy_process_group()
    os._exit(0)  # threads of gloo may outlive who owns them at an interpreter's end, which aborts then


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
