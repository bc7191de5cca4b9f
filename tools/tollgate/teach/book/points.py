"""A picture of the eight measurement points, for the first page."""

from __future__ import annotations

from tollgate.show.report.markup import Html, esc, paragraph, raw, tag

MP = (
    (1, 26, 3, "the program's last instruction before the gate"),
    (2, 74, 0, "the first instruction that is possible in the kernel"),
    (3, 146, 0, "before the service routine is called"),
    (4, 186, 0, "the routine's first instruction"),
    (5, 236, 0, "the routine's last instruction"),
    (6, 282, 0, "after the routine's return"),
    (7, 338, 0, "before the instruction that leaves"),
    (8, 386, 3, "the program's first instruction after it"),
)
"""Each point: its number, its position, its ring, its meaning."""
SECTIONS = ("gate", "save, check", "call", "service", "return", "restore", "gate")
LANES = {3: 150, 0: 50}
"""The height of each ring's line."""
LETTER = 5.6
"""px, of a section's name."""


def drawn() -> Html:
    """A picture of the eight measurement points, with the sections between them."""
    parts = [
        '<text x="4" y="16">ring 0, the kernel</text>',
        f'<text x="56" y="{LANES[3] + 14}">ring 3, the program</text>',
        '<path class="e" d="M2 100h416"></path>',
    ]
    for (_, x, ring, _), (_, to, other, _), name in zip(MP, MP[1:], SECTIONS, strict=False):
        parts.append(f'<path class="e" d="M{x} {LANES[ring]}L{to} {LANES[other]}"></path>')
        level = ring == other
        left = (x + to) / 2 - LETTER * len(name) / 2 if level else 4 if ring else 392
        y = LANES[0] + 18 if level else 94
        parts.append(f'<text class="a" x="{left:.0f}" y="{y}">{esc(name)}</text>')
    for number, x, ring, _ in MP:
        y = LANES[ring] + (-8 if ring == 0 else 14)
        parts.append(f'<text class="sp" x="{x - 13}" y="{y}">MP{number}</text>')
    said = "; ".join(f"MP{n} is {what}" for n, _, _, what in MP)
    picture = tag(
        "svg",
        raw(*(Html(part) for part in parts)),
        role="img",
        viewBox="0 0 420 172",
        class_="points",
        aria_label=f"The eight measurement points of a call: {said}.",
    )
    items = "".join(f"<li>MP{number}: {esc(what)}</li>" for number, _, _, what in MP)
    title = tag("h2", "The eight measurement points", id="points")
    lead = "Where a call is measured. Between two points is a section of its cost."
    listed = tag("ol", Html(items), class_="points")
    return tag("section", raw(title, paragraph(lead), picture, listed), aria_labelledby="points")
