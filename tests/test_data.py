"""Data for other programs, of real boots: the example of docs/records.md, and the schema."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from tollgate import suites
from tollgate.machines.boot import ROOT, BootResult
from tollgate.records import schema
from tollgate.records.format import save

EXAMPLE = (("i386", "EPYC"), ("amd64", "Skylake-Client"), ("amd64", "EPYC"))
"""The machines of `make bench`, which the example is of."""


@pytest.mark.long
def test_three_lines_of_pandas(
    boot: Callable[..., BootResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They give a table of medians by machine and way, the one that docs/records.md shows.

    Before the long tests, tools/setup.sh brings pandas."""
    runs = [run for each in EXAMPLE for run in boot(*each, "suite=toll samples=20").runs]
    latest = tmp_path / "results" / "latest"
    latest.mkdir(parents=True)
    save(runs, latest / "results.jsonl")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "records.md").read_text()
    example = doctest.DocTestParser().get_doctest(text, {}, "docs/records.md", None, 0)
    said: list[str] = []
    flags = doctest.NORMALIZE_WHITESPACE
    done = doctest.DocTestRunner(verbose=False, optionflags=flags).run(example, out=said.append)
    assert not said, "".join(said)
    assert done.attempted == len(example.examples) == 4


def judged(result: BootResult) -> int:
    """How many records of a boot the schema has taken; it has to take all."""
    made = schema.schema()
    judges = {kind: jsonschema.Draft202012Validator(of) for kind, of in made["$defs"].items()}
    for record in (record for run in result.runs for record in run.records):
        wrong = [str(error.message) for error in judges[record.type].iter_errors(record.data)]
        assert not wrong, record.data
    return sum(len(run.records) for run in result.runs)


@pytest.mark.parametrize(("arch", "cpu"), [("i386", "EPYC"), ("amd64", "Skylake-Client")])
def test_the_schema_takes_every_record(
    boot: Callable[..., BootResult], arch: str, cpu: str
) -> None:
    assert judged(boot(arch, cpu, "suite=toll samples=100")) > 80


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [each.name for each in suites.TABLE if each.bench and not each.apart]
)
def test_the_schema_takes_every_record_of_every_suite(
    boot: Callable[..., BootResult], name: str
) -> None:
    assert judged(boot("amd64", "EPYC", f"suite={name} samples=5")) > 2


@pytest.mark.long
def test_the_schema_takes_the_records_of_bochs(suite: Callable[..., BootResult]) -> None:
    assert judged(suite("amd64", "ryzen", "bochs", "exceptions")) > 2
