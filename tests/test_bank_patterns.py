# SPDX-License-Identifier: MIT
"""The comparison of bank conflicts with hardware, without any: fifty patterns, what ncu prints, and disagreements that are seen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tracea_core.errors import MalformedDataError

from benchmarks import bank_patterns
from benchmarks.bank_patterns import (
    CONFLICTS,
    INSTRUCTIONS,
    METRICS,
    WAVEFRONTS,
    compare,
    counted,
    device,
    disorder,
    patterns,
    stored,
    timed,
)

HEAD = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",'
    '"Section Name","Metric Name","Metric Unit","Metric Value"'
)


def printed(launches: list[dict[str, str]]) -> str:
    """What ncu prints, as version 2024.3 does: a line for each metric of each launch, after lines of its own."""
    lines = ["==PROF== Connected to process 7", "cycles,4,1.0", "==PROF== Disconnected from process 7", HEAD]
    for number, metrics in enumerate(launches):
        start = f'"{number}","7","bank_patterns","127.0.0.1","void read_shared<1>(const int *, long long *, unsigned int *)"'
        for name, value in metrics.items():
            lines.append(
                f'{start},"1","7","(32, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","{name}","","{value}"'
            )
    return "\n".join(lines) + "\n"


def metrics(wavefronts: float, accesses: int = 1024) -> dict[str, float]:
    return {WAVEFRONTS: wavefronts * accesses, CONFLICTS: 0.0, INSTRUCTIONS: float(accesses)}


def test_there_are_fifty_patterns_of_every_kind() -> None:
    found = patterns()
    assert len(found) == len({(p.width, p.offsets) for p in found}) == 50
    assert {p.width for p in found} == {4, 8, 16}
    for pattern in found:
        offsets = np.array(pattern.offsets)
        assert offsets.size == 32 and (offsets % pattern.width == 0).all()
        assert offsets.min() >= 0 and offsets.max() + pattern.width <= bank_patterns.BYTES
    assert {1, 2, 4, 32} <= {p.wavefronts() for p in found}
    by_name = {p.name: p.wavefronts() for p in found}
    assert by_name["swizzled rows of 128 bytes, 16 bytes"] == 4 and by_name["stride 8, 16 bytes"] == 32
    assert by_name["stride 32, 4 bytes"] == 32 and by_name["stride 33, 4 bytes"] == 1 == by_name["broadcast, 4 bytes"]
    assert patterns(1) != found == patterns(0)


def test_what_ncu_prints_is_read_launch_by_launch() -> None:
    text = printed([{WAVEFRONTS: "1,056", CONFLICTS: "0", INSTRUCTIONS: "1,024"},
                    {WAVEFRONTS: "32768", CONFLICTS: "31744", INSTRUCTIONS: "1024"}])  # fmt: skip
    found = counted(text)
    assert found == [
        {WAVEFRONTS: 1056.0, CONFLICTS: 0.0, INSTRUCTIONS: 1024.0},
        {WAVEFRONTS: 32768.0, CONFLICTS: 31744.0, INSTRUCTIONS: 1024.0},
    ]


@pytest.mark.parametrize("text", ["", "==ERROR== ERR_NVGPUCTRPERM", printed([{WAVEFRONTS: "1"}]),
                                  printed([dict.fromkeys(METRICS, "0")])])  # fmt: skip
def test_what_lacks_a_count_is_refused(text: str) -> None:
    with pytest.raises(MalformedDataError):
        counted(text)


def test_times_stand_on_lines_of_their_own() -> None:
    assert timed("cycles,4,1.0312\nnoise\ncycles,16,4.2\n") == [1.0312, 4.2]


def test_results_are_named_after_the_gpu(tmp_path: Path) -> None:
    assert device("device,NVIDIA H200\ncycles,4,1.0312\n") == "NVIDIA H200"
    with pytest.raises(MalformedDataError, match="names no GPU"):
        device("cycles,4,1.0312\n")
    chosen = patterns()[:3]
    found = compare(chosen, [metrics(p.wavefronts()) for p in chosen], [1.0, 2.0, 3.0])
    path = stored(tmp_path, "NVIDIA H200", found)
    assert path.name == "bank-patterns-nvidia-h200.json"
    assert [one["name"] for one in json.loads(path.read_text())["patterns"]] == [p.name for p in chosen]


def test_what_an_h200_counted_is_what_is_simulated_now() -> None:
    kept = json.loads((bank_patterns.RESULTS / "bank-patterns-nvidia-h200.json").read_text())
    assert kept["device"] == "NVIDIA H200"
    assert [(p.name, p.width, p.wavefronts()) for p in patterns()] == [
        (one["name"], one["width"], one["simulated"]) for one in kept["patterns"]
    ]
    assert all(abs(one["wavefronts"] - one["simulated"]) < 0.02 * one["simulated"] for one in kept["patterns"])


def test_agreement_and_disagreement_are_told_apart() -> None:
    chosen = patterns()
    right = [metrics(p.wavefronts() + 0.005) for p in chosen]
    cycles = [float(p.wavefronts()) for p in chosen]
    found = compare(chosen, right, cycles)
    assert all(one.agrees for one in found) and disorder(found) == []
    planted = [metrics(p.wavefronts() + (number == 7)) for number, p in enumerate(chosen)]
    assert [one.agrees for one in compare(chosen, planted, cycles)].index(False) == 7
    slow = max(range(50), key=lambda number: chosen[number].wavefronts())
    cycles[slow] = 0.5
    assert all(pair[0].name == chosen[slow].name for pair in disorder(compare(chosen, right, cycles)))
    assert disorder(compare(chosen, right, cycles))
    with pytest.raises(MalformedDataError, match="launched once"):
        compare(chosen, right[:-1], cycles)


@pytest.mark.toolchain
def test_the_program_compiles(tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    assert bank_patterns.build(tmp_path, "sm_90").exists()
