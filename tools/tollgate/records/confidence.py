"""The reliability of a median: the confidence interval from its own samples.

With 95 % confidence the median of n independent samples is between two order statistics: n/2 minus
and plus 0.98 times the square root of n (the normal approximation of the binomial distribution; H.
A. David and H. N. Nagaraja, Order Statistics, Confidence Intervals for Quantiles). No distribution
is assumed.  Differences between boots are not included.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

HALF = 0.98
"""Half of 1.96, the 97.5 % quantile of the normal distribution."""

Bins = Sequence[Sequence[float]]
"""Lower edge and number of samples of each bin, in rising order."""


def ranks(n: int) -> tuple[int, int]:
    """The samples, counted from 1, that bound the median of `n`."""
    off = HALF * math.sqrt(n)
    return max(1, math.floor(n / 2 - off)), min(n, math.ceil(n / 2 + off + 1))


def width(bins: Bins) -> float:
    """The largest possible width of the bins: a power of two that divides their distances."""
    steps = [high - low for (low, _), (high, _) in pairwise(bins)]
    if not steps:
        return math.inf
    wide = 1
    while all(step % (2 * wide) == 0 for step in steps):
        wide *= 2
    return wide


def interval(result: Mapping[str, Any]) -> tuple[float, float] | None:
    """The interval of a result's median, in its unit; None without a histogram.

    A timed row brings its own, computed from blocks of samples in order (user/lib/statistics.h): it
    is wide if the machine changed meanwhile.  Otherwise the ends are edges of bins, so it is never
    too narrow; equal ends mean that it is exact.
    """
    if "low" in result and "high" in result:
        return float(result["low"]), float(result["high"])
    bins: Bins = result.get("histogram") or ()
    if not bins:
        return None
    low_rank, high_rank = ranks(sum(int(count) for _, count in bins))
    wide, seen = width(bins), 0
    low, high = None, float(result["max"])
    for edge, count in bins:
        seen += int(count)
        if low is None and seen >= low_rank:
            low = float(edge)
        if seen >= high_rank:
            high = min(edge + wide - 1, high)
            break
    return (high if low is None else low), high
