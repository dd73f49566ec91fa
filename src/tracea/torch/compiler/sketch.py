# SPDX-License-Identifier: MIT
"""A region as tensors of concrete sizes: what the decision asks the core about, and what a trial runs.

Extents that vary stand with the value they have now. Asking a symbol for its hint adds no guard, so deciding does not narrow what a
compiled graph accepts. On a GPU images and filters of a convolution stand channels-last, whatever they are: matrix units want them so,
and Inductor lays out a network's convolutions so as well.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import torch
from torch._prims_common import make_contiguous_strides_for
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.problem import Problem

from tracea.torch import epilogues, kernels, shapes
from tracea.torch.compiler import whole
from tracea.torch.compiler.anchors import Anchor, value_of
from tracea.torch.compiler.pointwise import name_of
from tracea.torch.compiler.regions import Region
from tracea.torch.compiler.whole import WHOLE
from tracea.torch.outline import Outline

GRADIENTS_TIMED = ("cpu",)
"""Devices on which the operators' own gradients stand in compiled graphs; elsewhere they are PyTorch's, but for long convolutions."""


class Sketch(NamedTuple):
    """One region: operator, tensors (its inputs, then the epilogue's operands), epilogue, settings.

    `inputs` counts those of the operator; `present` says of what it may lack whether it is there: a norm's weight and bias. `recorded` says
    of which inputs of a product gradients are recorded on devices of `GRADIENTS_TIMED`, and of attention on all; it is empty where of none.
    What is `spelled_out` stands for several steps of the graph. `dropout` is the share of attention's weights that are dropped.
    """

    op: str
    tensors: tuple[Outline, ...]
    epilogue: Epilogue
    text: str
    settings: tuple[Any, ...]
    saves_pass: bool
    has_bias: bool
    inputs: int = 2
    present: tuple[bool, ...] = ()
    recorded: tuple[bool, ...] = ()
    spelled_out: bool = False
    dropout: float = 0.0

    @property
    def device(self) -> torch.device:
        """Where it runs."""
        return self.tensors[0].device

    @property
    def laid_out(self) -> bool:
        """Whether it is a convolution of channels-last tensors, which it then has to be given."""
        return self.op in shapes.CONVOLUTIONS and self.device.type in shapes.LAID_OUT

    @property
    def is_called(self) -> bool:
        """Whether no kernel of ours can take its place, but PyTorch's one call may (`tracea.torch.compiler.one_call`)."""
        return self.op in WHOLE and any(self.recorded)

    @property
    def work(self) -> int:
        """Multiplications of the product."""
        if self.op in WHOLE:
            return WHOLE[self.op].work(self)
        first, second = (tensor.shape for tensor in self.tensors[:2])
        if self.op == "conv2d":
            stride, padding, dilation, _ = self.settings
            sizes = zip(first[2:], second[2:], stride, padding, dilation, strict=True)
            out = tuple((e + 2 * p - d * (r - 1) - 1) // s + 1 for e, r, s, p, d in sizes)
            return first[0] * _count(second) * _count(out)
        if self.op == "conv_transpose2d":
            return first[0] * _count(second) * _count(first[2:])
        return _count(first) * second[0 if self.op == "linear" else -1]

    def entry(self) -> kernels.Entry:
        """Return what a call with such tensors becomes; it is the very entry that the compiled graph will find."""
        if self.op in WHOLE:
            return whole.entry(self)
        return kernels.find(self.op, list(self.tensors), self.text, self.settings, "")  # type: ignore[arg-type]

    def problem(self) -> Problem:
        """Return the problem of that very entry: its epilogue is that of the text, whose operands may have other names."""
        if self.op in WHOLE:
            return WHOLE[self.op].problem(self)
        epilogue = epilogues.epilogue_of(self.text)
        return kernels.problem_of(self.op, self.tensors, epilogue, self.settings)  # type: ignore[arg-type]

    def materialize(self) -> list[torch.Tensor]:
        """Return random tensors."""
        return [outline.random() for outline in self.tensors]

    def digest(self) -> str:
        """Return what is equal for equal regions in every process."""
        said = (
            self.op,
            [(t.shape, t.steps, str(t.dtype)) for t in self.tensors],
            self.text,
            self.settings,
            self.saves_pass,
            *self.recorded,
            *(("spelled out",) if self.spelled_out else ()),
            *((self.dropout,) if self.dropout else ()),
        )
        return hashlib.sha256(repr(said).encode()).hexdigest()


def sketch_of(region: Region) -> Sketch:
    """Return the region with numbers for symbols.

    Under autocast the operands have the type that the product has, as autocast will cast them.
    """
    anchor = region.anchor
    result = value_of(anchor.node)
    assert result is not None
    matrices = [_outline(node, result.dtype) for node in anchor.inputs]
    operands = []
    for feed in region.feeds:
        outline = _outline(feed.node)
        if feed.how == "flat":
            outline = outline._replace(shape=(_count(outline.shape),), steps=(1,))
        elif feed.how in ("lower", "upper"):
            outline = outline._replace(shape=(outline.shape[0] // 2,))
        elif feed.how == "rows":
            outline = outline._replace(
                shape=(_count(outline.shape) // outline.shape[-1], outline.shape[-1]), steps=(outline.shape[-1], 1)
            )
        operands.append(outline)
    if region.parts is not None:  # what is stored besides the result lies as it does
        stored = _outline(anchor.node)
        operands.append(stored._replace(steps=tuple(make_contiguous_strides_for(stored.shape))))
    sketch = Sketch(
        anchor.op,
        (*matrices, *operands),
        region.epilogue if region.parts is None else epilogues.epilogue_of(region.text),
        region.text,
        anchor.settings,
        anchor.spelled_out or saves_a_pass(region),
        anchor.bias is not None,
        len(matrices),
        tuple(node is not None for node in anchor.given[1:]) if anchor.op in WHOLE else (),
        _recorded(anchor, result),
        anchor.spelled_out,
        anchor.dropout,
    )
    return sketch._replace(tensors=tuple(t.channels_last() for t in sketch.tensors)) if sketch.laid_out else sketch


def _recorded(anchor: Anchor, result: torch.Tensor) -> tuple[bool, ...]:
    """Return which inputs get a gradient that a trial computes, too: the operator's own (`tracea.torch.autograd`), or attention's."""
    timed = anchor.op in WHOLE or result.device.type in GRADIENTS_TIMED
    if not timed or not result.requires_grad:
        return ()
    asked = tuple(tensor is not None and tensor.requires_grad for tensor in map(value_of, anchor.inputs))
    return asked if any(asked) else ()


_MATERIALIZE = (
    "linear",
    "matmul",
    "mm",
    "bmm",
    "addmm",
    "conv2d",
    "conv_transpose2d",
    "scaled_dot_product_attention",
    "embedding",
    "output",
)
_VIEWS = (
    "view",
    "reshape",
    "permute",
    "transpose",
    "flatten",
    "unflatten",
    "chunk",
    "split",
    "getitem",
    "t",
    "unsqueeze",
    "squeeze",
)


def saves_a_pass(region: Region) -> bool:
    """Whether what rides along would have been a pass over memory of its own.

    Inductor joins steps of one element to those that follow and to norms; a residual ahead of a layer norm costs it nothing. A pass of
    its own is needed where somebody takes the value from memory: another product, attention, the caller. Biases count where they are a
    step, too: Inductor takes those of a GPU's convolutions off, since libraries are slower with them. An image that the caller expects in
    planes is written so by Inductor's pass over it, which a kernel that keeps channels together does not spare.
    """
    first = value_of(region.anchor.first)
    apart = region.anchor.op in shapes.CONVOLUTIONS and first is not None and first.device.type in shapes.LAID_OUT
    if not region.rides and not (apart and region.text):
        return False
    waiting, seen = list(region.exit.users), set[torch.fx.Node]()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        name = "output" if node.op == "output" else name_of(node)
        if name == "output" and apart and not _lies_last(region.exit):
            continue
        if name in _MATERIALIZE:
            return True
        if name in _VIEWS:
            waiting += list(node.users)
    return False


def lies_in_memory(region: Region, taken: set[torch.fx.Node]) -> bool:
    """Whether what a region reads first is stored in any case: a graph's input, a product's result, the end of a region that is taken."""
    node = region.anchor.first
    while name_of(node) in _VIEWS and node not in taken and isinstance(node.args[0], torch.fx.Node):
        node = node.args[0]
    return node.op in ("placeholder", "get_attr") or node in taken or name_of(node) in _MATERIALIZE


def _lies_last(node: torch.fx.Node) -> bool:
    """Whether an image's channels lie together; nothing is asked of symbols."""
    tensor = value_of(node)
    step = tensor.stride()[1] if tensor is not None and tensor.dim() == 4 else None
    return isinstance(step, int) and step == 1


def _outline(node: torch.fx.Node, dtype: torch.dtype | None = None) -> Outline:
    tensor = value_of(node)
    assert tensor is not None
    return Outline(
        tuple(hint(extent) for extent in tensor.shape),
        tuple(hint(step) for step in tensor.stride()),
        tensor.dtype if dtype is None or tensor.dtype is torch.bool else dtype,
        tensor.device,
    )


def hint(extent: Any) -> int:
    """Return the value that a symbolic extent has now, without adding a guard."""
    if isinstance(extent, torch.SymInt):
        found = extent.node.hint
        return 2 if found is None else int(found)
    return int(extent)


def _count(shape: tuple[int, ...]) -> int:
    total = 1
    for extent in shape:
        total *= extent
    return total
