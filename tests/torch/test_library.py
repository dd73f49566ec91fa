# SPDX-License-Identifier: MIT
"""The operators inside PyTorch: its own checks of schemas, fakes and gradients, and every mode that may surround a call."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

import tracea  # noqa: E402
import tracea.torch as tt  # noqa: E402
from tracea import ops  # noqa: E402

EPILOGUES = [
    ("", ""), ("bias", "n"), ("bias,relu", "n"), ("bias,gelu", "n"), ("bias,residual,silu", "nr"), ("bias,tanh", "n"),
    ("gelu,residual", "r"), ("column_scale,bias,gelu", "nn"), ("scale:0.5,residual", "r"), ("scale,sigmoid", "s"),
    ("batch_norm:1e-05,relu", "nvnn"), ("bias,leaky_relu", "n"), ("bias,elu", "n"), ("bias,hardsigmoid", "n"),
]  # fmt: skip


def draw(*shape: int, dtype: Any = torch.float64, **options: Any) -> Any:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, **options)


def operands(kinds: str, columns: int, result: tuple[int, ...], dtype: Any = torch.float64) -> list[Any]:
    shapes = {"n": (columns,), "v": (columns,), "r": result, "s": (1,)}
    made = [draw(*shapes[kind], dtype=dtype) for kind in kinds]
    return [(t.abs() + 0.5 if kind == "v" else t).requires_grad_() for kind, t in zip(kinds, made, strict=True)]


@pytest.mark.parametrize(("text", "kinds"), EPILOGUES)
def test_linear_passes_pytorchs_checks(text: str, kinds: str) -> None:
    x, w = draw(2, 3, 5, requires_grad=True), draw(6, 5, requires_grad=True)
    given = operands(kinds, 6, (2, 3, 6))
    torch.library.opcheck(torch.ops.tracea.linear.default, (x, w, given, text, ""))
    assert torch.autograd.gradcheck(lambda x, w, *o: tt.linear(x, w, o, text), (x, w, *given))


@pytest.mark.parametrize("text", ["bias,gelu", "bias,relu", "bias,swiglu"])
def test_second_derivatives(text: str) -> None:
    x, w = draw(3, 5, requires_grad=True), draw(6, 5, requires_grad=True)
    given = operands("nn", 3, ()) if text.endswith("swiglu") else operands("n", 6, ())
    assert torch.autograd.gradgradcheck(lambda x, w, *o: tt.linear(x, w, o, text), (x, w, *given))


@pytest.mark.parametrize(
    "shapes", [((3, 5), (5, 4)), ((2, 3, 5), (5, 4)), ((2, 1, 3, 5), (4, 5, 2)), ((3, 5), (2, 5, 4))]
)
def test_matmul_passes_pytorchs_checks(shapes: Any) -> None:
    a, b = (draw(*shape, requires_grad=True) for shape in shapes)
    torch.library.opcheck(torch.ops.tracea.matmul.default, (a, b, [], "gelu", None, False, False, ""))
    assert torch.autograd.gradcheck(lambda a, b: tt.matmul(a, b, (), "gelu"), (a, b))


def test_row_operands_have_gradients() -> None:
    a, b, r = (draw(*shape, requires_grad=True) for shape in ((3, 5), (5, 4), (3,)))
    assert torch.autograd.gradcheck(lambda a, b, r: tt.matmul(a, b, [r], "row_scale,relu"), (a, b, r))


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("text", ["", "bias,relu", "bias,residual,gelu"])
def test_conv2d_passes_pytorchs_checks(text: str, channels_last: bool) -> None:
    x, w = draw(2, 4, 6, 5), draw(8, 2, 3, 3, requires_grad=True)
    if channels_last:
        x = x.to(memory_format=torch.channels_last)
    x = x.requires_grad_()
    given = operands("nr" if "residual" in text else "n" if text else "", 8, (2, 8, 3, 2))
    settings = ([2, 3], [1, 1], [1, 1], 2)
    torch.library.opcheck(torch.ops.tracea.conv2d.default, (x, w, given, text, *settings, ""))
    assert torch.autograd.gradcheck(lambda x, w, *o: tt.conv2d(x, w, o, text, *settings), (x, w, *given))


def test_a_wrong_gradient_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch.autograd.gradcheck import GradcheckError

    from tracea.torch import autograd

    x, w = draw(3, 5, requires_grad=True), draw(6, 5, requires_grad=True)
    real = autograd._Chain.sums
    monkeypatch.setattr(autograd._Chain, "sums", lambda self: real(self) * 1.01)
    with pytest.raises(GradcheckError):
        torch.autograd.gradcheck(lambda x, w: tt.linear(x, w), (x, w))


@pytest.mark.parametrize("name", ["matmul", "linear", "conv2d"])
def test_the_twin_of_an_operator_computes_the_same(name: str) -> None:
    x, w = (draw(2, 3, 5, 5), draw(4, 3, 2, 2)) if name == "conv2d" else (draw(3, 5), draw(5, 5))
    rest = {"matmul": (None, False, False, ""), "linear": ("",), "conv2d": ([1, 1], [0, 0], [1, 1], 1, "")}[name]
    first, second = (getattr(torch.ops.tracea, n).default(x, w, [], "gelu", *rest) for n in (name, f"_{name}"))
    assert torch.equal(first, second)


def test_meta_tensors_have_shapes_only() -> None:
    x, w = torch.empty(2, 4, 8, 8, device="meta"), torch.empty(6, 4, 3, 3, device="meta")
    got = tt.conv2d(x.to(memory_format=torch.channels_last), w)
    assert got.shape == (2, 6, 6, 6) and got.is_contiguous(memory_format=torch.channels_last) and got.is_meta
    assert ops.linear(
        torch.empty(3, 4, device="meta"), torch.empty(8, 4, device="meta"), epilogue=tracea.SwiGLU()
    ).shape == (3, 4)


def test_inference_mode_and_no_grad() -> None:
    x, w = torch.randn(3, 5), torch.randn(6, 5, requires_grad=True)
    for mode in (torch.inference_mode, torch.no_grad):
        with mode():
            got = ops.linear(x, w, epilogue="relu")
            assert not got.requires_grad
            assert torch.allclose(got, F.relu(F.linear(x, w)), atol=1e-5)


def test_autocast_casts_the_matrices() -> None:
    x, w, b = torch.randn(3, 5), torch.randn(6, 5, requires_grad=True), torch.randn(6)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        got = ops.linear(x, w, b, epilogue="relu")
        eager = F.relu(F.linear(x, w, b))
    assert got.dtype is eager.dtype is torch.bfloat16
    assert torch.allclose(got.float(), eager.float(), atol=0.05)
    got.sum().backward()
    assert w.grad.dtype is torch.float32


def test_function_transforms() -> None:
    x, w = draw(4, 5), draw(6, 5)
    loss = lambda w, x: tt.linear(x, w, (), "gelu").square().sum()  # noqa: E731
    eager = lambda w, x: F.gelu(F.linear(x, w)).square().sum()  # noqa: E731
    assert torch.allclose(torch.func.grad(loss)(w, x), torch.func.grad(eager)(w, x))
    per_sample = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, x[:, None])
    assert torch.allclose(per_sample, torch.func.vmap(torch.func.grad(eager), in_dims=(None, 0))(w, x[:, None]))


@pytest.mark.parametrize("in_dims", [(0, None), (None, 0), (0, 0), (1, 2)])
def test_vmap_of_products(in_dims: tuple[int | None, int | None]) -> None:
    sizes = [3, 4, 5], [4, 5, 3]
    a = draw(*([4, 5] if in_dims[0] is None else [3, 4, 5] if in_dims[0] == 0 else [4, 3, 5]))
    b = draw(*([5, 2] if in_dims[1] is None else [3, 5, 2] if in_dims[1] == 0 else [5, 2, 3]))
    assert sizes
    got = torch.vmap(lambda a, b: tt.matmul(a, b, (), "gelu"), in_dims=in_dims)(a, b)
    assert torch.allclose(got, torch.vmap(lambda a, b: F.gelu(a @ b), in_dims=in_dims)(a, b))
    again = torch.vmap(lambda a, b: tt.linear(a, b.t()), in_dims=in_dims)(a, b)
    assert torch.allclose(again, torch.vmap(torch.matmul, in_dims=in_dims)(a, b))


def test_vmap_of_convolutions_and_of_operands() -> None:
    x, w, b, r = draw(3, 2, 4, 6, 6), draw(5, 4, 3, 3), draw(3, 5), draw(3, 2, 5, 4, 4)
    got = torch.vmap(lambda x, r: tt.conv2d(x, w, [b[0], r], "bias,residual"))(x, r)
    assert torch.allclose(got, torch.vmap(lambda x, r: F.conv2d(x, w, b[0]) + r)(x, r))
    got = torch.vmap(lambda x, b: tt.conv2d(x, w, [b], "bias,relu"))(x, b)
    assert torch.allclose(got, torch.vmap(lambda x, b: F.relu(F.conv2d(x, w, b)))(x, b))


def test_export_keeps_the_operator() -> None:
    class Layer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(6, 5))

        def forward(self, x: Any) -> Any:
            return tt.linear(x, self.weight, (), "gelu")

    layer, x = Layer(), torch.randn(4, 5)
    exported = torch.export.export(layer, (x,), dynamic_shapes=({0: torch.export.Dim("rows", min=2)},))
    assert "tracea.linear" in exported.graph_module.code
    assert torch.allclose(exported.module()(torch.ones(9, 5)), layer(torch.ones(9, 5)), atol=1e-6)


def test_views_of_negatives_are_resolved() -> None:
    x = torch.randn(3, 5, dtype=torch.complex64).conj().imag
    assert x.is_neg()
    w = torch.randn(6, 5)
    assert torch.allclose(ops.linear(x, w), F.linear(x, w), atol=1e-5)


def test_mixed_operand_libraries_and_scales() -> None:
    import numpy as np

    x, w, c = torch.randn(3, 5), torch.randn(5, 6), torch.randn(3, 6)
    bias = np.arange(6, dtype=np.float32)
    got = ops.matmul(x, w, epilogue=tracea.BiasAdd(bias))
    assert torch.allclose(got, x @ w + torch.from_numpy(bias), atol=1e-5)
    assert torch.allclose(ops.matmul(x, w, alpha=2.0, beta=0.5, c=c), 2 * x @ w + 0.5 * c, atol=1e-5)
    updated = c.clone()
    assert ops.matmul(x, w, out=updated, beta=1.0) is updated
    assert torch.allclose(updated, x @ w + c, atol=1e-5)


def test_gradients_flow_through_out_and_lambdas() -> None:
    x, w = torch.randn(3, 5), torch.randn(5, 6, requires_grad=True)
    got = ops.matmul(x, w, out=torch.empty(3, 6), epilogue=lambda v: v * abs(v) + 1)
    (mine,) = torch.autograd.grad(got.sum(), w)
    product = x @ w
    (theirs,) = torch.autograd.grad((product * product.abs()).sum(), w)
    assert torch.allclose(mine, theirs, atol=1e-4)


def test_what_no_kernel_takes_is_pytorchs_and_said_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    import logging

    from tracea import fallback
    from tracea.torch import kernels

    def none_qualifies(*given: Any) -> Any:
        raise tracea.UnsupportedError("no variant runs it here", op="linear")

    monkeypatch.setattr(kernels, "BoundPlan", none_qualifies)
    monkeypatch.setattr(fallback, "_told", set())
    kernels.forget_entries()
    x, w = torch.randn(3, 5), torch.randn(6, 5, requires_grad=True)
    with caplog.at_level(logging.WARNING, "tracea"):
        got = ops.linear(x, w, epilogue="gelu")
        ops.linear(x, w)
    assert sum("no variant runs it here" in record.message for record in caplog.records) == 1
    assert torch.allclose(got, F.gelu(F.linear(x, w)), atol=1e-5)
    got.sum().backward()
    with pytest.raises(tracea.UnsupportedError, match="no variant runs it here"):
        ops.linear(x, w, fallback="error")
    kernels.forget_entries()


def test_quantized_results_have_no_gradient() -> None:
    x, w = torch.randn(3, 5), torch.randn(6, 5, requires_grad=True)
    assert ops.linear(x, w.detach(), epilogue=tracea.Quantize("int8", scale=0.1)).dtype is torch.int8
    with pytest.raises(tracea.OptionError, match="no derivative"):
        tt.linear(x, w, (), "quantize:int8:0.1")


def test_importing_tracea_registers_nothing() -> None:
    code = "import sys, tracea, tracea.ops; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], timeout=500).returncode == 0


def test_a_kernel_that_does_not_compile_is_left_to_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    from tracea.torch import kernels

    tries: list[int] = []

    def rejected(*given: Any) -> Any:
        tries.append(1)
        raise tracea.CompileError("the compiler rejects the text")

    monkeypatch.setattr(kernels, "BoundPlan", rejected)
    kernels.forget_entries()
    x, w = torch.randn(3, 5), torch.randn(6, 5)
    for _ in range(3):
        assert torch.allclose(ops.linear(x, w), F.linear(x, w))
    assert len(tries) == 1, "what failed is remembered"
    kernels.forget_entries()


def test_equal_shapes_alone_are_not_the_same_call() -> None:
    from tracea.torch import kernels

    kernels.forget_entries()
    x, w, b, r = torch.randn(3, 5), torch.randn(6, 5), torch.randn(6), torch.randn(3, 6)
    expected = F.linear(x, w, b) + r
    for other in (r, r.t().contiguous().t(), r.double(), torch.nn.Parameter(r), r):
        with torch.no_grad():
            got = tt.linear(x, w, [b, other], "bias,residual")
        assert torch.allclose(got, expected, atol=1e-5)
    assert torch.allclose(tt.linear(x, w.t().contiguous().t(), [b, r], "bias,residual"), expected, atol=1e-5)
    with pytest.raises(tracea.TraceaError):
        tt.linear(x, w, [b], "bias,residual")
    first = kernels.find("linear", [x, w, b, r], "bias,residual", (), "")
    assert kernels.find("linear", [x, w, b, r], "bias,residual", (), "") is first
    assert kernels.find("linear", [x, w, b, r.double()], "bias,residual", (), "") is not first
    kernels.forget_entries()


def test_a_parameter_may_be_the_first_tensor_that_a_compiled_call_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    from tracea import arrays

    monkeypatch.delitem(arrays._libraries, torch.nn.Parameter, raising=False)
    layer = torch.nn.Linear(8, 4)
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: ops.linear(x, layer.weight, layer.bias), backend="aot_eager", fullgraph=True)
    x = torch.randn(3, 8)
    torch.testing.assert_close(compiled(x), layer(x))
