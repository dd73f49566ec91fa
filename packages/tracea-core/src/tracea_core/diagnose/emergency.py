# SPDX-License-Identifier: MIT
"""The report for an installation so broken that core itself cannot be imported. Standard library only.

Use it like this: import `tracea_core.diagnose.diagnose` in a ``try``; where that raises, print `emergency_text` of the error.
"""

from __future__ import annotations

import platform
import sys
import traceback
from importlib import metadata

NEEDED = ("numpy", "msgspec", "pluggy", "platformdirs", "filelock")
"""What core imports."""


def emergency(error: BaseException) -> dict[str, object]:
    """Return what can still be said, ready for JSON: versions, the error, and a way out."""
    versions: dict[str, str] = {}
    for name in (*NEEDED, "tracea", "tracea-core"):
        try:
            versions[name] = str(metadata.version(name))
        except Exception:
            versions[name] = "not installed"
    missing = [name for name in NEEDED if versions[name] == "not installed"]
    culprit = missing or [name for name in NEEDED if name in "".join(traceback.format_exception(error))]
    return {
        "severity": "error",
        "subject": "tracea-core",
        "message": f"core cannot be imported: {type(error).__name__}: {error}",
        "hint": "pip install --force-reinstall " + " ".join(culprit or ["tracea-core"]),
        "python": f"{platform.python_version()} at {sys.executable or 'an unknown place'}",
        "versions": versions,
        "trace": "".join(traceback.format_exception(error)),
    }


def emergency_text(error: BaseException) -> str:
    """Return `emergency` as text."""
    facts = emergency(error)
    versions = facts["versions"]
    assert isinstance(versions, dict)
    listed = "\n".join(f"    {name:<14}{version}" for name, version in versions.items())
    return f"[error] tracea-core: {facts['message']}\n    -> {facts['hint']}\npython {facts['python']}\n{listed}\n\n{facts['trace']}"
