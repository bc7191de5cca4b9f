"""The schema of records takes those of real boots."""

from __future__ import annotations

from collections.abc import Callable

import jsonschema
import pytest

from tollgate import suites
from tollgate.machines.boot import BootResult
from tollgate.records import schema


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
