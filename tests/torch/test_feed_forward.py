# SPDX-License-Identifier: MIT
"""Two products with an activation between them as one operator: values and gradients are those of three steps, whatever is asked for."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = pytest.importorskip("torch.nn.functional")
from tracea_core.dtypes import DType  # noqa: E402
from tracea_core.ops.auxiliary import plain  # noqa: E402
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Cast, Operand  # noqa: E402
from tracea_core.ops.named import parse_epilogue  # noqa: E402

from tracea.torch import auxiliary, feed_forward  # noqa: E402
from tracea.torch.epilogues import epilogue_of, text_of  # noqa: E402
from tracea.torch.tails import FUNCTIONS  # noqa: E402


def draw(*shape: int, dtype: Any = torch.float64) -> Any:
    made = torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(sum(shape)))
    return made.to(dtype).requires_grad_()


def call(x: Any, first: Any, second: Any, operands: Any, tail: str, names: list[str], of_first: int, own: bool) -> Any:
    head, text = ("bias" if of_first else ""), ("bias" if len(operands) > of_first else "")
    return torch.ops.tracea.feed_forward(x, first, second, operands, head, tail, text, names, of_first, own)


def steps(x: Any, first: Any, second: Any, operands: Any, tail: str, names: list[str], of_first: int) -> Any:
    one, two = (w if name == "linear" else w.t() for w, name in zip((first, second), names, strict=True))
    ahead, behind = (operands[0] if of_first else None), (operands[of_first] if len(operands) > of_first else None)
    return F.linear(FUNCTIONS[tail](F.linear(x, one, ahead)), two, behind)


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("tail", sorted(auxiliary.SLOPES))
def test_values_and_gradients(tail: str, own: bool) -> None:
    tensors = draw(3, 5), draw(7, 5), draw(4, 7)
    biases = draw(7), draw(4)
    names = ["linear", "linear"]

    def ours(*given: Any) -> Any:
        return call(*given[:3], list(given[3:]), tail, names, 1, own)

    torch.testing.assert_close(ours(*tensors, *biases), steps(*tensors, biases, tail, names, 1))
    assert torch.autograd.gradcheck(ours, (*tensors, *biases))


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("names", [["matmul", "matmul"], ["linear", "matmul"], ["matmul", "linear"]])
@pytest.mark.parametrize("biases", [(False, False), (True, False), (False, True)])
def test_products_by_columns_and_biases_that_are_missing(names: list[str], biases: Any, own: bool) -> None:
    first, second = draw(7, 5), draw(4, 7)
    weights = [
        w if name == "linear" else w.detach().t().contiguous().requires_grad_()
        for w, name in zip((first, second), names, strict=True)
    ]
    operands = [b for b, there in zip((draw(7), draw(4)), biases, strict=True) if there]
    x = draw(3, 5)
    ours, theirs = (
        call(x, *weights, operands, "gelu", names, int(biases[0]), own),
        steps(x, *weights, operands, "gelu", names, int(biases[0])),
    )
    given = [x, *weights, *operands]
    weight = torch.arange(4.0, dtype=torch.float64)
    for mine, other in zip(*(torch.autograd.grad((y * weight).sum(), given) for y in (ours, theirs)), strict=True):
        torch.testing.assert_close(mine, other)
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("asked", [(1,), (2,), (3,), (4,), (0, 2), (1, 4)])
def test_only_what_is_asked_for_has_gradients(asked: tuple[int, ...]) -> None:
    given = [
        t.detach().requires_grad_(p in asked)
        for p, t in enumerate((draw(3, 5), draw(7, 5), draw(4, 7), draw(7), draw(4)))
    ]
    call(*given[:3], given[3:], "silu", ["linear", "linear"], 1, True).square().sum().backward()
    others = [t.detach().requires_grad_(t.requires_grad) for t in given]
    steps(*others[:3], others[3:], "silu", ["linear", "linear"], 1).square().sum().backward()
    for place, (mine, other) in enumerate(zip(given, others, strict=True)):
        assert (mine.grad is not None) == (place in asked)
        if mine.grad is not None:
            torch.testing.assert_close(mine.grad, other.grad)


def test_under_autocast_products_are_narrow_and_gradients_are_not() -> None:
    given = [draw(*shape, dtype=torch.float32) for shape in ((3, 64), (96, 64), (32, 96), (96,), (32,))]
    with torch.autocast("cpu", torch.bfloat16):
        mine = call(*given[:3], given[3:], "gelu", ["linear", "linear"], 1, True)
        other = steps(*given[:3], given[3:], "gelu", ["linear", "linear"], 1)
    assert mine.dtype is torch.bfloat16
    torch.testing.assert_close(mine, other, rtol=0.05, atol=0.5)
    for one, two in zip(*(torch.autograd.grad(y.float().sum(), given) for y in (mine, other)), strict=True):
        assert one.dtype is torch.float32 and (one - two).norm() <= 0.05 * two.norm()


def test_the_activation_of_what_a_kernel_cannot_take_is_pytorchs() -> None:
    x, w = torch.randn(3, 4).to(torch.float16), torch.randn(5, 4).to(torch.float16)
    act, pre = torch.ops.tracea._kept(x, w, [], "", "gelu", "linear")
    torch.testing.assert_close(pre, F.linear(x, w), rtol=1e-2, atol=1e-2)
    torch.testing.assert_close(act, F.gelu(pre), rtol=1e-2, atol=1e-2)
    assert feed_forward.storing("", "gelu") == "auxiliary,gelu"


def test_epilogues_are_parted_where_a_function_of_one_value_is_left() -> None:
    assert feed_forward.parted("bias,residual,silu") == ("bias,residual", "silu")
    for text in ("bias,gelu,residual", "swiglu", "bias,swiglu", "gelu,bias"):
        assert feed_forward.parted(text) is None
    bias, silu = parse_epilogue("bias"), parse_epilogue("bias,silu")
    nameless = text_of(silu.replace(label="bias, strange"))
    parts = feed_forward.parted(nameless)
    assert parts is not None and parts[0] == "bias" and epilogue_of(parts[1]).expr == parse_epilogue("silu").expr
    stored = epilogue_of(feed_forward.storing(*parts))
    assert (
        stored.auxiliaries == {1: bias.expr}
        and plain(stored.expr) == silu.expr
        and stored.operands[0] == bias.operands[0]
    )
    for other in (Accumulator(), Operand(0)):  # besides the biased sum
        mixed = silu.replace(expr=Binary(BinaryFn.MUL, silu.expr, other), label="mixed")
        assert feed_forward.parted(text_of(mixed)) is None
    cast = silu.replace(expr=Cast(DType.INT8, silu.expr), label="quantized")
    assert feed_forward.parted(text_of(cast)) is None


def test_pytorchs_checks_of_what_graphs_contain() -> None:
    given = draw(3, 5).detach(), draw(7, 5).detach(), [draw(7).detach()], "bias", "gelu", "linear"
    torch.library.opcheck(torch.ops.tracea._kept.default, given, test_utils=["test_schema", "test_faketensor"])
