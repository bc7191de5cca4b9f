"""Histograms (figure 7 of Schneider and Baumgartl) and the spacing of their bins."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import altair as alt

from tollgate.show.report import theme
from tollgate.show.report.markup import Html, figure, heading, panel_of, raw, slug
from tollgate.show.report.model import Machine, Row, shown

MERGED_FROM = 33  # bins; the kernel keeps 64 and, if they do not suffice, doubles their width
MOST_PANELS = 6
MIDDLE = 0.99  # the share of samples that a panel shows

Bins = Sequence[tuple[float, float]]  # (value, samples), rising


@dataclass(frozen=True)
class Spacing:
    """The most frequent distance between neighbouring occupied bins, weighted by samples.

    value: in the histogram's unit, 0 if all samples share one bin. share: the part of all
    distances' weight that is a whole multiple of `value`, 0 to 1. merged: the bins may be wider
    than one unit, so the distance may be their width.
    """

    value: float
    share: float
    merged: bool

    def words(self, unit: str) -> str:
        """The result, as a phrase."""
        if not self.value:
            return "no spread"
        doubt = ", perhaps the width of the bins" if self.merged else ""
        return f"spacing {shown(self.value)} {unit} ({self.share:.0%} on that grid{doubt})"


def dominant_spacing(bins: Bins) -> Spacing | None:
    """The dominant spacing of a histogram, or None for one without samples.

    Each distance between neighbouring occupied bins is weighted by the smaller of the two bins, so
    that a stray sample does not count as much as the body. The distance with the largest weight is
    chosen, the smaller of two equals. Schneider and Baumgartl found 7 cycles on a Pentium 4 by eye;
    their "exact" is a share of 1 here.
    """
    if not bins:
        return None
    weights: dict[float, float] = {}
    for (left, few), (right, many) in pairwise(sorted(bins)):
        weights[right - left] = weights.get(right - left, 0.0) + min(few, many)
    if not weights:
        return Spacing(0.0, 1.0, merged=False)
    value = min(weights, key=lambda distance: (-weights[distance], distance))
    on_grid = sum(weight for distance, weight in weights.items() if distance % value == 0)
    merged = len(bins) >= MERGED_FROM and all(distance % 2 == 0 for distance in weights)
    return Spacing(value, on_grid / sum(weights.values()), merged)


def spacing_cell(row: Row) -> str:
    """A row's dominant spacing for a table: its value, with a query if the bins may cause it."""
    spacing = dominant_spacing(row.histogram)
    if spacing is None:
        return ""
    return shown(spacing.value) + (" ?" if spacing.merged else "") if spacing.value else "none"


def spread(machine: Machine) -> list[Row]:
    """A machine's rows with different samples."""
    return [row for row in machine.toll if len(row.histogram) > 1]


def middle(bins: Bins) -> tuple[list[tuple[float, float]], float]:
    """The bins with the middle 99 % of the samples, and the number of samples outside."""
    samples = sum(count for _, count in bins)
    tail = samples * (1 - MIDDLE) / 2
    kept, before = [], 0.0
    for value, count in bins:
        if before + count > tail and before < samples - tail:
            kept.append((value, count))
        before += count
    return kept, samples - sum(count for _, count in kept)


def chosen(machine: Machine) -> list[Row]:
    """The rows worth a panel, standard ones first: those with different samples."""
    rows = spread(machine)
    return sorted(rows, key=lambda row: row.variant != "standard")[:MOST_PANELS]


def panel(row: Row, machine: Machine, width: float, meaning: str) -> Html:
    """One histogram over `width` units around its middle; a figure's panels share that width."""
    bins, outside = middle(row.histogram)
    centre = (bins[0][0] + bins[-1][0]) / 2
    spacing = dominant_spacing(row.histogram)
    step = spacing.value if spacing and spacing.value else width / 40
    found = spacing.words(machine.unit) if spacing else ""
    rest = f"; {shown(outside)} samples lie further out" if outside else ""
    data: theme.Values = [
        {"x0": value - 0.4 * step, "x1": value + 0.4 * step, "count": count,
         "means": f"{shown(value)} {machine.unit}: {shown(count)} samples"}
        for value, count in bins
    ]  # fmt: skip
    domain = [centre - width / 2 - step, centre + width / 2 + step]
    chart = (
        alt.Chart(theme.values(data))
        .mark_rect(fill=theme.ACCENT)
        .encode(
            x=alt.X(
                "x0:Q",
                title=machine.unit,
                scale=alt.Scale(domain=domain, nice=False, zero=False),
                axis=alt.Axis(tickCount=5, grid=False),
            ),
            x2=alt.X2("x1:Q"),
            y=alt.Y("count:Q", title="samples", axis=alt.Axis(tickCount=3)),
            y2=alt.Y2Datum(0),
            description=alt.Description("means:N"),
        )
    )
    name = f"figure-7-{machine.tag.lower()}-{slug(row.id)}"
    drawn = theme.svg(chart, name, f"{row.id}: {found}{rest}. {meaning}", 110, 54)
    return panel_of(f"{row.id} ({row.label}): {found}{rest}", drawn)


def histogram_figure(machine: Machine) -> Html:
    """Figure 7: up to six histograms of one machine, all with scales of the same width."""
    rows = chosen(machine)
    if not rows:
        return raw()
    ends = [middle(row.histogram)[0] for row in rows]
    width = max(10.0, *(bins[-1][0] - bins[0][0] for bins in ends))
    caption = (
        f"{machine.title}. Samples per value in {machine.unit}; "
        f"platform {machine.word('platform')}, fence {machine.word('fence')}, "
        f"n\u00a0=\u00a0{machine.samples}."
    )
    panels = [panel(row, machine, width, caption) for row in rows]
    title = f"Figure 7 of the paper: {machine.title}"
    return raw(heading(3, title, f"histograms-{machine.tag}"), figure(panels, caption))
