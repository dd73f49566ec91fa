# SPDX-License-Identifier: MIT
"""The stylesheet of the page: two sets of colours, chosen by what the reader's system prefers."""

from __future__ import annotations

_LIGHT = {
    "page": "#f4f6f9", "paper": "#ffffff", "ink": "#1c2430", "faint": "#5f6b7c", "line": "#d5dbe4", "wash": "#eef1f6",
    "calm": "#cfe6da", "accent": "#2559c9", "good": "#177245", "c0": "#3b7de0", "c1": "#e07b26", "c2": "#2f9e6b", "c3": "#8d63d8",
    "c4": "#d24b43", "c5": "#1f9fae", "c6": "#c49a17", "c7": "#cc5593",
}  # fmt: skip
_DARK = {
    "page": "#0c1016", "paper": "#151b23", "ink": "#e4eaf1", "faint": "#93a0b1", "line": "#2d3743", "wash": "#1d2530",
    "calm": "#23433a", "accent": "#82aaff", "good": "#5ccb95", "c0": "#5a97f2", "c1": "#f09449", "c2": "#48b985", "c3": "#a986ee",
    "c4": "#ea6a62", "c5": "#35bccb", "c6": "#dab53a", "c7": "#e277b0",
}  # fmt: skip


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


def _paints() -> str:
    """Classes that fill with a colour, and those (``s-…``) that stroke with it."""
    return "".join(
        f".picture .{name}{{fill:var(--{name})}}.picture .s-{name}{{stroke:var(--{name})}}" for name in _LIGHT
    )


STYLE = (
    f":root{{color-scheme:light dark;{_variables(_LIGHT)}"
    "--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    f"@media (prefers-color-scheme:dark){{:root{{{_variables(_DARK)}}}}}"
    + """
*{box-sizing:border-box}
html{scroll-behavior:smooth}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
main,header,footer{max-width:1160px;margin:0 auto;padding:0 24px}
header{padding-top:36px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:18px;margin:0 0 2px}
h3{font-size:14px;margin:18px 0 6px}
p{margin:4px 0 12px;max-width:110ch}
.lead,footer,.note{color:var(--faint)}
.note{font-size:13px}
section{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:20px 24px;margin:18px 0}
nav{display:flex;flex-wrap:wrap;gap:6px;margin:16px 0 0}
nav a{color:var(--ink);text-decoration:none;font-size:13px;border:1px solid var(--line);border-radius:99px}
nav a{padding:2px 11px;background:var(--paper)}
nav a:hover{border-color:var(--accent);color:var(--accent)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin:18px 0 0;padding:0}
.figures div{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:10px 14px}
.figures dt{color:var(--faint);font-size:12px}
.figures dd{margin:0;font-size:17px;font-weight:600;overflow-wrap:anywhere}
.figures small{display:block;font-weight:400;color:var(--faint);font-size:12px}
.row{display:flex;flex-wrap:wrap;gap:26px;align-items:flex-start}
.row>*{flex:1 1 380px;min-width:0}
.picture{width:100%;height:auto;display:block;margin:8px 0;font-family:inherit}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13.5px;margin:6px 0 4px}
th{text-align:left;color:var(--faint);font-weight:500;border-bottom:1px solid var(--line);padding:4px 14px 4px 0}
td{border-bottom:1px solid var(--line);padding:5px 14px 5px 0;vertical-align:top}
tr:last-child td{border-bottom:0}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.chosen td{font-weight:600}
code,pre{font-family:var(--mono);font-size:12.5px}
code{overflow-wrap:anywhere}
pre{background:var(--wash);border-radius:8px;padding:12px 14px;overflow-x:auto;line-height:1.45;max-height:640px}
.check{color:var(--good);font-weight:700;white-space:nowrap}
details summary{cursor:pointer;color:var(--accent);font-size:13.5px}
footer{padding:6px 24px 40px;font-size:12.5px}
@media print{section{break-inside:avoid}}
"""
    + _paints()
)
