# SPDX-License-Identifier: MIT
"""Values that are looked up in a table of 16-bit numbers: their gradients are added up in single precision.

The gradient of a lookup adds to each element of the table whatever was read of it. Threads that add 16-bit numbers to one element of a
GPU's memory wait for each other, and each sum is rounded: with 732 elements a head, of which windows of 197² positions are read, as in a
layer of BEiT, an H200 took 577 µs where it takes a few in single precision. Neither does Inductor sum over a batch beside it as fast. So a
lookup reads the table in single precision, which Inductor does in passing, and its values are narrowed behind it: they are the same, and
their gradients are rounded once.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import torch

from tracea.torch.compiler.anchors import value_of
from tracea.torch.compiler.pointwise import argument, name_of
from tracea.torch.compiler.sketch import hint

DEVICES = ("cuda",)
"""Kinds of devices on which this was found to be faster."""
FEWEST = 0.25
"""Reads of a table's element, on average, from which on its gradient is added up so: that of a large one is memory of twice the size.

DeBERTa gathers one of two: 4 layers took 5.6 ms of an H200's kernels for a training step of 16×256 tokens, and 4.7 so.
"""
_NARROW = (torch.bfloat16, torch.float16)


def widen(graph: torch.fx.Graph) -> None:
    """Let lookups whose gradients are recorded read tables of 16-bit numbers in single precision."""
    for node in list(graph.nodes):
        table = _table(node)
        own, source = value_of(node), value_of(table)
        if table is None or own is None or source is None or not own.requires_grad:
            continue
        if source.dtype not in _NARROW or own.dtype is not source.dtype or source.device.type not in DEVICES:
            continue
        read, held = (math.prod(map(hint, tensor.shape)) for tensor in (own, source))
        if read < FEWEST * held:
            continue
        with graph.inserting_before(node):
            wide = graph.call_method("to", (table, torch.float32))
        wide.meta = {"example_value": source.to(torch.float32)}
        node.update_arg(0, wide)
        with graph.inserting_after(node):
            narrow = graph.call_method("to", (node, source.dtype))
        narrow.meta, node.meta = node.meta, {**node.meta, "example_value": own.to(torch.float32)}
        node.replace_all_uses_with(narrow, delete_user_cb=lambda user, narrow=narrow: user is not narrow)


def _table(node: torch.fx.Node) -> Any:
    """Return what a node looks values up in by places that are known when it runs; None if it does something else."""
    if node.op == "call_function" and node.target is operator.getitem:
        source, places = node.args
        given = places if isinstance(places, tuple | list) else (places,)
        tensors = [tensor for tensor in map(value_of, given) if tensor is not None]
        return source if tensors and not any(t.is_floating_point() or t.dtype is torch.bool for t in tensors) else None
    if name_of(node) in ("index_select", "gather") and node.args and value_of(argument(node, 2, "index")) is not None:
        return node.args[0]
    return None
