"""The report's charts and sentences: measured figures in their unit, with published ones."""

import re
from html import escape
from pathlib import Path

import pytest

from tollgate.show.report import reference
from tollgate.show.report.histograms import dominant_spacing

from .machines import pentium_4
from .page import figures, report

pytestmark = pytest.mark.usefixtures("drawn")


def test_totals_labels_and_sections_are_drawn(bench: str) -> None:
    bars = next(figure for figure in figures(bench) if 'data-name="figure-6-m1"' in figure)
    for word in (">user/int<", ">standard<", ">int80<", ">sep1<", ">cg1<", ">46<", ">2<"):
        assert word in bars
    assert "user/int/standard, MP2\u2013MP3, work before the service: 17 of 46 instructions" in bars


def test_units_never_share_a_chart(mixed: str) -> None:
    measured = [f for f in figures(mixed) if re.search(r"\bM\d ", f)]
    assert len(measured) >= 4
    for drawn in measured:
        assert not ("M4 " in drawn and "M1 " in drawn)
        assert ("M4 " in drawn) == ("cycles" in drawn)
        assert ("M4 " in drawn) == ("instructions" not in drawn)


def test_nanoseconds_only_where_the_frequency_is_known(silicon: str, tmp_path: Path) -> None:
    assert re.search(r">1,288\s+\(460 ns\)<", silicon)
    assert " ns)<" not in report(tmp_path, pentium_4(tsc_hz=0))


def test_claims_of_silicon_are_not_testable_in_instructions(bench: str, silicon: str) -> None:
    assert "<em>not testable here</em>" in bench
    assert "<em>not testable here</em>" not in silicon


def test_ratios_stand_beside_the_paper_s_and_claim_no_comparison(bench: str) -> None:
    assert f'<td class="num">{46 / 62:.2f}</td>' in bench
    assert "1.4\u2020 (Pentium 4 2.8 GHz); 1.6\u2020 (P2, P3, Athlon)" in bench
    assert "it is no comparison" in bench


def test_dominant_spacing() -> None:
    grid = [(100.0, 10.0), (107.0, 300.0), (114.0, 500.0), (128.0, 100.0), (500.0, 1.0)]
    found = dominant_spacing(grid)
    assert found is not None
    assert found.value == 7
    assert found.share == pytest.approx(410 / 411)
    alone = dominant_spacing([(46.0, 1000.0)])
    assert alone is not None
    assert alone.words("instructions") == "no spread"
    assert dominant_spacing([]) is None
    wide = dominant_spacing([(float(4 * i), 10.0) for i in range(40)])
    assert wide is not None
    assert "width of the bins" in wide.words("host ticks")


def test_reference_data_keeps_its_sources_and_marks_inferences(bench: str) -> None:
    rows = reference.load()
    assert len(rows) == 127
    assert all(row.source and row.operation for row in rows)
    inferred = [row for row in rows if row.inferred]
    assert {"inferred", "probably"} & {word for row in inferred for word in row.conditions.split()}
    assert all(row.inferred for row in rows if "inferred" in row.conditions)
    drawn = "".join(f for f in figures(bench) if "Published figures" in f)
    for row in rows:
        if row.low is not None:
            assert f">{row.value}<" in drawn
            assert f"{escape(row.source)}: {escape(row.operation)}, " in drawn


def test_histograms_name_their_spacing(silicon: str, bench: str) -> None:
    assert "spacing 7 cycles (100% on that grid)" in silicon
    assert "Figure 7 of the paper: " in silicon
    assert "No spread on" in bench and "figure-7" not in bench, "a sentence, not a picture of it"
    assert "in each of 52 rows all samples are equal" in bench


def test_linux_is_compared_with_mitigations_and_without(bench: str) -> None:
    rows = {
        (row.source.partition(" in ")[0], row.cpu): row.low
        for row in reference.load()
        if row.operation == "getpid, syscall" and row.source.startswith("Linux 6.1.192")
    }
    assert rows == {
        ("Linux 6.1.192, mitigations default,", "amd64, EPYC"): 345,
        ("Linux 6.1.192, mitigations off,", "amd64, EPYC"): 306,
        ("Linux 6.1.192, minimal,", "amd64, EPYC"): 185,
    }
    assert "looks for seccomp, ptrace and audit" in bench
    assert "takes 185 by SYSCALL if built minimal, 306 as Debian builds it" in bench
    assert "Mitigations that it chose: retbleed, spec_rstack_overflow, " in bench
    assert "6.1.176" not in bench.partition("Published")[0], "one version of Linux in one picture"
