# SPDX-License-Identifier: MIT
"""The builder never changes the space it was called on, and enumerates exactly the valid combinations."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.errors import ConfigurationError, MalformedDataError
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.decision import PrunedSpace
from tracea_core.policy.order import Order
from tracea_core.tuner.encode import codes, encode
from tracea_core.tuner.space import FIELDS, Axis, SearchSpace


def documented() -> SearchSpace:
    return (
        SearchSpace()
        .tile_m([64, 128])
        .tile_n([64, 128])
        .tile_k([32])
        .stages([2, 3])
        .swizzles([SwizzleMode.None_, SwizzleMode.Xor4])
        .barrier_modes([BarrierMode.None_, BarrierMode.ProducerConsumer])
    )


def test_the_documented_chain() -> None:
    space = documented()
    found = space.candidates()
    assert space.count == len(found) == len(set(found)) == 32
    assert {c.tile_m for c in found} == {64, 128} and {c.tile_k for c in found} == {32}
    assert {c.barrier_mode for c in found} == {BarrierMode.NONE, BarrierMode.PRODUCER_CONSUMER}


def test_chaining_leaves_the_original_alone() -> None:
    small = SearchSpace().stages([2])
    large = small.stages([2, 3, 4])
    assert (small.count, large.count) == (1, 3)
    assert hash(small) != hash(large) and small == SearchSpace().stages([2])


def test_spaces_survive_json_and_reject_what_is_not_one() -> None:
    space = documented().axis("pack_b", [True, False])
    again = SearchSpace.from_json(space.to_json())
    assert again == space and again.candidates() == space.candidates()
    for bad in (
        '{"axes":[{"fields":["tile_q"],"values":[[1]]}]}',
        '{"axes":[{"fields":["stages"],"values":[["two"]]}]}',
    ):
        with pytest.raises(MalformedDataError):
            SearchSpace.from_json(bad)


def test_fields_that_vary_together() -> None:
    space = SearchSpace().tiles([(6, 64, 4), (8, 48, 4)]).clusters([(1, 1), (2, 1)]).vectors([(1, 4, 4)])
    assert [(c.tile_m, c.tile_n, c.cluster_m) for c in space.candidates()] == [
        (6, 64, 1), (6, 64, 2), (8, 48, 1), (8, 48, 2),
    ]  # fmt: skip
    assert space.tile_m([4]).count == 2  # the axis of whole tiles is replaced, not contradicted


def test_every_builder_sets_its_field() -> None:
    space = SearchSpace().warps([8]).split_k([2]).orders([Order.Z]).groups([4])
    (only,) = space.candidates()
    assert (only.warps, only.split_k, only.order, only.group) == (8, 2, Order.Z, 4)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("tile_q", [1]), ("stages", []), ("stages", ["2"]), ("stages", [True]), ("pack_b", [1]), ("swizzle", ["xor3"]),
        ("stages", [2.0]), (("tile_m", "tile_n"), [(1,)]), (("tile_m", "tile_m"), [(1, 1)]), ((), [()]),
    ],
)  # fmt: skip
def test_wrong_axes_are_refused(field: object, values: list[object]) -> None:
    with pytest.raises(ConfigurationError):
        SearchSpace().axis(field, values)  # type: ignore[arg-type]


def test_numpy_integers_are_welcome_and_duplicates_dropped() -> None:
    assert SearchSpace().stages(np.array([2, 3, 2])).candidates() == SearchSpace().stages([2, 3]).candidates()


def test_restriction_prunes_and_refuses_to_empty() -> None:
    space = documented()
    assert space.restrict("tile_m", [128, 256]).count == 16
    assert space.restrict("swizzle", [SwizzleMode.XOR4]).candidates()[0].swizzle is SwizzleMode.XOR4
    assert space.restrict("warps", [4, 8]) == space  # does not vary, and its value is allowed
    assert SearchSpace().tiles([(6, 64, 4), (8, 48, 4)]).restrict("tile_n", [48]).count == 1
    with pytest.raises(ConfigurationError, match="tile_m"):
        space.restrict("tile_m", [512])
    with pytest.raises(ConfigurationError, match="warps"):
        space.restrict("warps", [8])


def test_what_is_dropped_is_counted_by_reason() -> None:
    space = SearchSpace().stages([1, 2, 3]).axis("in_flight", [0, 1, 2])
    found = space.enumerate(lambda c: f"{c.stages} stages do not fit" if c.stages == 3 else None)
    assert len(found.candidates) == 3
    reasons = {(d.reason.split()[0], d.count) for d in found.dropped}
    assert reasons == {("#", 3), ("in_flight", 3)}
    assert "stages=3" in next(d.example for d in found.dropped if d.reason.startswith("#"))
    assert sum(d.count for d in found.dropped) + len(found.candidates) == space.count


def test_a_policy_space_becomes_a_search_space() -> None:
    pruned = PrunedSpace(
        tile_m=(64, 128), swizzle=(SwizzleMode.B128,), order=(Order.GROUPED, Order.ROW), pack_b=(True,)
    )
    assert set(SearchSpace.of(pruned).candidates()) == set(pruned.configurations())
    assert set(PrunedSpace.__struct_fields__) == {*FIELDS, "tiles"}


def test_tiles_of_a_policy_space_are_tried_as_pairs() -> None:
    pruned = PrunedSpace(tiles=((6, 16), (4, 24)), tile_k=(4, 8))
    found = SearchSpace.of(pruned).candidates()
    assert set(found) == set(pruned.configurations()) and len(found) == pruned.size == 4
    assert {(c.tile_m, c.tile_n) for c in found} == {(6, 16), (4, 24)} and all(map(pruned.contains, found))
    stranger = PipelineConfig(tile_m=6, tile_n=24, tile_k=2)
    assert not pruned.contains(stranger) and not pruned.contains(found[0].replace(tile_k=2))
    wider = pruned.including(stranger)
    assert wider.contains(stranger) and wider.tiles == ((6, 16), (4, 24), (6, 24)) and wider.tile_m == ()


def test_an_axis_checks_itself() -> None:
    with pytest.raises(ConfigurationError, match="at least one value"):
        Axis(("stages",), ())


def test_encoding_scales_sizes_by_logarithm_and_enums_by_indicator() -> None:
    space = SearchSpace().tile_m([64, 128, 256]).swizzles(list(SwizzleMode)[:3]).axis("row_block", [0, 3])
    found = space.orders([Order.ROW, Order.Z]).candidates()
    matrix, names = encode(found)
    assert names == ("tile_m", "swizzle=none", "swizzle=xor2", "swizzle=xor4", "order=z", "row_block")
    assert matrix.min() == 0.0 and matrix.max() == 1.0
    tile = matrix[:, 0]
    assert {(c.tile_m, float(t)) for c, t in zip(found, tile, strict=True)} == {(64, 0.0), (128, 0.5), (256, 1.0)}
    assert np.all(matrix[:, 1:4].sum(axis=1) == 1.0)
    assert len(np.unique(matrix, axis=0)) == len(found)


def test_encoding_of_one_candidate_or_none() -> None:
    assert encode([PipelineConfig()])[0].shape == (1, 0)
    assert encode([])[0].shape == (0, 0)
    assert codes([PipelineConfig()]).shape == (1, 0)
    assert codes([]).shape == (0, 0)


def test_codes_count_differing_fields() -> None:
    a, b = PipelineConfig(), PipelineConfig(stages=3, swizzle=SwizzleMode.B64)
    numbers = codes([a, b, a])
    assert numbers.shape == (3, 2), "fields that are equal in all get no column, so another field changes no draw"
    assert np.count_nonzero(numbers[0] != numbers[1]) == 2
    assert np.array_equal(numbers[0], numbers[2])
