# SPDX-License-Identifier: MIT
"""Kernels compiled for the emulator, and a reason to skip where no clang is found."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt import SimtProgram

KERNELS = Path(__file__).parent / "kernels"
LANGUAGES = {".hip": "hip", ".cu": "cuda", ".metal": "metal"}

Load = Callable[..., SimtProgram]


@pytest.fixture(scope="session")
def load(tmp_path_factory: pytest.TempPathFactory) -> Load:
    """Compile a kernel file, with macros defined, or text of a language."""
    need_emulator()
    programs: dict[tuple[str, ...], SimtProgram] = {}

    def loaded(file: str, *defines: str, target: str, entry: str | None = None) -> SimtProgram:
        key = (file, *defines, target, entry or "")
        if key not in programs:
            path = KERNELS / file
            programs[key] = SimtProgram(
                path.read_text(), language=LANGUAGES[path.suffix], target=target, entry=entry, defines=defines
            )
        return programs[key]

    return loaded
