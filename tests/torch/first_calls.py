# SPDX-License-Identifier: MIT
"""First calls of every op inside ``torch.compile(fullgraph=True)``, each in a fork of a process that has called nothing.

``python first_calls.py [case …]`` prints as JSON what became of each: ``agrees`` with the eager call that follows it, or the error.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

os.environ["CUDA_VISIBLE_DEVICES"] = (
    ""  # a fork cannot use what its parent has begun to use, and PyTorch looks for GPUs
)

import torch
import torch._dynamo
import torch._functorch.aot_autograd
import tracea_core.pipeline.plan  # noqa: F401 - what the ops import when they are called, so that each fork need not
from tracea_core.ops.named import parse_epilogue

import tracea
import tracea.torch as tt
import tracea.torch.naming
from tracea import BatchNorm, BiasAdd, Clamp, Gelu, ReLU, Residual, Scale, SwiGLU, fallback, ops

F = torch.nn.functional
image, filters = (2, 4, 7, 7), (6, 4, 3, 3)
Case = Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]


def draw(*shape: int) -> Any:
    return torch.randn(*shape)


def _with(function: Callable[..., Any], *shapes: tuple[int, ...]) -> Case:
    return lambda: (function, tuple(draw(*shape) for shape in shapes))


def _with_objects() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    stages = Scale(0.1) | BiasAdd(draw(9)) | Gelu()
    return lambda x, w: ops.linear(x, w, epilogue=stages), (draw(5, 7), draw(9, 7))


def _with_stages_made_inside() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    def call(x: Any, w: Any, b: Any, r: Any) -> Any:
        return ops.linear(x, w, epilogue=Scale(0.1) | BiasAdd(b) | "gelu" | Residual(r) | Clamp(-1.0, 1.0))

    return call, (draw(5, 7), draw(9, 7), draw(9), draw(5, 9))


def _with_a_gate_made_inside() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return lambda x, w, b: ops.linear(x, w, epilogue=BiasAdd(b) | SwiGLU()), (draw(5, 7), draw(10, 7), draw(10))


def _with_statistics_given_inside() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    def call(x: Any, w: Any, mean: Any, var: Any) -> Any:
        return ops.conv2d(x, w, epilogue=BatchNorm(mean, var.abs() + 1, eps=1e-3) | ReLU())

    return call, (draw(*image), draw(*filters), draw(6), draw(6))


def _with_an_epilogue() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    own = parse_epilogue("gelu").replace(label="mine")
    return lambda x, w: ops.linear(x, w, epilogue=own), (draw(5, 7), draw(9, 7))


def _grouped(**settings: Any) -> Case:
    ends = torch.tensor([2, 6])

    def make() -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return lambda x, w, b: ops.grouped_matmul(x, w, ends, bias=b, **settings), (
            draw(6, 7),
            draw(2, 7, 9),
            draw(2, 9),
        )

    return make


def _module(make: Callable[[], Any], *shape: int) -> Case:
    return lambda: (make(), (draw(*shape),))


def _patched() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    tracea.patch_conv2d()
    return torch.nn.Sequential(torch.nn.Conv2d(4, 6, 3), torch.nn.ReLU()), (draw(2, 4, 7, 7),)


def _patched_inside() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    layer = torch.nn.Conv2d(4, 6, 3)

    def call(x: Any) -> Any:
        with tracea.patch_conv2d():
            return layer(x)

    return call, (draw(2, 4, 7, 7),)


def _planted(x: Any) -> Any:
    logging.getLogger("tracea").warning("told while tracing")
    return fallback.to_torch("softmax", "planted", "torch", lambda: x)


CASES: dict[str, Case] = {
    "matmul": _with(lambda a, b: ops.matmul(a, b, epilogue="relu"), (5, 7), (7, 9)),
    "matmul scaled": _with(
        lambda a, b, c: ops.matmul(a, b, alpha=2.0, beta=0.5, c=c, epilogue="gelu"), (5, 7), (7, 9), (5, 9)
    ),
    "matmul of a function": _with(lambda a, b: ops.matmul(a, b, epilogue=lambda v: v * abs(v)), (5, 7), (7, 9)),
    "linear": _with(lambda x, w, b: ops.linear(x, w, b, epilogue="gelu"), (5, 7), (9, 7), (9,)),
    "linear of stages": _with_objects,
    "linear of stages made inside": _with_stages_made_inside,
    "gate made inside": _with_a_gate_made_inside,
    "batch norm made inside": _with_statistics_given_inside,
    "linear of an epilogue": _with_an_epilogue,
    "aligned": _with(lambda x, w: ops.matmul(ops.aligned(x), ops.aligned(w.t())), (5, 7), (9, 7)),
    "gate": _with(lambda x, w, b: ops.linear(x, w, b, epilogue="swiglu"), (5, 7), (10, 7), (10,)),
    "operator": _with(lambda x, w, b: tt.linear(x, w, [b], "bias,gelu"), (5, 7), (9, 7), (9,)),
    "conv2d": _with(lambda x, w: ops.conv2d(x, w, padding=1, epilogue="silu"), image, filters),
    "conv_transpose2d": _with(lambda x, w, b: ops.conv_transpose2d(x, w, b, stride=2), image, (4, 6, 3, 3), (6,)),
    "softmax": _with(lambda x: ops.softmax(x, epilogue="square"), (5, 7)),
    "log_softmax": _with(lambda x: ops.log_softmax(x, scale=0.5, fallback="error"), (5, 7)),
    "layer_norm": _with(lambda x, w, b: ops.layer_norm(x, w, b, epilogue="gelu"), (5, 7), (7,), (7,)),
    "rms_norm": _with(lambda x, w: ops.rms_norm(x, w, fallback="error"), (5, 7), (7,)),
    "attention": _with(lambda q, k: ops.attention(q, k, k), (1, 2, 5, 8), (1, 2, 6, 8)),
    "attention in a window": _with(
        lambda q, k: ops.attention(q, k, k, causal=True, left=3, epilogue="relu"), (2, 5, 8), (2, 6, 8)
    ),
    "attention under a mask": _with(
        lambda q, k, m: ops.attention(q, k, k, mask=m, epilogue="relu"), (2, 5, 8), (2, 6, 8), (5, 6)
    ),
    "low_rank_mlp": _with(
        lambda x, a, b: ops.low_rank_mlp(x, a, b, activation="gelu", epilogue="relu"), (5, 7), (7, 2), (2, 6)
    ),
    "grouped_matmul": _grouped(epilogue="gelu"),
    "convolution module": _module(lambda: tracea.TraceaConv2d(4, 6, 3, padding="same", activation="relu"), *image),
    "what no kernel states": _module(lambda: tracea.TraceaConv2d(4, 6, 2, padding="same"), *image),
    "linear module": _module(lambda: tracea.TraceaLinear(7, 9, activation="gelu", fallback="error"), 5, 7),
    "patched": _patched,
    "patched inside": _patched_inside,
    "planted": _with(_planted, (5, 7)),
}
"""By name; what is planted cannot be traced."""
BARE = ("matmul", "linear of stages", "conv2d", "softmax", "attention", "low_rank_mlp", "grouped_matmul")
"""Cases that are also run without gradients, where calls take another way."""


def check(case: Case, gradients: bool) -> None:
    """Raise unless the compiled first call does what the eager second one does."""
    torch.manual_seed(0)
    function, given = case()
    args, others = ([t.clone().requires_grad_(gradients) for t in given] for _ in range(2))
    got = torch.compile(function, fullgraph=True, backend="eager")(*args)
    expected = function(*others)
    torch.testing.assert_close(got, expected, rtol=1e-3, atol=1e-4)
    # what gradients are is compared elsewhere: they need kernels of their own
    assert got.requires_grad is expected.requires_grad is gradients


def forked(case: Case, gradients: bool) -> str:
    """Return what became of a case in a fork."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = "agrees"
        try:
            check(case, gradients)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode()[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    os.waitpid(child, 0)
    return said or "died"


def main(names: list[str]) -> None:
    """Run the cases of these names, all by default."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.compile(lambda x: x + 1, backend="eager")(
        torch.zeros(1)
    )  # what PyTorch does once need not be done by each fork
    said = {}
    for name in names or CASES:
        for gradients in (False, True) if name in BARE else (True,):
            found = forked(CASES[name], gradients)
            said[f"{name}, {'gradients' if gradients else 'none'}"] = found
    print(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1:])
