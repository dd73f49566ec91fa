# SPDX-License-Identifier: MIT
"""docs/certification.md explains every proof that a certificate can list, each with its source and a formula that runs."""

from __future__ import annotations

import re
from pathlib import Path

from tracea_core.dtypes import DType
from tracea_core.pipeline.path import trace
from tracea_core.semantic.verify import certify
from tracea_core.testing.cases import gemm

PAGE = Path(__file__).parents[1] / "docs" / "certification.md"
VERIFY = Path(certify.__file__).parent
_NAME = re.compile(r"""\bProof\(\s*"(\w+)\"""")
_LIMITS = "integers"
"""What is proved of a kernel's integers is proved for a launch, so no certificate lists it."""


def sections(text: str) -> dict[str, str]:
    """What stands below each heading that is about proofs, by the names in the heading."""
    found: dict[str, str] = {}
    for heading, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL):
        names = re.fullmatch(r"(\w+(?:, \w+)*)(?::.*)?", heading)
        if names is not None:
            found |= dict.fromkeys(names[1].split(", "), body)
    return found


def proofs() -> set[str]:
    """The names of all proofs, as the verifier's sources spell them."""
    return {name for path in VERIFY.glob("*.py") for name in _NAME.findall(path.read_text())}


def missing(text: str) -> list[str]:
    """What a page lacks."""
    known = sections(text)
    found = [f"{name} is not explained" for name in sorted(proofs() - known.keys())]
    for name in sorted(proofs() & known.keys() | {_LIMITS}):
        if "\nSource: " not in known[name]:
            found.append(f"{name} has no source")
        if "```pycon" not in known[name]:
            found.append(f"{name} has no formula that runs")
    return found


def test_every_proof_is_explained() -> None:
    assert missing(PAGE.read_text()) == []


def test_the_sources_name_what_certificates_list() -> None:
    listed = {
        proof.property
        for preset, dtype in (
            ("h200", DType.BF16),
            ("avx512", DType.FP32),
            ("a100", DType.BF16),
            ("mi300x", DType.FP16),
        )
        for proof in trace(gemm((512, 512, 512), dtype, "nt"), preset=preset).certificate.proofs
    }
    assert listed <= proofs() and {"meaning", "pipeline", "registers"} <= listed


def test_what_a_page_lacks_is_seen() -> None:
    text = PAGE.read_text()
    assert "opaque is not explained" in missing(text.replace("## opaque: ", "## other: "))
    assert "meaning has no source" in missing(text.replace("Source: Schwartz", "Schwartz"))
    assert "parts has no formula that runs" in missing(
        re.sub(r"(## parts.*?)```pycon", r"\1```text", text, flags=re.DOTALL)
    )
