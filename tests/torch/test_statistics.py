# SPDX-License-Identifier: MIT
"""Convolutions with statistics: values, gradients, what PyTorch asks of every operator, and what happens where no kernel sums columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tracea_core.errors import OptionError, UnsupportedError  # noqa: E402

from tracea import ReLU, ops  # noqa: E402
from tracea.torch import kernels, statistics  # noqa: E402
from tracea.torch.registration import SEVERAL  # noqa: E402

F = torch.nn.functional
OPERATOR = torch.ops.tracea.conv2d_stats.default
ONCE = ([1, 1], [1, 0], [1, 1])


def draw(*shape: int, seed: int = 0, dtype: Any = None) -> Any:
    found = torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed + sum(shape)))
    return found.to(dtype or torch.float64)


def given(groups: int = 1) -> tuple[Any, ...]:
    """Arguments of the operator; with several groups no kernel sums columns."""
    return draw(2, 4, 4, 3), draw(6, 4 // groups, 3, 2), [draw(6)], "bias,relu", *ONCE, groups, ""


def expected(x: Any, weight: Any, operands: Any, groups: int = 1, dilation: int = 1) -> tuple[Any, Any, Any]:
    y = F.conv2d(x, weight, operands[0], 1, (1, 0), dilation, groups).relu()
    variance, mean = torch.var_mean(y, (0, 2, 3), correction=0)
    return y, mean, variance


def close(got: Any, other: Any, accuracy: float = 1e-6) -> None:
    for one, two in zip(got, other, strict=True):
        torch.testing.assert_close(one, two, atol=accuracy, rtol=accuracy)


@pytest.fixture
def summed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The epilogues of the convolutions that are run."""
    texts: list[str] = []
    run = kernels.run

    def noted(name: str, tensors: Any, text: str, *rest: Any) -> Any:
        texts.append(text)
        return run(name, tensors, text, *rest)

    monkeypatch.setattr(statistics.kernels, "run", noted)
    return texts


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("size", [(2, 3, 9, 7, 5), (4, 16, 17, 16, 40), (1, 8, 1, 2, 3)])
def test_values_are_those_of_the_result_whatever_its_mean(
    size: tuple[int, ...], layout: Any, summed: list[str]
) -> None:
    n, c, h, w, k = size
    x, weight, bias = (
        draw(n, c, h, w, dtype=torch.float32),
        draw(k, c, 3, 3, dtype=torch.float32),
        torch.full((k,), 500.0),
    )
    y, mean, variance = ops.conv2d_stats(x.contiguous(memory_format=layout), weight, bias, padding=1)
    assert summed == [f"bias,sums:{statistics.BLOCK}"]
    assert y.is_contiguous(memory_format=layout) and mean.dtype is variance.dtype is torch.float32
    torch.testing.assert_close(y, F.conv2d(x, weight, bias, padding=1), atol=1e-3, rtol=1e-6)
    wide = y.double()
    torch.testing.assert_close(mean.double(), wide.mean((0, 2, 3)), atol=0, rtol=1e-6)
    torch.testing.assert_close(variance.double(), wide.var((0, 2, 3), correction=0), atol=0, rtol=1e-4)


def test_numpy_arrays_and_tensors_agree() -> None:
    x, weight, bias = (draw(*shape, dtype=torch.float32) for shape in ((3, 4, 8, 7), (9, 4, 3, 3), (9,)))
    ours = ops.conv2d_stats(x.numpy(), weight.numpy(), bias.numpy(), 2, 1, epilogue=ReLU())
    assert all(isinstance(each, np.ndarray) for each in ours)
    theirs = ops.conv2d_stats(x, weight, bias, 2, 1, epilogue=ReLU())
    close([torch.from_numpy(each) for each in ours], theirs, 1e-5)
    y, mean, _ = ops.conv2d_stats(np.zeros((0, 4, 8, 7), np.float32), weight.numpy())
    assert y.shape == (0, 9, 6, 5) and np.isnan(mean).all()


