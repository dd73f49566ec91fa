# SPDX-License-Identifier: MIT
"""What tests of emitted kernels need of a machine: a compiler for the emulator.

A module whose tests all run in the emulator says

>>> pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not has_emulator(), reason="no clang")]  # doctest: +SKIP

and a test or a fixture that does calls `need_emulator`.
"""

from __future__ import annotations

from tracea_core.errors import BackendUnavailableError
from tracea_core.testing.simt.toolchain import find_compiler


def has_emulator() -> bool:
    """Return whether this machine has a compiler that builds the emulator."""
    try:
        find_compiler()
    except BackendUnavailableError:
        return False
    return True


def need_emulator() -> None:
    """Skip the test that calls it where no compiler builds the emulator, with what to install."""
    try:
        find_compiler()
    except BackendUnavailableError as error:
        import pytest

        pytest.skip(str(error))
