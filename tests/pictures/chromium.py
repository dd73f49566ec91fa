# SPDX-License-Identifier: MIT
"""A headless Chromium that opens a page and says what it logged and what it drew."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

_INSPECT = """<script>
const seen = [...document.querySelectorAll('svg')].map(svg => {
  const box = svg.viewBox.baseVal, paint = getComputedStyle(svg.querySelector('rect,path,circle,polyline') || svg);
  const lost = [...svg.querySelectorAll('text')].filter(text => {
    const b = text.getBBox(), turned = text.hasAttribute('transform');
    return !turned && (b.x < -1 || b.y < -1 || b.x + b.width > box.width + 1 || b.y + b.height > box.height + 1);
  }).map(text => text.textContent);
  const size = svg.getBoundingClientRect();
  return {title: svg.querySelector('title').textContent, width: size.width, height: size.height,
          shapes: svg.querySelectorAll('rect,path,circle,polyline').length, fill: paint.fill, lost};
});
const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth + 1;
const out = document.createElement('pre');
out.id = 'inspection';
out.textContent = JSON.stringify({pictures: seen, wide, ink: getComputedStyle(document.body).color});
document.body.append(out);
</script>"""


def find() -> str | None:
    """Return the path of a Chromium, None if there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@dataclass
class Seen:
    """What a browser made of a page: its pictures, its log, and whether anything was wider than the window."""

    pictures: list[dict[str, Any]]
    errors: list[str]
    wide: bool
    ink: str


def open_page(browser: str, page: str, folder: Path, *, dark: bool = False, width: int = 1280) -> Seen:
    """Open `page` and look at it."""
    file = folder / "page.html"
    file.write_text(page.replace("</body>", _INSPECT + "</body>"), encoding="utf-8")
    done = subprocess.run(
        [
            browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--enable-logging=stderr", "--log-level=0", f"--user-data-dir={folder / 'profile'}",
            f"--window-size={width},900", f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom", file.as_uri(),
        ],
        capture_output=True, text=True, timeout=500, check=True,
    )  # fmt: skip
    errors = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    found = re.search(r'<pre id="inspection">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, f"the page was not drawn: {done.stdout[-400:]} {errors}"
    report = json.loads(html.unescape(found[1]))
    return Seen(report["pictures"], errors, report["wide"], report["ink"])
