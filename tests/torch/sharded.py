# SPDX-License-Identifier: MIT
"""One of two processes whose tensors are divided among both: ``python sharded.py RANK STORE``.

Prints as JSON how results lie, how far they are from those of undivided tensors, and how far a network that is trained by parallel columns
and rows of its weights is from one that is not.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from tracea import ops
from tracea.torch import kernels
from tracea.torch.modules import TraceaLinear


def network() -> Any:
    torch.manual_seed(3)
    return torch.nn.Sequential(TraceaLinear(16, 12, activation="gelu"), TraceaLinear(12, 16)).double()


def train(layers: Any, batch: torch.Tensor) -> None:
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        layers(batch).square().mean().backward()
        optimizer.step()


def word(placement: Any) -> str:
    """A placement as people write it."""
    if placement.is_partial():
        return "P"
    return f"S({placement.dim})" if placement.is_shard() else "R"


def main(rank: int, store: str) -> None:
    torch.manual_seed(7)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, dtype=torch.float64)

    x, w, b, heads = draw(8, 16), draw(12, 16), draw(12), draw(2, 4, 6, 8)
    here, rows, columns = [Replicate()], [Shard(0)], [Shard(1)]
    calls: dict[str, tuple[Callable[..., Any], list[tuple[torch.Tensor, Any]]]] = {
        "rows": (lambda x, w, b: ops.linear(x, w, b, epilogue="silu"), [(x, rows), (w, here), (b, here)]),
        "columns": (lambda x, w, b: ops.linear(x, w, b, epilogue="relu"), [(x, here), (w, rows), (b, rows)]),
        "summed": (lambda x, w, b: ops.linear(x, w, b), [(x, columns), (w, columns), (b, here)]),
        # the same tensors: what is known of those must not answer for another epilogue
        "bent": (lambda x, w, b: ops.linear(x, w, b, epilogue="relu"), [(x, columns), (w, columns), (b, here)]),
        "normed": (lambda x: ops.softmax(ops.layer_norm(x)), [(x, rows)]),
        "attended": (lambda q: ops.attention(q, q, q, causal=True), [(heads, columns)]),
    }
    placed, apart = {}, {}
    for title, (call, given) in calls.items():
        with torch.inference_mode(title == "normed"):
            got = call(*(distribute_tensor(tensor, mesh, place) for tensor, place in given))
            expected = call(*(tensor for tensor, _ in given))
            placed[title] = word(got.placements[0])
            apart[title] = float((got.full_tensor() - expected).abs().max())
    placed["bent"] = "P" if placed["bent"] == "P" else "R or S"
    alone, shared = network(), network()
    parallelize_module(shared, mesh, {"0": ColwiseParallel(), "1": RowwiseParallel()})
    before = [parameter.detach().clone() for parameter in alone.parameters()]
    train(alone, x)
    train(shared, x)
    after = [parameter.full_tensor().detach() for parameter in shared.parameters()]
    expected = [parameter.detach() for parameter in alone.parameters()]
    said = {
        "placed": placed,
        "apart": apart,
        "trained": max(float((a - b).abs().max()) for a, b in zip(after, expected, strict=True)),
        "moved": max(float((a - b).abs().max()) for a, b in zip(before, expected, strict=True)),
        "kernels": sum(entry.plan is not None for entry in kernels._entries.values()),
    }
    print(json.dumps(said), flush=True)
    dist.destroy_process_group()
    os._exit(0)  # threads of gloo may outlive who owns them at an interpreter's end, which aborts then


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