def test_where_no_kernel_sums_columns_the_result_is_read_again(summed: list[str]) -> None:
    close(OPERATOR(*given(2)), expected(*given(2)[:3], 2))
    assert summed == ["bias,relu"]
    x, weight = draw(2, 4, 5, 5, dtype=torch.float32), draw(6, 2, 3, 3, dtype=torch.float32)
    with pytest.raises(UnsupportedError, match="one group"):
        ops.conv2d_stats(x, weight, groups=2, fallback="error")
    with pytest.raises(UnsupportedError, match="one group"):
        ops.conv2d_stats(x.requires_grad_(), weight, groups=2, fallback="error")
    with pytest.raises(UnsupportedError, match="one group"):
        ops.conv2d_stats(x.detach().numpy(), weight.numpy(), groups=2)
    with pytest.raises(OptionError, match="unknown"):
        ops.conv2d_stats(x, weight, groups=2, fallback="maybe")


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_sums_of_narrow_results_are_wide(dtype: Any) -> None:
    x, weight = draw(2, 8, 9, 9, dtype=dtype), draw(16, 8, 3, 3, dtype=dtype)
    y, mean, variance = ops.conv2d_stats(x, weight)
    assert y.dtype is dtype and mean.dtype is variance.dtype is torch.float32
    torch.testing.assert_close(mean, y.float().mean((0, 2, 3)), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(variance, y.float().var((0, 2, 3), correction=0), atol=1e-4, rtol=1e-3)


def test_pytorchs_own_checks() -> None:
    for groups in (1, 2):
        x, weight, operands, *rest = given(groups)
        tensors = x.requires_grad_(), weight.requires_grad_(), [operands[0].requires_grad_()]
        checks = ["test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"]
        torch.library.opcheck(OPERATOR, (*tensors, *rest), test_utils=checks)
    assert statistics.NAME in SEVERAL


def test_gradients_flow_through_all_three_in_both_modes() -> None:
    x, weight, operands, *rest = given()
    inputs = [tensor.requires_grad_() for tensor in (x, weight, *operands)]

    def function(x: Any, weight: Any, bias: Any) -> Any:
        return OPERATOR(x, weight, [bias], *rest)

    assert torch.autograd.gradcheck(function, inputs, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(function, inputs)


def test_gradients_are_those_of_pytorchs_batch_norm() -> None:
    x, weight = draw(4, 5, 9, 8, dtype=torch.float32), draw(12, 5, 3, 3, dtype=torch.float32)
    first = [t.clone().requires_grad_() for t in (x, weight)]
    second = [t.clone().requires_grad_() for t in (x, weight)]
    y, mean, variance = ops.conv2d_stats(*first)
    ours = (y - mean.view(1, -1, 1, 1)) * torch.rsqrt(variance + 1e-5).view(1, -1, 1, 1)
    theirs = F.batch_norm(F.conv2d(*second), None, None, training=True)
    gradient = draw(*theirs.shape, dtype=torch.float32)
    ours.backward(gradient)
    theirs.backward(gradient)
    close([ours, *(t.grad for t in first)], [theirs, *(t.grad for t in second)], 2e-4)


def test_vmap_autocast_inference_meta_and_transforms() -> None:
    x, weight, operands, *rest = given()
    many = torch.stack([x, -x])
    each = [OPERATOR(one, weight, operands, *rest) for one in many]
    close(torch.vmap(lambda one: OPERATOR(one, weight, operands, *rest))(many), [torch.stack(t) for t in zip(*each)])  # noqa: B905
    single = [t.float() for t in (x, weight)]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y, mean, _ = OPERATOR(*single, [operands[0].float()], *rest)
    assert y.dtype is torch.bfloat16 and mean.dtype is torch.float32
    with torch.inference_mode():
        assert all(t.is_inference() for t in OPERATOR(x, weight, operands, *rest))
    found = OPERATOR(x.to("meta"), weight.to("meta"), [operands[0].to("meta")], *rest)
    real = OPERATOR(x, weight, operands, *rest)
    assert [(t.shape, t.stride(), t.dtype) for t in found] == [(t.shape, t.stride(), t.dtype) for t in real]
    mine = torch.func.grad(lambda x: sum(t.square().sum() for t in OPERATOR(x, weight, operands, *rest)))(x)
    theirs = torch.func.grad(lambda x: sum(t.square().sum() for t in expected(x, weight, operands)))(x)
    close([mine], [theirs])
    with pytest.raises(UnsupportedError, match="sparse, nested"):
        OPERATOR(x.float().to_sparse(), weight, operands, *rest)


def test_export_and_compiled_graphs_keep_the_operator() -> None:
    x, weight, operands, *rest = given()

    class Layer(torch.nn.Module):
        def forward(self, x: Any, weight: Any) -> Any:
            return OPERATOR(x, weight, operands, *rest)

    exported = torch.export.export(Layer(), (x, weight))
    assert "tracea.conv2d_stats." in exported.graph_module.code
    close(exported.module()(x, weight), expected(x, weight, operands))
    compiled = torch.compile(
        lambda x, weight: ops.conv2d_stats(x, weight, padding=1), backend="aot_eager", fullgraph=True
    )
    close(compiled(x, weight), ops.conv2d_stats(x, weight, padding=1))
