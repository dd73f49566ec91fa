# SPDX-License-Identifier: MIT
"""Configurations are validated, survive JSON, and print differently when they differ."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.errors import ConfigurationError, MalformedDataError
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order

configs = st.builds(
    PipelineConfig,
    tile_m=st.integers(1, 512),
    tile_n=st.sampled_from([8, 24, 64, 208]),
    tile_k=st.sampled_from([1, 32, 64]),
    stages=st.integers(4, 8),
    warps=st.integers(2, 32),
    swizzle=st.sampled_from(SwizzleMode),
    barrier_mode=st.sampled_from(BarrierMode),
    cluster_m=st.integers(1, 4),
    cluster_n=st.integers(1, 4),
    split_k=st.integers(1, 16),
    order=st.sampled_from(Order),
    group=st.integers(1, 16),
    vector_a=st.sampled_from([1, 2, 4, 8, 16]),
    in_flight=st.integers(0, 3),
    row_block=st.integers(0, 1000),
    pack_b=st.booleans(),
)


@given(configs)
def test_json_round_trip(config: PipelineConfig) -> None:
    """Decoding what was encoded gives an equal, equally hashed value."""
    again = PipelineConfig.from_json(config.to_json())
    assert again == config
    assert hash(again) == hash(config)


@given(configs, configs)
def test_describe_is_injective(one: PipelineConfig, other: PipelineConfig) -> None:
    """Two configurations print the same text exactly if they are equal."""
    assert (one.describe() == other.describe()) == (one == other)


def test_describe_shows_the_essentials() -> None:
    """The compact form names tile, stages, cluster and swizzle."""
    config = PipelineConfig(tile_m=128, tile_n=256, tile_k=64, stages=4, cluster_m=2, swizzle=SwizzleMode.B128)
    assert config.describe() == "128x256x64 s4 c2x1 b128"


def test_documented_spellings_are_the_same_members() -> None:
    """Names written as in the documentation are aliases, not further members."""
    assert SwizzleMode.None_ is SwizzleMode.NONE
    assert SwizzleMode.Xor4 is SwizzleMode.XOR4
    assert BarrierMode.ProducerConsumer is BarrierMode.PRODUCER_CONSUMER
    assert [mode.value for mode in SwizzleMode] == ["none", "xor2", "xor4", "xor8", "b32", "b64", "b128"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tile_m", 0),
        ("tile_n", -8),
        ("tile_k", 1 << 20),
        ("stages", 0),
        ("stages", 9),
        ("warps", 33),
        ("cluster_n", 0),
        ("split_k", 0),
        ("group", 0),
        ("vector_a", 3),
        ("vector_c", 128),
        ("unroll_k", 0),
        ("in_flight", -1),
        ("row_block", -1),
        ("tile_m", "a"),
        ("tile_n", 1.5),
    ],
)
def test_out_of_range_names_the_field(field: str, value: Any) -> None:
    """Each refusal says which field is wrong."""
    with pytest.raises(ConfigurationError, match=f"^{field} must be"):
        PipelineConfig(**{field: value})


def test_contradictions_are_refused() -> None:
    """Fields that are fine alone and impossible together."""
    with pytest.raises(ConfigurationError, match="warps ≥ 2"):
        PipelineConfig(barrier_mode=BarrierMode.PRODUCER_CONSUMER, warps=1)
    with pytest.raises(ConfigurationError, match="in_flight must be below stages"):
        PipelineConfig(stages=2, in_flight=2)
    with pytest.raises(ConfigurationError, match="at most 16"):
        PipelineConfig(cluster_m=8, cluster_n=4)


def test_json_is_validated() -> None:
    """A file written by hand gets the same checks as a call."""
    with pytest.raises(MalformedDataError, match="stages must be between"):
        PipelineConfig.from_json('{"stages": 12}')
    with pytest.raises(MalformedDataError, match="unknown field"):
        PipelineConfig.from_json('{"tiles": 12}')
