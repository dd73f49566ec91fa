# SPDX-License-Identifier: MIT
"""Linear algebra over GF(2), compared with brute force over all inputs."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.errors import ConfigurationError, MalformedDataError
from tracea_core.semantic.gf2 import Matrix, rank, reduce_modulo, span


def random_matrices(count: int, most: int = 6) -> list[Matrix]:
    rng = np.random.default_rng(7)
    found = []
    for _ in range(count):
        rows, columns = (int(x) for x in rng.integers(0, most + 1, 2))
        found.append(Matrix(rows, tuple(int(x) for x in rng.integers(0, 1 << rows, columns))))
    return found


def image(matrix: Matrix) -> list[int]:
    return [matrix.apply(x) for x in range(1 << len(matrix.columns))]


def test_apply_is_the_xor_of_columns_for_integers_and_arrays():
    for matrix in random_matrices(100):
        expected = []
        for x in range(1 << len(matrix.columns)):
            bits = [(x >> i) & 1 for i in range(len(matrix.columns))]
            expected.append(
                int(np.bitwise_xor.reduce([c * b for c, b in zip(matrix.columns, bits, strict=True)] + [0]))
            )
        assert image(matrix) == expected
        assert matrix.apply(np.arange(len(expected))).tolist() == expected


def test_rank_kernel_and_solve_agree_with_enumeration():
    for matrix in random_matrices(300):
        reached = image(matrix)
        assert len(set(reached)) == 1 << matrix.rank()
        assert matrix.is_injective() == (len(set(reached)) == len(reached))
        assert matrix.is_surjective() == (len(set(reached)) == 1 << matrix.rows)
        assert set(span(matrix.kernel())) == {x for x, y in enumerate(reached) if y == 0}
        assert matrix.largest() == max(reached)
        assert matrix.rank() == matrix.transpose().rank() == rank(matrix.columns)
        for target in range(1 << matrix.rows):
            solution = matrix.solve(target)
            assert (solution is None) == (target not in reached)
            assert solution is None or matrix.apply(solution) == target


def test_inverse_undoes_and_refuses_a_singular_map():
    inverted = 0
    for matrix in random_matrices(400, most=4):
        if matrix.is_bijective():
            inverted += 1
            assert (matrix.inverse() @ matrix).is_identity
            assert (matrix @ matrix.inverse()).is_identity
        else:
            with pytest.raises(ConfigurationError, match="no inverse"):
                matrix.inverse()
    assert inverted > 10


def test_composition_and_product():
    rng = np.random.default_rng(3)
    for _ in range(50):
        inner = Matrix(4, tuple(int(x) for x in rng.integers(0, 16, 3)))
        outer = Matrix(5, tuple(int(x) for x in rng.integers(0, 32, 4)))
        assert image(outer @ inner) == [outer.apply(y) for y in image(inner)]
        both = inner.product(outer)
        for x in range(8):
            for y in range(16):
                assert both.apply(x | y << 3) == inner.apply(x) | outer.apply(y) << 4
                assert inner.beside(outer).apply(x | y << 3) == inner.apply(x) ^ outer.apply(y)
    with pytest.raises(ConfigurationError, match="cannot compose"):
        Matrix.identity(3) @ Matrix.identity(4)


def test_rows_and_columns_can_be_selected():
    matrix = Matrix(3, (0b110, 0b011))
    assert matrix.select_rows((2, 0)).columns == (0b01, 0b10)
    assert matrix.select_columns((1,)).columns == (0b011,)
    assert Matrix.from_rows((0b10, 0b11, 0b01), 2) == matrix
    assert Matrix.permutation((1, -1), rows=2).columns == (2, 0)
    assert Matrix.zero(2, 3).rank() == 0


@pytest.mark.parametrize(("bits", "base", "shift"), [(3, 4, 3), (2, 4, 3), (1, 4, 3), (3, 3, 3), (2, 2, 5), (0, 4, 0)])
def test_xor_shift_is_the_printed_formula_and_a_bijection(bits, base, shift):
    matrix = Matrix.xor_shift(12, bits=bits, base=base, shift=shift)
    x = np.arange(1 << 12)
    assert (matrix.apply(x) == (x ^ (((x >> (base + shift)) & ((1 << bits) - 1)) << base))).all()
    assert matrix.is_bijective()


def test_a_swizzle_that_selects_itself_is_refused_and_a_planted_one_is_found_singular():
    with pytest.raises(ConfigurationError, match="XOR swizzle"):
        Matrix.xor_shift(8, bits=3, base=4, shift=2)
    planted = Matrix(4, (1, 2, 4, 1 | 2 | 4))  # bit 3 lost its own place
    assert not planted.is_bijective()
    assert planted.kernel() == (0b1111,)


def test_values_are_validated_printed_and_stored():
    with pytest.raises(ConfigurationError, match="does not fit"):
        Matrix(2, (4,))
    with pytest.raises(ConfigurationError, match="at most 63"):
        Matrix(64, ())
    matrix = Matrix(2, (1, 3))
    assert str(matrix) == "1 0\n1 1"
    assert Matrix.from_json(matrix.to_json()) == matrix
    with pytest.raises(MalformedDataError):
        Matrix.from_json('{"rows": 1, "columns": [2]}')
    assert reduce_modulo(0b111, (0b100, 0b011)) == 0
    assert reduce_modulo(0b001, (0b100,)) == 1
