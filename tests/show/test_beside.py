"""A run in cycles with published figures of the nearest processor. The runs are invented."""

import re
from pathlib import Path
from typing import Any

import pytest

from tollgate.cli import main
from tollgate.records.format import MachineRun, save
from tollgate.show.published import beside, load, near

from ..records.sample import make_run

pytestmark = pytest.mark.usefixtures("drawn")

ROWS = {"user/int/standard": 1700, "user/int/bare": 811, "user/syscall/standard": 234}
NORTHWOOD = {"vendor": "GenuineIntel", "family": 15, "model": 2}
SKYLAKE = {"vendor": "GenuineIntel", "family": 6, "model": 0x5E}
NEAREST: list[tuple[str, dict[str, Any], str, set[str]]] = [
    ("the model itself", SKYLAKE, "Intel(R) Core(TM) i7-9700 CPU @ 3.00GHz", {"i7-9700"}),
    ("its generation", NORTHWOOD, "Intel(R) Celeron(R) CPU 2.00GHz", {"Northwood"}),
    ("the youngest", SKYLAKE | {"model": 0xB7}, "13th Gen Intel(R) Core(TM) i7-13700", {"Skylake"}),
    ("AMD", {"vendor": "AuthenticAMD", "family": 25, "model": 33}, "AMD Ryzen 7 5800X", {"Ryzen"}),
    ("nobody", {"vendor": "CentaurHauls", "family": 6, "model": 15}, "VIA Nano", set()),
]


def synthetic(cpu: dict[str, Any], brand: str, **changed: Any) -> MachineRun:
    """An invented boot."""
    words = {"unit": "cycles", "cpu_model": "SYNTHETIC", "tsc_hz": 2_000_000_000}
    cpu = {"brand": brand, "stepping": 1, **cpu}
    run = make_run(dict(ROWS), **(words | {"cpu": cpu} | changed))
    for result in run.results:
        result |= {"core": 3000, "reference": 2000, "smis": 0}
    return run


@pytest.mark.parametrize(
    ("cpu", "brand", "words"), [n[1:] for n in NEAREST], ids=[n[0] for n in NEAREST]
)
def test_the_nearest_processor(cpu: dict[str, Any], brand: str, words: set[str]) -> None:
    found = near(cpu | {"brand": brand}, load())
    assert bool(found) == bool(words)
    for word in words:
        assert any(word in row.cpu for row in found)
    vendors = {"GenuineIntel": "Athlon", "AuthenticAMD": "Skylake"}
    assert not any(vendors.get(cpu["vendor"], "") in row.cpu for row in found if words)


def test_units_alike_and_operations_alike() -> None:
    found = list(beside(synthetic(NORTHWOOD, "Intel(R) Celeron(R) CPU 2.00GHz")))
    assert found
    assert {each.published.unit for each in found} == {"cycles"}
    bare = next(each for each in found if each.published.operation == "int+iret")
    assert (bare.id, bare.median, bare.core, bare.published.low) == (
        "user/int/bare",
        811,
        1216.5,
        932,
    )
    for unit in ("instructions", "host ticks"):
        assert not list(beside(synthetic(NORTHWOOD, "", unit=unit)))


def test_report_and_terminal_show_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.jsonl"
    save(
        [synthetic(NORTHWOOD, "Intel(R) Celeron(R) CPU 2.00GHz"), synthetic(NEAREST[-1][1], "VIA")],
        path,
    )
    assert main(["report", str(path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "beside the nearest that is published, in cycles" in said
    assert "of no processor near to VIA a figure in cycles is published" in said
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "beside the nearest processor that is published" in page
    assert "Celeron Northwood 1995MHz" in page
    assert "1,216.5" in page


def test_a_year_is_one_number_or_not_known() -> None:
    """A CSV column must have one kind of value; additional facts are in the conditions."""
    years = {row.year for row in load()}
    assert len(years) > 20
    assert all(not year or re.fullmatch("[0-9]{4}", year) for year in years)
