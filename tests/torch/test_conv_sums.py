# SPDX-License-Identifier: MIT
"""Convolutions that return sums of their result: those of what is stored, by whoever computes it."""

from __future__ import annotations

import pytest
from tracea_core.ops.column_sums import block_sums as reference
from tracea_core.ops.column_sums import counts, joined

torch = pytest.importorskip("torch")

import tracea.torch  # noqa: E402, F401 - registers the operators
from tracea.torch import column_sums  # noqa: E402
from tracea.torch.in_torch import block_sums  # noqa: E402

SETTINGS = ([1, 1], [1, 1], [1, 1], 1)


@pytest.mark.parametrize(("shape", "axis", "block"), [((2, 8, 5, 7), 1, 32), ((3, 5, 4, 16), 1, 64), ((70, 9), -1, 24)])
def test_sums_of_what_is_stored(shape: tuple[int, ...], axis: int, block: int) -> None:
    y = torch.randn(shape, dtype=torch.float64) + 100.0
    found = block_sums(y, axis, block)
    assert torch.allclose(found, torch.from_numpy(reference(y.numpy(), axis, block)), atol=1e-9, rtol=0)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize(("text", "bias"), [("", False), ("bias", True), ("bias,relu", True)])
def test_the_operator_returns_both(dtype: torch.dtype, text: str, bias: bool) -> None:
    x = (torch.randn(3, 4, 7, 9) + 2).to(dtype).contiguous(memory_format=torch.channels_last)
    weight, operands = torch.randn(6, 4, 3, 3).to(dtype), [torch.randn(6).to(dtype)] if bias else []
    y, sums = torch.ops.tracea._conv2d_sums.default(x, weight, operands, text, *SETTINGS, "")
    plain = torch.ops.tracea.conv2d.default(x, weight, operands, text, *SETTINGS, "")
    torch.testing.assert_close(y, plain, atol=2 * float(plain.abs().max()) * torch.finfo(dtype).eps, rtol=0)
    mean, variance = joined(sums.double().numpy(), counts(3 * 7 * 9, column_sums.BLOCK))
    torch.testing.assert_close(torch.from_numpy(mean), y.double().mean((0, 2, 3)), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(torch.from_numpy(variance), y.double().var((0, 2, 3), correction=0), atol=0, rtol=1e-4)


def test_its_fake_promises_what_it_returns() -> None:
    x, weight = torch.randn(2, 4, 9, 8).contiguous(memory_format=torch.channels_last), torch.randn(8, 4, 3, 3)
    torch.library.opcheck(
        torch.ops.tracea._conv2d_sums.default,
        (x, weight, [], "", *SETTINGS, ""),
        test_utils=("test_schema", "test_faketensor"),
    )


def test_an_epilogue_of_its_own_is_summed_as_well() -> None:
    from tracea_core.ops.named import parse_epilogue

    text = column_sums.text_with_sums(parse_epilogue("relu").to_json())
    assert '"sums"' in text and column_sums.text_with_sums("") == "sums:64"
