# SPDX-License-Identifier: MIT
"""Element types against an independent implementation, bit by bit."""

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError

NAMES = {DType.BF16: "bfloat16", DType.FP8_E4M3: "float8_e4m3fn", DType.FP8_E5M2: "float8_e5m2"}
NAMES |= {DType.FP8_E4M3FNUZ: "float8_e4m3fnuz", DType.FP8_E5M2FNUZ: "float8_e5m2fnuz"}
FLOATS = [dtype for dtype in DType if dtype.is_float]
pytestmark = pytest.mark.filterwarnings("error:.*:RuntimeWarning:tracea_core")


@pytest.fixture(params=NAMES, ids=NAMES.get)
def pair(request):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    return request.param, np.dtype(getattr(ml_dtypes, NAMES[request.param]))


def all_values(dtype, other):
    codes = np.arange(2**dtype.bits).astype(dtype.storage)
    with np.errstate(invalid="ignore"):
        return codes, codes.view(other).astype(np.float64)


def test_decode_agrees_on_every_code(pair):
    dtype, other = pair
    codes, expected = all_values(dtype, other)
    np.testing.assert_array_equal(dtype.decode(codes), expected)
    assert np.array_equal(np.signbit(dtype.decode(codes)), np.signbit(expected))


def test_encode_agrees_on_values_ties_neighbours_and_overflow(pair):
    dtype, other = pair
    _, values = all_values(dtype, other)
    finite = np.unique(values[np.isfinite(values)])
    ties = (finite[1:] + finite[:-1]) / 2
    rng = np.random.default_rng(1)
    wide = rng.standard_normal(2000) * 10 ** rng.uniform(-46, 39, 2000)
    edges = [
        np.inf,
        -np.inf,
        0.0,
        -0.0,
        dtype.largest * 1.01,
        dtype.largest * 1.5,
        dtype.smallest / 2,
        -dtype.smallest / 3,
    ]
    with np.errstate(over="ignore"):  # float32, because the other implementation rounds to it first
        inputs = np.concatenate([finite, ties, wide, edges]).astype(np.float32)
        inputs = np.concatenate([inputs, np.nextafter(inputs, np.float32(np.inf)), np.nextafter(inputs, np.float32(0))])
        theirs = inputs.astype(other)
    expected = theirs.astype(np.float64)
    ours = dtype.encode(inputs)
    assert ours.dtype == dtype.storage
    np.testing.assert_array_equal(dtype.decode(ours), expected)
    signed = ~np.isnan(expected)
    assert np.array_equal(np.signbit(dtype.decode(ours))[signed], np.signbit(expected)[signed])


def test_encode_rounds_once_where_going_through_float32_rounds_twice():
    just_below_a_tie = np.nextafter(-432.0, 0.0)  # float32 rounds this to the tie itself, and then away to 448
    assert DType.FP8_E4M3.decode(DType.FP8_E4M3.encode(just_below_a_tie)) == -416.0


def test_tf32_keeps_ten_fraction_bits_and_ties_go_to_even():
    ulp = 2.0**-10
    values = np.array([1 + ulp, 1 + ulp / 2, 1 + 3 * ulp / 2, 1 + ulp / 2 + 2.0**-20, 2.0**-149, 2.0**-136, np.inf])
    expected = [1 + ulp, 1.0, 1 + 2 * ulp, 1 + ulp, 0.0, 2.0**-136, np.inf]
    np.testing.assert_array_equal(DType.TF32.decode(DType.TF32.encode(values)), expected)
    assert np.isnan(DType.TF32.encode(np.nan))


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.value)
def test_limits_are_what_encode_does(dtype):
    def stored(value):
        return float(dtype.decode(dtype.encode(np.float64(value))))

    assert stored(dtype.largest) == dtype.largest == -dtype.lowest
    assert stored(dtype.smallest) == dtype.smallest
    assert stored(dtype.smallest * 0.49) == 0.0
    assert stored(1 + dtype.eps) == 1.0
    assert stored(1 + 2 * dtype.eps) == 1 + 2 * dtype.eps
    assert dtype.smallest == pytest.approx(dtype.smallest_normal * 2 * dtype.eps, rel=0)
    if dtype is not DType.FP64:
        assert not np.isfinite(stored(dtype.largest * (1 + 2 * dtype.eps)))
    if dtype.numpy is not None:
        info = np.finfo(dtype.numpy)
        assert (dtype.largest, dtype.smallest_normal) == (float(info.max), float(info.smallest_normal))


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT32], ids=lambda d: d.value)
def test_integers_saturate_and_ties_go_to_even(dtype):
    info = np.iinfo(dtype.storage)
    stored = dtype.encode([np.nan, np.inf, -np.inf, 1e30, -1e30, 2.5, 3.5, info.max, info.min])
    assert stored.tolist() == [0, info.max, info.min, info.max, info.min, 2, 4, info.max, info.min]
    assert (dtype.lowest, dtype.largest) == (info.min, info.max)
    assert dtype.eps == 0.0


def test_shapes_survive_and_empty_arrays_work():
    for dtype in DType:
        assert dtype.decode(dtype.encode(np.zeros((2, 0, 3)))).shape == (2, 0, 3)
        assert np.shape(dtype.decode(dtype.encode(1.0))) == ()


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("bf16", DType.BF16),
        ("torch.bfloat16", DType.BF16),
        ("float32", DType.FP32),
        ("HALF", DType.FP16),
        ("torch.int8", DType.INT8),
        ("torch.float8_e4m3fnuz", DType.FP8_E4M3FNUZ),
    ],
)
def test_parse_knows_the_names_of_numpy_and_torch(name, dtype):
    assert DType.parse(name) is dtype


def test_parse_takes_types_of_numpy_and_whatever_prints_a_name():
    assert DType.parse(np.float16) is DType.parse(np.dtype("float16")) is DType.FP16
    assert DType.parse(np.dtype(">f4")) is DType.FP32, "what it is called; byte order is the array's affair"
    assert DType.parse(DType.BF16) is DType.BF16
    torch_dtype = type("dtype", (), {"__repr__": lambda _: "torch.bfloat16"})
    assert DType.parse(torch_dtype()) is DType.BF16
    with pytest.raises(DTypeError, match="unknown dtype '3'"):
        DType.parse(3)
    with pytest.raises(DTypeError, match="unknown dtype 'list'"):
        DType.parse(list)


def test_parse_lists_what_it_knows():
    with pytest.raises(DTypeError, match=r"unknown dtype 'float7'.*fp32"):
        DType.parse("float7")


def test_accumulators_are_explicit():
    assert {d: d.accumulator for d in DType if d.is_float and d is not DType.FP64} == {
        d: DType.FP32 for d in DType if d.is_float and d is not DType.FP64
    }
    assert DType.FP64.accumulator is DType.FP64
    assert DType.INT8.accumulator is DType.INT32
