# SPDX-License-Identifier: MIT
"""Modules and the patch: the same numbers, gradients and state dicts as PyTorch's, and fallbacks that can be seen."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

import tracea  # noqa: E402
from tracea import fallback  # noqa: E402
from tracea.torch import filters, kernels, modules, patch, shapes  # noqa: E402

SETTINGS: list[dict[str, Any]] = [
    {}, {"padding": 1}, {"padding": "same"}, {"stride": 2, "padding": (1, 0)}, {"dilation": 2, "bias": False}, {"groups": 4},
    {"padding": 1, "padding_mode": "reflect"},
]  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS)
def test_convolution_module(settings: dict[str, Any]) -> None:
    theirs = nn.Conv2d(4, 8, 3, **settings)
    mine = tracea.TraceaConv2d(4, 8, 3, **settings, fallback="error")
    mine.load_state_dict(theirs.state_dict())
    x = torch.randn(2, 4, 9, 8)
    torch.testing.assert_close(mine(x), theirs(x), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(mine(x[0]), theirs(x[0]), rtol=1e-4, atol=1e-4)
    for module in (mine, theirs):
        module(x).square().sum().backward()
    for a, b in zip(mine.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-3, atol=1e-3)
    theirs.load_state_dict(mine.state_dict())
    assert isinstance(mine, nn.Conv2d) and mine.fallback_reason(x) is None


@pytest.mark.parametrize(("channels", "groups", "last", "told"), [
    (6, 6, True, False), (6, 6, False, True), (12, 6, True, True), (6, 2, True, True), (6, 1, False, False),
])  # fmt: skip
def test_groups_that_pytorch_computes_sooner_on_a_cpu(channels: int, groups: int, last: bool, told: bool) -> None:
    layout = torch.channels_last if last else torch.contiguous_format
    x = torch.randn(2, 6, 5, 7).to(memory_format=layout)
    theirs = nn.Conv2d(6, channels, 3, groups=groups).to(memory_format=layout)
    mine = tracea.TraceaConv2d.from_module(theirs)
    assert ("groups of channels sooner" in str(mine.fallback_reason(x))) is told
    with fallback.overheard() as heard:
        torch.testing.assert_close(mine(x), theirs(x), rtol=1e-4, atol=1e-4)
    assert any("groups of channels sooner" in reason for reason in heard) is told
    insisting = tracea.TraceaConv2d.from_module(theirs, fallback="error")
    assert insisting.fallback_reason(x) is None, "a kernel takes it, for those who ask for no other"
    torch.testing.assert_close(insisting(x), theirs(x), rtol=1e-4, atol=1e-4)


def _kernels_of(call: Any) -> list[bool]:
    """Whether minimal filtering was allowed, for each call of `ops.conv2d` that a module makes."""
    seen: list[bool] = []
    with pytest.MonkeyPatch.context() as patch:
        given = modules.conv2d

        def watch(*arguments: Any, **settings: Any) -> Any:
            seen.append(settings["allow_winograd"])
            return given(*arguments, **settings)

        patch.setattr(modules, "conv2d", watch)
        call()
    return seen


def test_minimal_filtering_is_asked_for_where_it_may_be_and_not_elsewhere() -> None:
    theirs = nn.Conv2d(16, 24, 3, padding=1)
    mine = tracea.TraceaConv2d.from_module(theirs, activation="relu", allow_winograd=True)
    x = torch.randn(2, 16, 17, 15)
    with torch.no_grad():
        expected = theirs(x).relu()
        assert _kernels_of(lambda: torch.testing.assert_close(mine(x), expected, rtol=1e-4, atol=1e-4)) == [True]
        assert _kernels_of(lambda: torch.testing.assert_close(mine(x[1]), expected[1], rtol=1e-4, atol=1e-4)) == [True]
        assert _kernels_of(lambda: mine.double()(x.double())) == []
        plain = tracea.TraceaConv2d.from_module(theirs.float(), activation="relu")
        assert _kernels_of(lambda: plain(x)) == []
        strided = tracea.TraceaConv2d(16, 24, 3, stride=2, padding=1, allow_winograd=True)
        assert _kernels_of(lambda: strided(x)) == []
    assert _kernels_of(lambda: mine.float()(x).sum().backward()) == []
    assert theirs.weight.grad is not None
    assert "allow_winograd=True" in repr(mine)


def test_linear_module() -> None:
    theirs = nn.Linear(5, 6)
    mine = tracea.TraceaLinear.from_module(theirs, activation="gelu")
    assert mine.weight is theirs.weight and "activation='gelu'" in repr(mine)
    for x in (torch.randn(2, 3, 5), torch.randn(5)):
        torch.testing.assert_close(mine(x), nn.functional.gelu(theirs(x)), rtol=1e-4, atol=1e-4)
    assert mine.fallback_reason(x) is None and set(mine.state_dict()) == {"weight", "bias"}
    mine(x).sum().backward()
    assert theirs.weight.grad is not None


@pytest.mark.parametrize(("name", "opens"), [("swiglu", nn.functional.silu), ("geglu", nn.functional.gelu)])
def test_a_bias_ahead_of_a_gate(name: str, opens: Callable[[torch.Tensor], torch.Tensor]) -> None:
    layer, x = tracea.TraceaLinear(5, 12, activation=name), torch.randn(3, 5)
    gate, up = nn.functional.linear(x, layer.weight, layer.bias).chunk(2, -1)
    expected = opens(gate) * up
    for got in (layer(x), tracea.ops.linear(x, layer.weight.detach(), layer.bias.detach(), epilogue=name)):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
    with pytest.raises(tracea.ShapeError, match="even number"):
        tracea.ops.linear(x, torch.randn(7, 5), torch.randn(7), epilogue="swiglu")


def test_modules_train_export_and_copy() -> None:
    model = nn.Sequential(tracea.TraceaConv2d(3, 4, 3, activation="relu"), nn.Flatten(), tracea.TraceaLinear(144, 2))
    other = copy.deepcopy(model)
    x = torch.randn(2, 3, 8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    before = model(x).square().sum()
    before.backward()
    optimizer.step()
    assert model(x).square().sum() < before
    assert torch.equal(other[0].weight, other[0].weight) and not torch.equal(other[0].weight, model[0].weight)
    with torch.no_grad():
        compiled = torch.compile(model, backend="eager", fullgraph=True)
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-4)


def test_where_matrix_units_want_channels_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "LAID_OUT", ("cpu",))
    layer, x = tracea.TraceaConv2d(4, 8, 3, padding=1), torch.randn(2, 4, 9, 8)
    last = {"memory_format": torch.channels_last}
    assert "channels-last" in layer.fallback_reason(x), "PyTorch's result would not be"
    with pytest.raises(tracea.UnsupportedError, match="channels-last"):
        tracea.TraceaConv2d.from_module(layer, fallback="error")(x)
    expected = nn.Conv2d.forward(layer, x)
    torch.testing.assert_close(layer(x), expected)
    assert layer(x).is_contiguous()
    seen: list[Any] = []
    real = kernels.run
    monkeypatch.setattr(
        "tracea.torch.kernels.run", lambda name, tensors, *rest: (seen.append(tensors), real(name, tensors, *rest))[1]
    )
    other = copy.deepcopy(layer).to(**last)
    with torch.no_grad():
        for module, image in ((layer, x.contiguous(**last)), (other, x), (other, x.contiguous(**last))):
            got = module(image)
            torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
            assert got.is_contiguous(**last) and module.fallback_reason(image) is None
    assert len(seen) == 3 and all(t.is_contiguous(**last) for tensors in seen for t in tensors[:2])
    assert seen[2][1].data_ptr() == other.weight.data_ptr(), "what lies so already is not copied"


def test_wrong_settings_are_refused_when_made() -> None:
    with pytest.raises(tracea.OptionError, match="fallback='never'"):
        tracea.TraceaConv2d(3, 4, 3, fallback="never")
    with pytest.raises(tracea.OptionError, match="needs arrays"):
        tracea.TraceaLinear(3, 4, activation="residual")
    with pytest.raises(tracea.OptionError, match="unknown epilogue stage"):
        tracea.TraceaLinear(3, 4, activation="wobble")


def test_what_cannot_be_stated_is_seen(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fallback, "_told", set())
    layer, x = tracea.TraceaConv2d(3, 4, 2, padding="same", activation="relu"), torch.randn(1, 3, 5, 5)
    assert "even filter" in layer.fallback_reason(x)
    with caplog.at_level(logging.WARNING, "tracea"):
        torch.testing.assert_close(layer(x), torch.relu(nn.Conv2d.forward(layer, x)))
        layer(x)
    assert sum("even filter" in record.message for record in caplog.records) == 1
    layer.fallback = "error"
    with pytest.raises(tracea.UnsupportedError, match="even filter"):
        layer(x)


def test_a_kernel_that_is_missing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_qualifies(*given: Any) -> Any:
        raise tracea.UnsupportedError("no variant runs it here")

    monkeypatch.setattr(kernels, "BoundPlan", none_qualifies)
    kernels.forget_entries()
    assert tracea.TraceaConv2d(3, 4, 3).fallback_reason(torch.randn(1, 3, 5, 5)) == "no variant runs it here"
    kernels.forget_entries()


def test_patch_and_unpatch(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, x = nn.Conv2d(3, 4, 3, padding=1), torch.randn(2, 3, 7, 7)
    calls: list[str] = []
    real = kernels.run
    monkeypatch.setattr("tracea.torch.kernels.run", lambda name, *rest: (calls.append(name), real(name, *rest))[1])
    with torch.no_grad():
        expected = layer(x)
        with tracea.patch_conv2d():
            torch.testing.assert_close(layer(x), expected, rtol=1e-4, atol=1e-4)
            assert calls == ["conv2d"] and patch.is_patched()
            with tracea.patch_conv2d():
                assert patch.is_patched()
            assert patch.is_patched(), "patches nest"
        assert not patch.is_patched()
        assert torch.equal(layer(x), expected) and calls == ["conv2d"]
        handle = tracea.patch_conv2d()
        tracea.unpatch_conv2d()
        assert not patch.is_patched()
        tracea.unpatch_conv2d()
        handle.undo()
        assert not patch.is_patched()


def test_training_under_the_patch() -> None:
    layer = nn.Conv2d(3, 4, 3)
    other = copy.deepcopy(layer)
    x = torch.randn(2, 3, 7, 7)
    with tracea.patch_conv2d():
        layer(x).square().sum().backward()
    other(x).square().sum().backward()
    torch.testing.assert_close(layer.weight.grad, other.weight.grad, rtol=1e-3, atol=1e-3)


def test_the_patch_ends_with_an_error_inside() -> None:
    with pytest.raises(ValueError, match="inside"), tracea.patch_conv2d():
        raise ValueError("inside")
    assert not patch.is_patched()


def test_planes_with_filters_of_their_own_are_not_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "LAID_OUT", ("cpu",))
    layer, x = tracea.TraceaConv2d(4, 4, 3, padding=1, groups=4).half(), torch.randn(2, 4, 9, 8).half()
    assert "channels-last" in (modules.refusal(layer, x, layer.weight) or "")
    monkeypatch.setattr(filters, "walking", lambda device: True)
    assert modules.refusal(layer, x, layer.weight) is None
    seen: list[bool] = []

    def called(name: str, matrices: Any, *rest: Any, **settings: Any) -> Any:
        seen.append(all(tensor.is_contiguous() for tensor in matrices))
        return x

    monkeypatch.setattr(modules, "call_named", called)
    monkeypatch.setattr(modules, "slower", lambda module, x: None)
    assert layer(x) is x and seen == [True]
