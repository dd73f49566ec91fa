# SPDX-License-Identifier: MIT
"""Layers of tracea under data parallelism: two processes of gloo, each with half of a batch, end where one with all of it does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not (torch.distributed.is_available() and torch.distributed.is_gloo_available()):
    pytest.skip("this PyTorch has no gloo", allow_module_level=True)

_PROCESS = Path(__file__).with_name("distributed_training.py")


def trained(how: str, folder: Path) -> list[dict[str, Any]]:
    """Return what both processes say."""
    command = [sys.executable, str(_PROCESS)]
    running = [
        subprocess.Popen(
            [*command, str(rank), str(folder / "store"), how], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for rank in (0, 1)
    ]
    try:
        told = [process.communicate(timeout=240) for process in running]
    finally:
        for process in running:
            process.kill()
    assert not any(process.returncode for process in running), told[0][1] + told[1][1]
    return [json.loads(out.splitlines()[-1]) for out, _ in told]


@pytest.mark.parametrize("how", ["ddp", "fsdp"])
def test_two_processes_train_as_one_does(how: str, tmp_path: Path) -> None:
    if how == "fsdp":
        pytest.importorskip("torch.distributed.fsdp").fully_shard  # noqa: B018 - older versions have none
    for told in trained(how, tmp_path):
        assert told["moved"] > 0.01, "training changes something"
        assert told["apart"] < 1e-4 * told["moved"]
        assert told["kernels"] >= 4 and not told["left"], "layers and gradients are tracea's"


def test_a_batch_that_is_not_shared_would_be_noticed(tmp_path: Path) -> None:
    for told in trained("planted", tmp_path):
        assert told["apart"] > 1e-2 * told["moved"]
