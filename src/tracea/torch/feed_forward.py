# SPDX-License-Identifier: MIT
"""Two products with an activation between them, for training in compiled graphs: the first one stores what the activation is applied to.

Before: a kernel for the first product and its bias, whose result is stored, and a pass that reads it and stores GELU of it. After: one
kernel that stores both. Of the two, the backward pass keeps what the activation was applied to and applies it again, in the pass that
needs its slope, while the activation's result is free once the second product has read it.

``torch.ops.tracea.feed_forward`` stands in graphs that the compiler of tracea rewrites (`tracea.torch.compiler.keeping`); autograd takes it
apart into ``_kept``, which returns both results, and the second product.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch
from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Auxiliary, Constant, Operand, linearize, rewrite

from tracea.torch import autograd, kernels, shapes
from tracea.torch.autocast import cast_to
from tracea.torch.autograd import wide
from tracea.torch.auxiliary import SLOPES
from tracea.torch.epilogues import apply_text, epilogue_of, evaluate, text_of
from tracea.torch.registration import register_inside
from tracea.torch.slopes import slopes_of
from tracea.torch.tails import FUNCTIONS, cut
from tracea.tracing import constant_while_tracing

SETTINGS: dict[str, tuple[Any, ...]] = {"linear": (), "matmul": (None, False, False)}
"""The products that this knows, with the settings that it gives them."""
_SCHEMA = (
    "(Tensor x, Tensor first, Tensor second, Tensor[] operands, str head, str tail, str text, str[] products, "
    "int operands_of_first, bool own) -> Tensor"
)
_KEPT = "(Tensor x, Tensor weight, Tensor[] operands, str head, str tail, str product) -> (Tensor, Tensor)"


class _How(NamedTuple):
    """What is asked besides tensors.

    The epilogue of the first product, its activation, the second one's epilogue, both products, how many operands are the first one's, and
    whether the second product is tracea's or PyTorch's.
    """

    head: str
    tail: str
    text: str
    products: tuple[str, str]
    of_first: int
    own: bool


@constant_while_tracing
@functools.lru_cache(maxsize=1024)
def storing(head: str, tail: str) -> str:
    """Return the epilogue of a product that stores what `tail` is applied to.

    Examples
    --------
    >>> storing("bias", "gelu")
    'bias,auxiliary,gelu'
    """
    if not tail.startswith("{"):
        return ",".join(part for part in (head, "auxiliary", tail) if part)
    ahead, after = epilogue_of(head), epilogue_of(tail)
    stored = Auxiliary(ahead.expr, Operand(len(ahead.operands)))
    expr = rewrite(after.expr, lambda leaf: stored if isinstance(leaf, Accumulator) else leaf)
    operands = (*ahead.operands, EpilogueOperand("auxiliary", OperandAxes.FULL))
    label = ", ".join(part for part in (ahead.label, "auxiliary", after.label) if part)
    return text_of(Epilogue(expr, operands, label=label))


@constant_while_tracing
@functools.lru_cache(maxsize=1024)
def parted(text: str) -> tuple[str, str] | None:
    """Return an epilogue as a head whose backward pass needs no sums and a function of that alone; None if it is nothing of the kind.

    Examples
    --------
    >>> parted("bias,gelu"), parted("bias,gelu,residual")
    (('bias', 'gelu'), None)
    """
    if not text.startswith("{"):
        head, tail, _ = cut(text)
        return (head, tail) if tail in FUNCTIONS else None
    epilogue = epilogue_of(text)
    columns = [operand.axes for operand in epilogue.operands] == [OperandAxes.COLUMN]
    if epilogue.gated or epilogue.stored_dtype is not None or not (columns or not epilogue.operands):
        return None
    head = "bias" if columns else ""
    ahead, pre = epilogue_of(head).expr, Accumulator(1)
    rest = rewrite(epilogue.expr, lambda leaf: leaf, lambda node: pre if node == ahead else None)
    leaves = {node for node, places in linearize(rest) if not places and not isinstance(node, Constant)}
    if leaves != {pre}:
        return None
    rest = rewrite(rest, lambda leaf: Accumulator() if leaf == pre else leaf)
    label = epilogue.label.removeprefix("bias").removeprefix(", ")
    tail = text_of(Epilogue(rest, label=label))
    try:
        slopes_of(tail)
    except OptionError:
        return None
    return head, tail


def _applied(tail: str, pre: torch.Tensor) -> torch.Tensor:
    """Return an activation of a tensor, by PyTorch."""
    if tail in FUNCTIONS:
        return FUNCTIONS[tail](pre)
    return apply_text(tail, pre.to(wide(pre.dtype)), [], -1).to(pre.dtype)


def _sloped(tail: str, gradient: torch.Tensor, pre: torch.Tensor) -> torch.Tensor:
    """Return the gradient of what an activation is applied to."""
    if tail in SLOPES:
        return SLOPES[tail](gradient, pre)
    slope = evaluate(slopes_of(tail).sums[0], [pre.to(wide(pre.dtype))], [])
    return (gradient * slope).to(pre.dtype)


def _feed_forward(
    x: torch.Tensor, first: torch.Tensor, second: torch.Tensor, operands: Sequence[torch.Tensor],
    head: str, tail: str, text: str, products: Sequence[str], operands_of_first: int, own: bool,
) -> torch.Tensor:  # fmt: skip
    one, two = products
    how = _How(head, tail, text, (one, two), operands_of_first, own)
    kind = x.device.type
    if torch.is_autocast_enabled(kind):
        target = torch.get_autocast_dtype(kind)
        x, first, second = (cast_to(tensor, target) for tensor in (x, first, second))
    result: torch.Tensor = _FeedForward.apply(how, x, first, second, *operands)  # type: ignore[no-untyped-call]
    return result


class _FeedForward(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, how: _How, x: torch.Tensor, first: torch.Tensor, second: torch.Tensor, *operands: torch.Tensor
    ) -> torch.Tensor:
        asked = ctx.needs_input_grad[1:]
        one, two = how.products
        ahead, behind = operands[: how.of_first], operands[how.of_first :]
        act, pre = torch.ops.tracea._kept.default(x, first, list(ahead), how.head, how.tail, one)
        result = _second(how, act, second, behind)
        ctx.how, ctx.one, ctx.two = how, SimpleNamespace(), SimpleNamespace()
        for_first, for_second = asked[3 : 3 + how.of_first], asked[3 + how.of_first :]
        said = (how.head, *SETTINGS[one], ""), (how.text, *SETTINGS[two], "")
        of_one = autograd.kept(one, ctx.one, (*asked[:2], False, *for_first), (x, first, said[0], *ahead), pre)
        needed = any((*asked[:2], *for_first))
        asked_of_two, given = (needed, asked[2], False, *for_second), (act, second, said[1], *behind)
        of_two = autograd.kept(two, ctx.two, asked_of_two, given, result, in_torch=not how.own)
        ctx.save_for_backward(pre, *of_one, None, *of_two[1:])  # the activation's result is computed again
        return result

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
        how = ctx.how
        pre, *saved = ctx.saved_tensors
        count = 3 + how.of_first
        act = _applied(how.tail, pre) if ctx.two.asked[1] else None
        by_act, by_second, _, *of_second = autograd.through(
            how.products[1], ctx.two, (act, *saved[count + 1 :]), gradient
        )
        by_x = by_first = None
        of_first = [None] * how.of_first
        if by_act is not None:
            by_pre = _sloped(how.tail, by_act, pre)
            by_x, by_first, _, *of_first = autograd.through(how.products[0], ctx.one, saved[:count], by_pre)
        return None, by_x, by_first, by_second, *of_first, *of_second


def _second(how: _How, act: torch.Tensor, second: torch.Tensor, operands: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the second product: tracea's with its epilogue, or PyTorch's with a bias, if there is one."""
    name = how.products[1]
    if how.own:
        result: torch.Tensor = getattr(torch.ops.tracea, name).default(
            act, second, list(operands), how.text, *SETTINGS[name], ""
        )
        return result
    bias = operands[0].to(act.dtype) if operands else None
    if name == "linear":
        return torch.nn.functional.linear(act, second, bias)
    if bias is not None and act.dim() == 2:
        return torch.addmm(bias, act, second)
    product = torch.matmul(act, second)
    return product if bias is None else product + bias


def _kept(
    x: torch.Tensor, weight: torch.Tensor, operands: Sequence[torch.Tensor], head: str, tail: str, product: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return an activation of a product with its epilogue, and what it is applied to."""
    tensors, settings = [x, weight, *operands], SETTINGS[product]
    layout = kernels.layout_of(product, tensors, epilogue_of(head), settings)
    pre = kernels.allocator(layout, x.device)()
    return kernels.run(product, [*tensors, pre], storing(head, tail), settings, ""), pre


def _fake(
    x: torch.Tensor, weight: torch.Tensor, operands: Sequence[torch.Tensor], head: str, tail: str, product: str
) -> tuple[torch.Tensor, torch.Tensor]:
    fake = {"linear": shapes.fake_linear, "matmul": shapes.fake_matmul}[product]
    said = (operands, head, *SETTINGS[product], "")
    return fake(x, weight, *said), fake(x, weight, *said)  # type: ignore[operator]


register_inside("feed_forward", _SCHEMA, _feed_forward)
register_inside("_kept", _KEPT, _kept, _fake)
