# SPDX-License-Identifier: MIT
"""Calls that are compiled before anything was called, then made eagerly, then compiled again: how many graphs that takes.

Nothing here imports `tracea.torch`, as people do not who use another backend of PyTorch's compiler: the operators are registered when
`tracea.ops` is imported beside PyTorch, or by the first call where PyTorch comes later. Each call is made in a fork of a process that
has called nothing; ``python compiled_first.py {torch,tracea}`` imports that one first and prints the counts, or errors, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

os.environ["CUDA_VISIBLE_DEVICES"] = (
    ""  # a fork cannot use what its parent has begun to use, and PyTorch looks for GPUs
)

if sys.argv[1] == "tracea":
    from tracea import ops

import torch
import torch._dynamo
import torch._functorch.aot_autograd
from torch._dynamo.testing import CompileCounter

if sys.argv[1] == "torch":
    from tracea import ops

x, w, filters = torch.randn(4, 64), torch.randn(64, 64), torch.randn(8, 4, 3, 3)
image, one = torch.randn(1, 4, 8, 8), torch.ones(())
low = x.to(torch.float8_e4m3fn), w.to(torch.float8_e4m3fn)
CASES: dict[str, Callable[[], Any]] = {
    "matmul": lambda: ops.matmul(x, w),
    "matmul, with a type": lambda: ops.matmul(x, w, out_dtype="fp32"),
    "linear": lambda: ops.linear(x, w),
    "conv2d": lambda: ops.conv2d(image, filters),
    "softmax": lambda: ops.softmax(x),
    "layer_norm": lambda: ops.layer_norm(x),
    "attention": lambda: ops.attention(x[None, None], x[None, None], x[None, None]),
    "scaled_matmul": lambda: ops.scaled_matmul(*low, one, one),
}


def graphs(call: Callable[[], Any]) -> int:
    """Return how many graphs a call is compiled to before and after eager calls, of it and with a parameter."""
    counter = CompileCounter()
    compiled = torch.compile(call, backend=counter, fullgraph=True)
    compiled()
    call()
    call()
    ops.matmul(torch.nn.Parameter(x), w)
    compiled()
    return int(counter.frame_count)


def main() -> None:
    """Make every call."""
    found: dict[str, str] = {}
    for name, call in CASES.items():
        read, write = os.pipe()
        if not os.fork():
            try:
                said = str(graphs(call))
            except BaseException as error:
                said = repr(error)[:1000]
            os.write(write, said.encode())
            os._exit(0)
        os.close(write)
        found[name] = os.read(read, 4096).decode()
        os.wait()
    print(json.dumps({"served": "tracea.torch" in sys.modules, **found}))


if __name__ == "__main__":
    main()
