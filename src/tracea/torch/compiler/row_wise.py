# SPDX-License-Identifier: MIT
"""Softmax and norms in a graph: which calls are one of tracea's, what rides along, and what a trial compares.

Only on processors, where no gradient is recorded, and where the rows lie in memory anyway. Inductor joins a norm to the steps ahead of it,
so one of what only it reads would cost a pass more; and on a GPU it launches its kernel sooner than PyTorch's dispatcher is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec

from tracea.arrays import TORCH
from tracea.ops.request import Request
from tracea.ops.rows import PROBLEMS
from tracea.torch import epilogues
from tracea.torch.compiler.pointwise import argument, name_of
from tracea.torch.compiler.whole import WHOLE, Whole

if TYPE_CHECKING:
    from tracea.torch.compiler.sketch import Sketch

DEVICES = ("cpu",)
OPERATORS = ("softmax", "norm")


class Call(NamedTuple):
    """One call: the operator, its tensors (a weight or a bias may be missing) and its settings ahead of the backend."""

    op: str
    given: tuple[torch.fx.Node | None, ...]
    settings: tuple[Any, ...]


def call_of(node: torch.fx.Node, x: torch.Tensor) -> Call | str:
    """Return how a node is stated to tracea, or why it cannot be; `x` is the tensor whose rows it is about."""
    name = name_of(node)
    if x.dim() < 2:
        return "a vector has no rows to share a kernel"
    if "softmax" in name:
        if argument(node, 1, "dim") not in (-1, x.dim() - 1):
            return "its rows are not the last axis"
        other = node.kwargs.get("dtype"), *node.args[2:]
        if any(isinstance(kind, torch.dtype) for kind in other):
            return "it computes in another type than its tensor's"
        return Call("softmax", (argument(node, 0, "input"),), (name == "log_softmax", 1.0, None))
    shape = argument(node, 1, "normalized_shape")
    if not isinstance(shape, tuple | list) or len(shape) != 1:
        return "it is taken over several axes"
    weight = argument(node, 2, "weight")
    if name == "layer_norm":
        bias, eps = argument(node, 3, "bias"), argument(node, 4, "eps", 1e-5)
    else:
        bias, eps = None, argument(node, 3, "eps")
        if eps is None and x.dtype in (torch.float32, torch.float64):
            eps = torch.finfo(x.dtype).eps
    if not isinstance(eps, float):
        return "its epsilon is not known yet"
    kind = name.removesuffix("_norm")
    return Call("norm", (argument(node, 0, "input"), weight, bias), (kind, eps, None))


def _parts(sketch: Sketch) -> tuple[str, tuple[Any, ...]]:
    """Return the function's name, and the settings of its problem."""
    if sketch.op == "softmax":
        return ("log_softmax" if sketch.settings[0] else "softmax"), sketch.settings
    kind, eps, out_dtype = sketch.settings
    weight, bias = sketch.present
    return f"{kind}_norm", (kind, eps, weight, bias, out_dtype)


def _problem(sketch: Sketch) -> Problem:
    name, settings = _parts(sketch)
    specs = tuple(TORCH.spec(tensor) for tensor in sketch.tensors)
    epilogue = epilogues.epilogue_of(sketch.text)
    return PROBLEMS[name](*settings, Request(specs[: sketch.inputs], epilogue, specs[sketch.inputs :]))


def _strides(sketch: Sketch) -> tuple[int, ...]:
    spec = TORCH.spec(sketch.tensors[0])
    return TensorSpec.contiguous(spec.shape, spec.dtype).strides


def _given(sketch: Sketch, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor | None]:
    """Return the operator's own tensors, with None for those that are missing."""
    rest = list(tensors[: sketch.inputs])
    return [rest.pop(0), *(rest.pop(0) if there else None for there in sketch.present)]


def _call(sketch: Sketch, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    operator = getattr(torch.ops.tracea, f"_{sketch.op}").default
    operands = list(tensors[sketch.inputs :])
    result: torch.Tensor = operator(*_given(sketch, tensors), operands, sketch.text, *sketch.settings, "")
    return result


def _in_torch(sketch: Sketch, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """What it replaces at the least: Inductor joins the steps behind it, and takes as long for an RMS norm as PyTorch for a layer norm."""
    x, *rest = _given(sketch, tensors)
    assert x is not None
    if sketch.op == "softmax":
        return torch.log_softmax(x, -1) if sketch.settings[0] else torch.softmax(x, -1)
    return torch.nn.functional.layer_norm(x, x.shape[-1:], rest[0], rest[1], sketch.settings[1])


def _work(sketch: Sketch) -> int:
    return TORCH.spec(sketch.tensors[0]).size


for _name in OPERATORS:
    WHOLE[_name] = Whole(_problem, _call, _in_torch, _strides, _work)
