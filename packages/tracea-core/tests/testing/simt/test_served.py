# SPDX-License-Identifier: MIT
"""One kernel for many problems: those of its form and domain run, others are refused, wrong results and findings are raised."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError, ConfigurationError
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.config import PipelineConfig
from tracea_core.testing.cases import gemm
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.simt import find_compiler
from tracea_core.testing.simt.served import Served

CONFIG = PipelineConfig(tile_m=32, tile_n=32, tile_k=16, stages=2, warps=2, vector_a=4, vector_b=4, vector_c=1)


def manifest(change: Any = None) -> BackendManifest:
    """The Metal backend's, or one whose text is changed."""
    try:
        find_compiler()
        found = importlib.import_module("tracea_metal.plugin").tracea_register_backend()
    except (BackendUnavailableError, ImportError) as error:
        pytest.skip(str(error))
    if change is None:
        return found  # type: ignore[no-any-return]
    import dataclasses

    emit = found.emitters["contraction"]

    def changed(kernel: Any, certificate: Any) -> Any:
        source = emit(kernel, certificate)
        return source.replace(text=source.text.replace(*change))

    return dataclasses.replace(found, emitters={"contraction": changed})


@pytest.mark.toolchain
def test_problems_of_one_form_run_and_others_are_refused() -> None:
    served = Served(manifest(), "m1", gemm((64, 64, 64), DType.FP32, "nt"), CONFIG)
    assert served.configuration == CONFIG and served.variant == "metal.contraction.simdgroup_fp32"
    assert served.refusal(gemm((37, 21, 44), DType.FP32, "nt")) == ""
    report = served.run(gemm((37, 21, 44), DType.FP32, "nt"), seed=3)
    assert report.bank_conflicts == 0 and served.findings == ()
    with pytest.raises(ConfigurationError, match="k, a_row, b_column lie outside"):
        served.run(gemm((37, 21, 43), DType.FP32, "nt"))
    with pytest.raises(ConfigurationError, match="its form is another one"):
        served.run(gemm((64, 64, 64), DType.FP32, "tn"))


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("change", "said", "kind"),
    [
        (("threadgroup_barrier(mem_flags::mem_threadgroup);", "simdgroup_barrier(mem_flags::mem_none);"), "race", "race"),
        (("sums[0] = total", "sums[0] = 2.0f * total"), "elements are wrong", None),
    ],
)  # fmt: skip
def test_a_changed_text_is_noticed(change: tuple[str, str], said: str, kind: str | None) -> None:
    served = Served(manifest(change), "m1", gemm((64, 64, 64), DType.FP32, "nt"), CONFIG)
    with pytest.raises(ConformanceError, match=said):
        served.run(gemm((33, 40, 40), DType.FP32, "nt"))
    assert {finding.kind for finding in served.findings} == ({kind} if kind else set())
