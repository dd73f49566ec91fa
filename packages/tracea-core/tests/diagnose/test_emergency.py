# SPDX-License-Identifier: MIT
"""Where core itself cannot be imported, something still speaks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
try:
    from tracea_core.diagnose import diagnose
    diagnose()
    print("came through")
except Exception as error:
    from tracea_core.diagnose.emergency import emergency, emergency_text
    import json
    print(json.dumps(emergency(error)))
    print(emergency_text(error), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("module", "body"),
    [
        ("numpy", "raise ImportError('numpy C extensions failed')"),
        ("msgspec", "raise ImportError('wrong Python for this msgspec')"),
        ("pluggy", "raise SyntaxError('half a pluggy')"),
    ],
)
def test_broken_foundation(module: str, body: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text(body)
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True, timeout=500
    )
    facts = json.loads(run.stdout)
    assert facts["severity"] == "error" and module in facts["hint"]
    assert facts["message"].startswith("core cannot be imported") and facts["versions"]["numpy"]
    assert "Traceback" in run.stderr and module in run.stderr
