# SPDX-License-Identifier: MIT
"""Mean and variance of a batch from sums that its convolution leaves: a step of the graph that Inductor compiles, past autograd.

Before, ``y = tracea.conv2d(…); variance, mean = aten.var_mean(y.to(fp32), [0, 2, 3])``, which reads y. After, ``y, sums =
tracea._conv2d_sums(…)``, and sums over their blocks, which Inductor makes one small kernel of together with the norm's scale and running
statistics. The norm itself stays what Inductor made of it, and so does its backward pass, which reads the same mean and variance.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from typing import Any

import torch

from tracea.torch.column_sums import BLOCK

_AXES = [0, 2, 3]
Key = tuple[tuple[int, ...], tuple[int, ...], torch.dtype, str, tuple[Any, ...]]
"""A convolution: shapes of images and filters, type, epilogue, settings."""


def key_of(x: Any, weight: Any, text: str, settings: tuple[Any, ...]) -> Key:
    """Return what says which convolutions are meant."""
    return tuple(x.shape), tuple(weight.shape), x.dtype, text, settings


def use_sums(graph: torch.fx.Graph, wanted: Collection[Key]) -> None:
    """Let convolutions that are wanted leave sums for the mean and variance that are taken of their results; change `graph` in place."""
    for node in list(graph.nodes) if wanted else ():
        source = _summed(node)
        if source is None or _key(source) not in wanted:
            continue
        mode = source.meta["val"].fake_mode
        with graph.inserting_before(source):
            both = _made(graph, mode, torch.ops.tracea._conv2d_sums.default, *source.args)
            y, sums = (_made(graph, mode, operator.getitem, both, number) for number in range(2))
        source.replace_all_uses_with(y)
        graph.erase_node(source)
        with graph.inserting_before(node):
            mean, variance = joined(graph, sums, y.meta["val"].numel() // y.meta["val"].shape[1])
        for user in list(node.users):
            place: Any = user.args[1]
            user.replace_all_uses_with((variance, mean)[place])
            graph.erase_node(user)
        graph.erase_node(node)


def _summed(node: torch.fx.Node) -> torch.fx.Node | None:
    """Return the convolution of whose result a node takes mean and variance, in fp32 and over all of its pixels."""
    if node.target is not torch.ops.aten.var_mean.correction:
        return None
    settings: Any = node.kwargs
    arguments: Any = node.args
    given, axes = arguments[:2]
    value = given.meta["val"]
    exact = settings.get("correction", 1) == 0 and settings.get("keepdim", False) and value.dtype is torch.float32
    if not exact or len(arguments) > 2 or sorted(axes) != _AXES or value.dim() != 4:
        return None
    if given.target is torch.ops.prims.convert_element_type.default:
        given = given.args[0]
    projections = all(user.target is operator.getitem for user in node.users)
    return given if given.target is torch.ops.tracea.conv2d.default and projections else None


def _key(node: torch.fx.Node) -> Key | None:
    arguments: Any = node.args
    x, weight, _, text, *settings, backend = arguments
    first, second = x.meta["val"], weight.meta["val"]
    if backend or any(type(extent) is not int for extent in (*first.shape, *second.shape)):
        return None
    return key_of(first, second, text, tuple(tuple(s) if isinstance(s, list) else s for s in settings))


def joined(graph: torch.fx.Graph, sums: torch.fx.Node, every: int) -> tuple[torch.fx.Node, torch.fx.Node]:
    """Return the nodes of mean and variance, of shape (1, k, 1, 1), by the sums of blocks of `every` pixels in total.

    With r the first value of the first block, d = y₀ − r of another one, n its pixels, and T and S its sums of differences from y₀ and of
    their squares: Σ(y − r) = Σ(T + n·d) and Σ(y − r)² = Σ(S + d·(2·T + n·d)), both of which one pass over the blocks adds up. The
    variance is Σ(y − r)²/every less the square of Σ(y − r)/every, which loses (r − mean)²/variance of the precision: at most `every`,
    were r the only value of its kind. So they are added in double precision, of which 2⁻³⁰ is left of two million pixels. Strides are
    stated of what lies in memory only: so Inductor stores both, and the norm's pass over the result does nothing in double precision.
    """
    aten, prims, value = torch.ops.aten, torch.ops.prims, sums.meta["val"]

    def made(target: Callable[..., Any], *arguments: Any, **settings: Any) -> torch.fx.Node:
        return _made(graph, value.fake_mode, target, *arguments, **settings)

    blocks, channels = value.shape[1:]
    wide = made(prims.convert_element_type.default, sums, torch.float64)
    first, total, squares = (made(aten.select.int, wide, 0, plane) for plane in range(3))
    place = made(
        prims.iota.default, blocks, start=0, step=1, dtype=torch.int64, device=value.device, requires_grad=False
    )
    is_last = made(aten.unsqueeze.default, made(aten.eq.Scalar, place, blocks - 1), 1)
    count, rest = (
        made(aten.full.default, [], float(n), dtype=torch.float64, device=value.device, pin_memory=False)
        for n in (BLOCK, every - (blocks - 1) * BLOCK)
    )
    pixels = made(aten.where.self, is_last, rest, count)
    apart = made(aten.sub.Tensor, first, made(aten.slice.Tensor, first, 0, 0, 1))
    moved = made(aten.mul.Tensor, apart, pixels)
    once = made(aten.add.Tensor, total, moved)
    twice = made(aten.mul.Tensor, apart, made(aten.add.Tensor, once, total))
    means = [
        made(aten.mul.Tensor, made(aten.sum.dim_IntList, each, [0]), 1.0 / every)
        for each in (once, made(aten.add.Tensor, squares, twice))
    ]
    mean = made(aten.add.Tensor, made(aten.select.int, first, 0, 0), means[0])
    variance = made(aten.sub.Tensor, means[1], made(aten.mul.Tensor, means[0], means[0]))
    found = []
    for each in (mean, made(aten.clamp_min.default, variance, 0.0)):
        narrow = made(prims.convert_element_type.default, each, torch.float32)
        found.append(made(aten.as_strided.default, narrow, [1, channels, 1, 1], [channels, 1, 1, 1]))
    return found[0], found[1]


def _made(
    graph: torch.fx.Graph, mode: Any, target: Callable[..., Any], *arguments: Any, **settings: Any
) -> torch.fx.Node:
    """Return a new node that knows what its value looks like, as passes of Inductor ask."""
    node = graph.call_function(target, arguments, settings)
    given: Any = torch.fx.node.map_arg((arguments, settings), lambda one: one.meta["val"])
    with mode:
        node.meta["val"] = target(*given[0], **given[1])
    return node
