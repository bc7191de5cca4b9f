"""Results for other programs: one table, with numbers as numbers."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tollgate.cli import main
from tollgate.machines.boot import ARCHES
from tollgate.records import provenance
from tollgate.records.confidence import interval, ranks
from tollgate.records.expected import ids_of
from tollgate.records.format import MachineRun, Results, load, save
from tollgate.records.image import run_id
from tollgate.records.rules import CONTROLS, faults
from tollgate.show import export, kcidb
from tollgate.show.export import COLUMNS, SECTIONS
from tollgate.suites import NAMES

from ..records.sample import as_run, make_run, without
from .machines import default_bench, pentium_4
from .test_columns import HERTZ, boot

BESIDE = {"kernel_part": "kernel", "model": "cpu_model", "assembler": "nasm"}
"""Columns with another name in a record."""


def kept(folder: Path, *runs: MachineRun) -> Path:
    save(list(runs), folder / "results.jsonl")
    provenance.keep(folder, "make bench")
    return folder


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_column_has_its_own_figure(tmp_path: Path) -> None:
    """In these boots minimum, median, p90, p99, maximum, mean and batch all differ."""
    run = boot()
    rows = rows_of(export.export([load(kept(tmp_path, run))]).decode())
    assert [list(row) for row in rows[:1]] == [[column.name for column in COLUMNS]]
    assert len(rows) == len(run.results)
    figures = [
        c.name for c in COLUMNS if c.kind is float and not c.name.startswith(("mp", "median_"))
    ]
    made, said = provenance.beside(tmp_path), run.run
    of_boot = {**said["tools"], **said["image"], **said["cpu"], **vars(made), **said}
    of_boot |= {"run": run_id(run), "machine": run.name, "model_number": said["cpu"]["model"]}
    for row, record in zip(rows, run.results, strict=True):
        for name in (column.name for column in export.OF_BOOT):
            assert row[name] == export.text(of_boot[BESIDE.get(name, name)]), name
        for name in (*figures, "n", "disturbed", "repeated", "core", "reference", "suite", "id"):
            value = record.get(BESIDE.get(name, name))
            assert row[name] == ("" if value is None else export.text(value)), name
        parts = record.get("sections", [])
        medians = [export.text(part["median"]) for part in parts] or [""] * len(SECTIONS)
        assert [row[name] for name in SECTIONS] == medians
        least = [export.text(part["min"]) for part in parts] or [""] * len(SECTIONS)
        assert [row[f"{name}_min"] for name in SECTIONS] == least
        assert float(row["median_ns"]) == pytest.approx(record["median"] * 1e9 / HERTZ)
        assert (
            "/".join(filter(None, (row[k] for k in ("origin", "way", "variant", "part"))))
            == (record["id"])
        )


def test_a_number_is_a_number(tmp_path: Path) -> None:
    rows = rows_of(export.export([load(kept(tmp_path, boot(), pentium_4()))]).decode())
    for column in COLUMNS:
        cells = [row[column.name] for row in rows]
        if column.kind in (int, float):
            assert all(re.fullmatch(r"(-?\d+(\.\d+)?(e[+-]?\d+)?)?", cell) for cell in cells)
        if column.kind is bool:
            assert set(cells) <= {"true", "false", ""}


def test_a_record_of_the_wrong_kind_becomes_no_figure(tmp_path: Path) -> None:
    run = make_run()
    run.run["cpu"] = {"vendor": 7, "family": "six", "brand": None, "model": True}
    assert faults(run)
    assert not list(export.table(Results([run], path=tmp_path / "results.jsonl")))


def test_what_breaks_a_rule_is_left_out_and_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept(tmp_path, make_run(), without(make_run(cpu_model="Opteron"), "end"))
    assert main(["export", str(tmp_path)]) == 3
    out, err = capfd.readouterr()
    assert {row["model"] for row in rows_of(out)} == {"EPYC"}
    assert "amd64 Opteron (qemu-icount) is left out: " in err and "no end record" in err


def test_the_file_is_written_where_it_was_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "table.csv"
    folder = kept(tmp_path, *default_bench())
    assert main(["export", str(folder), "--out", str(target)]) == 0
    assert len(rows_of(target.read_text())) > 40
    assert main(["export", str(folder), "--out", str(tmp_path / "no" / "folder.csv")]) == 4


def test_the_verb_says_what_every_column_means(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["export", "--columns"])
    found = re.findall(r"^(\w+) +(\w+(?: \w+)*)  +(.+)$", capsys.readouterr().out, re.M)
    assert found == [(c.name, export.NAMES[c.kind], c.says) for c in COLUMNS]


def test_each_origin_of_a_row_is_named() -> None:
    (says,) = (column.says for column in COLUMNS if column.name == "origin")
    ids = {name for arch in ARCHES for suite in NAMES for name in ids_of(suite, arch)}
    origins = {name.partition("/")[0] for name in (*ids, *CONTROLS)}
    assert len(origins) > 4 and origins <= set(re.findall(r"\w+", says))


def test_kernelci_is_given_each_row_and_why_one_is_not_certain(tmp_path: Path) -> None:
    *objects, end = boot().lines()
    some = next(o for o in objects if o["type"] == "result" and o["suite"] == "toll")
    doubt = {"v": 1, "type": "noisy", "suite": "toll", "id": some["id"], "reason": "it moved"}
    run = as_run(*objects, doubt, {**end, "records": end["records"] + 1})
    made = json.loads(export.export([load(kept(tmp_path, run))], "kcidb"))
    values = {test["path"]: test["number"]["value"] for test in made["tests"] if "number" in test}
    assert values == {kcidb.path(r): r["median"] for r in run.results}
    assert {test["build_id"] for test in made["tests"]} == {b["id"] for b in made["builds"]}
    assert {b["checkout_id"] for b in made["builds"]} == {c["id"] for c in made["checkouts"]}
    (doubted,) = (test for test in made["tests"] if test["status"] == "DONE")
    assert (doubted["path"], doubted["comment"]) == (kcidb.path(some), "not certain: it moved")
    assert {t["number"]["unit"] for t in made["tests"] if "number" in t} == {run.unit}


@pytest.mark.long
def test_kernelcis_own_schema_takes_it(tmp_path: Path) -> None:
    schema = pytest.importorskip("kcidb_io").schema.LATEST
    made = json.loads(export.export([load(kept(tmp_path, boot()))], "kcidb"))
    assert (schema.major, schema.minor) == tuple(made["version"].values())
    schema.validate(made)
    del made["tests"][0]["build_id"]
    with pytest.raises(Exception, match="build_id"):
        schema.validate(made)


def bins(*pairs: tuple[int, int]) -> dict[str, Any]:
    return {"histogram": [list(pair) for pair in pairs], "max": pairs[-1][0]}


def test_the_interval_of_a_median() -> None:
    assert ranks(1000) == (469, 532)
    assert interval(bins((46, 1000))) == (46, 46), "exact"
    assert interval(bins((10, 468), (11, 63), (12, 469))) == (11, 12)
    assert interval(bins((10, 469), (11, 1), (12, 530))) == (10, 12)
    assert interval(bins((0, 400), (64, 200), (128, 400))) == (64, 127), "as wide as its bins"
    assert interval({"max": 3}) is None, "what was scanned has no histogram"
    (low, high) = interval(bins((7, 1))) or (0, 0)
    assert (low, high) == (7, 7)


def test_the_interval_holds_the_median_as_often_as_it_says() -> None:
    """For 1,000 sets of samples around 100 the true median is inside in nearly 95 %, not less."""
    import random

    chance = random.Random(27)
    held = 0
    for _ in range(1000):
        samples = sorted(round(chance.gauss(10_000, 300)) for _ in range(101))
        made = {value: samples.count(value) for value in sorted(set(samples))}
        low, high = interval(bins(*made.items())) or (0, 0)
        held += low <= 10_000 <= high
    assert 940 <= held <= 985


EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202e|\r\n"
SHOWN = {
    "export": ["export", "{0}"],
    "markdown": ["markdown", "{0}"],
    "compare": ["compare", "{0}", "{1}"],
    "check": ["check", "{0}"],
    "report": ["report", "{0}", "--out={2}"],
}
"""Texts of a results file that could reach a terminal."""


@pytest.mark.parametrize("verb", SHOWN)
def test_no_verb_gives_a_terminal_what_a_record_orders(
    verb: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folders = [tmp_path / "old", tmp_path / "new", tmp_path / "out"]
    for folder, cost in zip(folders, (46, 41), strict=False):
        run = make_run({"user/int/standard": cost}, cpu_model=EVIL, cmdline=EVIL, firmware=EVIL)
        run.run["tools"] |= {"compiler": EVIL, "emulator": EVIL}
        run.run["cpu"]["brand"] = EVIL
        for record in [*run.results, *run.skips]:
            record |= {"label": EVIL, "reason": EVIL}
        folder.mkdir()
        (kept(folder, run) / provenance.BESIDE).write_text(
            json.dumps(dict.fromkeys(("date", "commit", "command", "host"), EVIL))
        )
    main([word.format(*folders) for word in SHOWN[verb]])
    files = (path for path in folders[2].rglob("*") if path.suffix in (".csv", ".html", ".svg"))
    for text in ("".join(capfd.readouterr()), *(path.read_text() for path in files)):
        assert "owned" in text or verb == "report"
        assert not [c for c in text if not c.isprintable() and c not in "\n\u00a0"]
