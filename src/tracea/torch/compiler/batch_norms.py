# SPDX-License-Identifier: MIT
"""Batch norms in training behind convolutions: the convolution's kernel sums what the norm asks of the batch.

Before, a convolution and ``batch_norm(…, training=True)``, which reads the result for its mean and variance, then once more. After,
``tracea.conv2d_stats``, and steps of one element that Inductor joins to what follows: the result is read once less. It is taken where a
trial says that summing costs less than reading. Gradients flow through mean and variance, so the backward pass is that of these steps.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from tracea_core.data import Data
from tracea_core.errors import TraceaError

from tracea.torch import kernels, statistics
from tracea.torch.compiler import trial
from tracea.torch.compiler.anchors import value_of
from tracea.torch.compiler.pointwise import argument, is_in_place, name_of
from tracea.torch.compiler.regions import Region
from tracea.torch.compiler.sketch import Sketch

DEVICES = ("cpu",)
"""Where kernels sum columns."""
_NEEDED = 1.25
"""How many times faster than a kernel and a pass of its own one that sums must have been.

A pass that stands alone tells more than is saved. With AVX2, where a trial said 1.04 to 1.19 of 1×1 convolutions of 8 images, a step of
convolution, norm and ReLU took 0.98 to 1.01 of its time with statistics; 3×3 ones lose, whose minimal filtering sums no columns.
"""


class Summed(Data, frozen=True):
    """Seconds with statistics: of one kernel, and of a kernel and a pass, on tensors as they are and channels-last; of the passes alone."""

    together: float
    together_channels_last: float
    apart: float
    apart_channels_last: float
    reading: float
    reading_channels_last: float

    def pays(self, channels_last: bool) -> bool:
        """Whether one kernel is the faster."""
        one, two = (
            (self.together_channels_last, self.apart_channels_last) if channels_last else (self.together, self.apart)
        )
        return two >= _NEEDED * one

    def said(self, channels_last: bool) -> str:
        """Return why statistics are left to a pass of their own, or nothing where they are not."""
        if self.pays(channels_last):
            return ""
        one, two = (
            (self.together_channels_last, self.apart_channels_last) if channels_last else (self.together, self.apart)
        )
        return f"; {two / one:.2f} times as fast with statistics of the batch as with a pass for them, {_NEEDED} needed"

    def times(self, plain: trial.Times) -> trial.Times:
        """Return the times of a convolution and its statistics, by those of the convolution."""
        gained = [self.apart - self.together if self.pays(False) else 0.0]
        gained += [self.apart_channels_last - self.together_channels_last if self.pays(True) else 0.0]
        return trial.Times(
            plain.fused + self.reading - gained[0],
            plain.fused_channels_last + self.reading_channels_last - gained[1],
            plain.unfused + min(self.reading, self.reading_channels_last),
        )


ALWAYS = Summed(0.0, 0.0, 1.0, 1.0, 1.0, 1.0)
"""What stands for a trial where a policy wants none."""


class Norm(NamedTuple):
    """A batch norm in training: its node, running mean and variance, weight and bias, how far the former move, and what is added."""

    node: torch.fx.Node
    mean: torch.fx.Node | None
    variance: torch.fx.Node | None
    weight: torch.fx.Node | None
    bias: torch.fx.Node | None
    momentum: float
    eps: float


def norm_behind(region: Region) -> Norm | None:
    """Return the batch norm in training that reads a convolution's result, if the kernel may sum its columns."""
    result = value_of(region.exit)
    if region.anchor.op != "conv2d" or region.anchor.settings[-1] != 1 or result is None or region.views:
        return None
    known = result.device.type in DEVICES and result.dim() == 4 and all(type(extent) is int for extent in result.shape)
    if not known or any(
        is_in_place(user) and user.args[:1] == (region.exit,) for user in region.exit.users if not _trains(user)
    ):
        return None
    return next((norm for norm in map(_norm, region.exit.users) if norm and norm.node.args[0] is region.exit), None)


def _trains(node: torch.fx.Node) -> bool:
    return name_of(node) == "batch_norm" and argument(node, 5, "training", False) is True


