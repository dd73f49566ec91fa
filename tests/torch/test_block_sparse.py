# SPDX-License-Identifier: MIT
"""`tracea.ops.block_sparse_matmul` on torch tensors: both matrices, gradients through stored blocks alone, graphs, ``torch.func``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from tracea_core.errors import ConfigurationError, UnsupportedError  # noqa: E402
from tracea_core.ops.sparse import BlockPattern, SparseOperand  # noqa: E402

import tracea  # noqa: E402
from tracea import ops  # noqa: E402
from tracea.torch import block_sparse  # noqa: E402
from tracea.torch.block_sparse import lists_on, transposed  # noqa: E402

RANDOM = np.random.default_rng(3)
MASKS = {
    "half": RANDOM.random((4, 6)) < 0.5,
    "few": np.eye(4, 6, dtype=np.bool_),
    "none": np.zeros((4, 6), np.bool_),
    "all": np.ones((4, 6), np.bool_),
}
both = pytest.mark.parametrize("sparse", ["a", "b"])
every = pytest.mark.parametrize("mask", sorted(MASKS))


def given(sparse: str, mask: str, dtype: Any = torch.float64) -> tuple[BlockPattern, Any, Any]:
    """The pattern, the dense matrix and the blocks."""
    pattern = BlockPattern.from_mask(MASKS[mask], 3, 5)
    generator = torch.Generator().manual_seed(5)
    rows, columns = pattern.shape
    blocks = torch.randn(pattern.blocks, 3, 5, generator=generator, dtype=torch.float64).to(dtype)
    shape = (columns, 7) if sparse == "a" else (7, rows)
    return pattern, torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype), blocks


def product(pattern: BlockPattern, dense: Any, blocks: Any, sparse: str, **more: Any) -> Any:
    pair = (blocks, dense) if sparse == "a" else (dense, blocks)
    return ops.block_sparse_matmul(*pair, pattern, sparse=sparse, **more)


def whole(pattern: BlockPattern, blocks: Any) -> Any:
    """The matrix with its zeros, differentiable."""
    lines, columns = torch.from_numpy(pattern.block_row_of()), torch.tensor(pattern.indices, dtype=torch.int64)
    grid = blocks.new_zeros((len(pattern.indptr) - 1, pattern.columns, 3, 5)).index_put((lines, columns), blocks)
    return grid.transpose(1, 2).reshape(pattern.shape)


def expected(pattern: BlockPattern, dense: Any, blocks: Any, sparse: str) -> Any:
    matrix = whole(pattern, blocks)
    return matrix @ dense if sparse == "a" else dense @ matrix


@both
@every
def test_products_and_their_gradients_are_those_of_the_whole_matrix(sparse: str, mask: str) -> None:
    pattern, *tensors = given(sparse, mask)
    mine, theirs = ([t.clone().requires_grad_() for t in tensors] for _ in range(2))
    got = product(pattern, *mine, sparse, fallback="error")
    reference = expected(pattern, *theirs, sparse)
    torch.testing.assert_close(got, reference)
    weight = torch.randn(got.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    (got * weight).sum().backward()
    (reference * weight).sum().backward()
    for own, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(own.grad, other.grad)


@both
@pytest.mark.parametrize("mask", ["half", "few"])
def test_second_derivatives(sparse: str, mask: str) -> None:
    pattern, *tensors = given(sparse, mask)
    apart = tuple(t.requires_grad_() for t in tensors)
    assert torch.autograd.gradgradcheck(lambda d, b: product(pattern, d, b, sparse), apart)


@both
@every
def test_lists_of_the_transposed_matrix_are_those_that_its_pattern_has(sparse: str, mask: str) -> None:
    pattern, _, blocks = given(sparse, mask)
    grid = MASKS[mask].shape
    turned = transposed(lists_on(pattern, SparseOperand(sparse), torch.device("cpu")), blocks, grid, sparse)
    other = BlockPattern.from_mask(MASKS[mask].T, 5, 3)
    # block row after block row of the transposed matrix its blocks have other numbers
    number = {place: at for at, place in enumerate(zip(*np.nonzero(MASKS[mask]), strict=True))}
    numbers = [number[column, row] for row, column in zip(*np.nonzero(MASKS[mask].T), strict=True)]
    lines = len(other.lists(SparseOperand(sparse))) - 2 * pattern.blocks
    wanted = other.lists(SparseOperand(sparse)).tolist()
    wanted[lines : lines + pattern.blocks] = [numbers[at] for at in wanted[lines : lines + pattern.blocks]]
    assert turned.dtype is torch.int32 and turned.tolist() == wanted


def test_a_gradient_by_the_wrong_lists_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_sparse, "transposed", lambda lists, *_: torch.cat([lists[:-6], lists[-6:].flip(0)]))
    mask = np.array([[1, 1, 0], [1, 1, 1], [1, 0, 0]], np.bool_)
    pattern = BlockPattern.from_mask(mask, 4, 4)
    x, blocks = torch.randn(5, 12).requires_grad_(), torch.randn(6, 4, 4)
    dense = torch.from_numpy(pattern.dense(blocks.numpy())).float()
    product(pattern, x, blocks, "b").sum().backward()
    assert not torch.allclose(x.grad, torch.ones(5, 12) @ dense.T, atol=1e-4)


@both
def test_no_gradient_multiplies_zeros(sparse: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern, *tensors = given(sparse, "few", torch.float32)
    elements: list[int] = []
    inner = block_sparse.product

    def counted(a: Any, b: Any) -> Any:
        elements.append(a.shape[0] * a.shape[1] * a.shape[2] * b.shape[2])
        return inner(a, b)

    monkeypatch.setattr(block_sparse, "product", counted)
    monkeypatch.setattr(block_sparse, "_with_zeros", None)
    dense, blocks = (t.requires_grad_() for t in tensors)
    product(pattern, dense, blocks, sparse, fallback="error").sum().backward()
    assert elements == [pattern.blocks * 3 * 5 * 7]


@both
def test_bias_epilogue_and_type_of_the_result(sparse: str) -> None:
    pattern, dense, blocks = given(sparse, "half", torch.float32)
    reference = expected(pattern, dense, blocks, sparse)
    bias, residual = torch.randn(reference.shape[1]), torch.randn(reference.shape)
    chain = tracea.Residual(residual) | tracea.Gelu()
    wanted = torch.nn.functional.gelu(reference + bias + residual)
    got = product(pattern, dense, blocks, sparse, bias=bias, epilogue=chain, fallback="error")
    torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-5)
    out = torch.empty(reference.shape, dtype=torch.float64)
    assert product(pattern, dense, blocks, sparse, out=out, out_dtype="fp64") is out
    dense.requires_grad_()
    bias.requires_grad_()
    recorded = product(pattern, dense, blocks, sparse, bias=bias, epilogue=chain, out_dtype="fp64")
    assert recorded.dtype is torch.float64
    recorded.sum().backward()
    assert dense.grad.shape == dense.shape and bias.grad.shape == bias.shape
    slope = torch.autograd.functional.jacobian(torch.nn.functional.gelu, (reference + bias + residual).detach().sum())
    assert slope.numel() == 1


@both
def test_graphs_keep_the_operator_and_are_compiled_again_for_another_pattern(sparse: str) -> None:
    pattern, dense, blocks = given(sparse, "half", torch.float32)

    class Layer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.pattern, self.blocks = pattern, torch.nn.Parameter(blocks)

        def forward(self, x: Any) -> Any:
            return product(self.pattern, x, self.blocks, sparse).relu()

    layer = Layer()
    graphs: list[str] = []

    def look(module: Any, _: Any) -> Any:
        graphs.append(module.code)
        return module.forward

    compiled = torch.compile(layer, backend=look, fullgraph=True)
    torch.testing.assert_close(compiled(dense), layer(dense))
    assert "block_sparse_matmul" in graphs[0]
    layer.pattern = BlockPattern.from_mask(MASKS["half"][::-1], 3, 5)
    torch.testing.assert_close(compiled(dense), layer(dense))
    assert len(graphs) == 2
    trained = torch.compile(layer, backend="aot_eager", fullgraph=True)
    trained(dense).sum().backward()
    mine = layer.blocks.grad.clone()
    layer.zero_grad()
    layer(dense).sum().backward()
    torch.testing.assert_close(mine, layer.blocks.grad)


@both
def test_mapped_dense_matrices_are_one_product(sparse: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern, dense, blocks = given(sparse, "half", torch.float32)
    calls: list[int] = []
    inner = block_sparse._compute
    monkeypatch.setattr(block_sparse, "_compute", lambda *all: calls.append(1) or inner(*all))
    many = torch.stack([dense, -dense, 2 * dense], 1)
    got = torch.vmap(lambda one: product(pattern, one, blocks, sparse), in_dims=1)(many)
    assert len(calls) == 1
    torch.testing.assert_close(got, torch.stack([expected(pattern, one, blocks, sparse) for one in many.unbind(1)]))
    losses = torch.func.vmap(torch.func.grad(lambda one: product(pattern, dense, one, sparse).square().sum()))
    own = torch.stack([blocks, 2 * blocks])
    torch.testing.assert_close(losses(own)[1], 2 * losses(own)[0])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@both
def test_types_of_16_bits(sparse: str, dtype: Any) -> None:
    pattern, dense, blocks = given(sparse, "half", dtype)
    own = [t.requires_grad_() for t in (dense, blocks)]
    got = product(pattern, *own, sparse)
    got.float().square().sum().backward()
    wide = [t.detach().double().requires_grad_() for t in own]
    expected(pattern, *wide, sparse).square().sum().backward()
    for mine, theirs in zip(own, wide, strict=True):
        assert mine.grad.dtype is dtype
        assert (mine.grad.double() - theirs.grad).norm() <= 0.02 * theirs.grad.norm()


def test_lists_are_put_on_a_device_once_for_a_pattern() -> None:
    one, other = (
        lists_on(BlockPattern.from_mask(MASKS["half"], 3, 5), SparseOperand.B, torch.device("cpu")) for _ in range(2)
    )
    assert one is other


@pytest.mark.parametrize("kind", [UnsupportedError, ConfigurationError])
def test_what_no_kernel_takes_is_pytorchs_or_refused(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> Any:
        raise kind("no kernel today", op="block_sparse_matmul")

    monkeypatch.setattr("tracea.ops.block_sparse.compute", none)
    for sparse in "ab":
        pattern, dense, blocks = given(sparse, "half", torch.float32)
        bias = torch.randn(expected(pattern, dense, blocks, sparse).shape[1])
        got = product(pattern, dense, blocks, sparse, bias=bias, epilogue="relu")
        torch.testing.assert_close(got, torch.relu(expected(pattern, dense, blocks, sparse) + bias))
        with pytest.raises(kind, match="no kernel today"):
            product(pattern, dense, blocks, sparse, fallback="error")
