"""Parts of drawings as SVG text: boxes, lines, texts, and the colours of the tables' layers.

Put here what several drawings share. Where a part is placed is decided by the drawing.
"""

from __future__ import annotations

from html import escape
from typing import Final

FONT: Final = 'system-ui, "Segoe UI", "Liberation Sans", sans-serif'
STYLE: Final = f"""
:root {{ color-scheme: light dark; --page: #fff; --ink: #1b1e23; --soft: #575e68; --line: #b9bdb6; --accent: #b3261e;
  --raw: #eceee9; --core: #dbe8f7; --internal: #f4f4f2; --mart: #fbe6d2; }}
@media (prefers-color-scheme: dark) {{ :root {{ --page: #14161a; --ink: #e8e9e6; --soft: #a2a9b3; --line: #565d68;
  --accent: #ff8f85; --raw: #2a2d31; --core: #1f3349; --internal: #1d2025; --mart: #4a3420; }} }}
svg {{ font: 11px {FONT}; fill: var(--ink); }}
text {{ text-anchor: middle; }} .left {{ text-anchor: start; }} .name {{ font-weight: 600; }}
.soft {{ fill: var(--soft); }} .page {{ fill: var(--page); }}
rect {{ stroke: var(--line); }} rect.page {{ stroke: none; }}
.raw {{ fill: var(--raw); }} .core {{ fill: var(--core); }} .mart {{ fill: var(--mart); }}
.internal {{ fill: var(--internal); stroke-dasharray: 3 2; }}
path {{ fill: none; stroke: var(--line); }} .head {{ fill: var(--line); stroke: none; }}
"""
HEAD: Final = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path class="head" d="M0 0L8 4L0 8z"/></marker></defs>'
)
"""The head of an arrow."""


def document(width: float, height: float, title: str, body: list[str], rules: str = "") -> str:
    """A whole drawing, on a page of its own colour; `rules` are rules of style that it alone has."""
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}{rules}</style>",
            HEAD,
            '<rect class="page" width="100%" height="100%"/>',
            *body,
            "</svg>\n",
        ]
    )


def box(x: float, y: float, width: float, height: float, kind: str) -> str:
    """A rectangle with round corners, in the colour of a layer."""
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5"/>'


def words(x: float, y: float, label: str, kind: str = "") -> str:
    """A line of text whose middle (or beginning, for the kind `left`) is at x."""
    marked = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}"{marked}>{escape(label)}</text>'


def curve(begin: tuple[float, float], end: tuple[float, float], marked: str = "") -> str:
    """A line that leaves and arrives upright, with these attributes."""
    bend = (end[1] - begin[1]) / 2
    bends = f"{begin[0]:g} {begin[1] + bend:g} {end[0]:g} {end[1] - bend:g} {end[0]:g} {end[1]:g}"
    return f'<path{marked} d="M{begin[0]:g} {begin[1]:g}C{bends}"/>'