def _norm(node: torch.fx.Node) -> Norm | None:
    if not _trains(node) or not node.args:
        return None
    names = ("running_mean", "running_var", "weight", "bias")
    tensors: list[Any] = [argument(node, place, name) for place, name in enumerate(names, 1)]
    momentum, eps = argument(node, 6, "momentum", 0.1), argument(node, 7, "eps", 1e-5)
    if not isinstance(momentum, float) or not isinstance(eps, float) or (tensors[0] is None) != (tensors[1] is None):
        return None
    if any(tensor is not None and value_of(tensor) is None for tensor in tensors):
        return None
    mean, variance, weight, bias = tensors
    return Norm(node, mean, variance, weight, bias, momentum, eps)


def trial_of(region: Region, sketch: Sketch, configuration: str, timed: bool = True) -> Summed | None:
    """Return what statistics by the kernel cost and save, or None where no norm asks for them or no kernel has them."""
    if norm_behind(region) is None:
        return None
    try:
        found = statistics.entry(sketch.tensors, sketch.text, sketch.settings)  # type: ignore[arg-type]
    except TraceaError:  # such an epilogue has no sums behind it; the convolution may still be taken
        return None
    if found.reason is not None or found.path is None:
        return None
    if not timed:
        return ALWAYS
    both = f"{configuration}, sums {found.path.configuration.describe()}"
    return trial.remembered(sketch, both, "statistics 1", Summed, functools.partial(_measure, sketch))


def _measure(sketch: Sketch) -> Summed:
    with torch.no_grad(), torch.utils._python_dispatch._disable_current_modes():
        given = sketch.materialize()
        moved = [t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t for t in given]
        moved[1] = given[1]
        sides: dict[str, Callable[[], Any]] = {}
        for name, tensors in (("", given), ("_channels_last", moved)):
            plain = functools.partial(kernels.run, sketch.op, tensors, sketch.text, sketch.settings, "")
            sides["together" + name] = functools.partial(statistics.compute, tensors, sketch.text, sketch.settings, "")
            sides["apart" + name] = functools.partial(_one_after_the_other, plain)
            sides["reading" + name] = functools.partial(_read, plain())
        return Summed(**trial.in_turns(sides, sketch.device))


def _one_after_the_other(product: Callable[[], torch.Tensor]) -> torch.Tensor:
    return _read(product())


def _read(result: torch.Tensor) -> torch.Tensor:
    """Read a result once and add it up: less than what any code for mean and variance does."""
    if result.stride(1) == 1:
        rows = result.permute(0, 2, 3, 1)
        return rows.reshape(-1, rows.shape[-1]).sum(0)
    return result.sum((0, 2, 3))


def normalize(
    graph: torch.fx.Graph, norm: Norm, results: Sequence[torch.fx.Node], now: dict[torch.fx.Node, torch.fx.Node]
) -> None:
    """Put the steps that make the norm of a convolution with statistics in the norm's place, and move its running statistics.

    Parameters
    ----------
    results : sequence of torch.fx.Node
        The convolution's result, mean and variance.
    now : dict
        What stands for nodes that are gone; the norm is added.
    """
    like = value_of(norm.node)
    assert like is not None
    every = like.numel() // like.shape[1]
    y, mean, variance = results
    given = [None if node is None else now.get(node, node) for node in norm[1:5]]
    with graph.inserting_before(norm.node):
        for running, value, factor in ((given[0], mean, 1.0), (given[1], variance, every / max(every - 1, 1))):
            if running is not None:
                graph.call_method("mul_", (running, 1.0 - norm.momentum))
                fixed = graph.call_method("detach", (value,))
                graph.call_method("add_", (running, fixed), {"alpha": norm.momentum * factor})
        scale = graph.call_function(torch.rsqrt, (graph.call_function(operator.add, (variance, norm.eps)),))
        if given[2] is not None:
            scale = graph.call_function(operator.mul, (scale, given[2]))
        apart = graph.call_function(operator.sub, (y, _along(graph, mean)))
        made = graph.call_function(operator.mul, (apart, _along(graph, scale)))
        if given[3] is not None:
            made = graph.call_function(operator.add, (made, _along(graph, given[3])))
        made = graph.call_method("to", (made, like.dtype))
    made.meta = dict(norm.node.meta)
    norm.node.replace_all_uses_with(made)
    now[norm.node] = made
    graph.erase_node(norm.node)


def _along(graph: torch.fx.Graph, vector: torch.fx.Node) -> torch.fx.Node:
    """Return a vector with one value for each channel, spread over images."""
    return graph.call_method("view", (vector, 1, -1, 1, 1))
