"""The JSON Schema of records: it takes every record there is, and refuses what is none."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import jsonschema
import pytest

from tollgate.records import schema
from tollgate.records.format import MachineRun

from .machines import default_bench, pentium_4, reset, starved, with_exceptions
from .sample import make_run
from .test_columns import boot

Object = dict[str, Any]


@cache
def judge() -> Any:
    return jsonschema.Draft202012Validator(schema.schema())


def wrong(record: Object) -> list[str]:
    return [str(error.message)[:200] for error in judge().iter_errors(record)]


def test_it_is_a_schema() -> None:
    judge().check_schema(schema.schema())


def test_it_takes_the_samples_of_every_kind() -> None:
    runs: list[MachineRun] = [*default_bench(), pentium_4(), boot(), make_run(), reset(make_run())]
    runs += [starved(make_run()), with_exceptions(make_run())]
    for data in (record.data for run in runs for record in run.records):
        assert not wrong(data)
        assert not wrong(data | {"crc": "0123abcd"})


def of(kind: str) -> Object:
    """A whole record of a type."""
    if kind == "missing":
        return {"v": 1, "type": "missing", "boots": ["amd64 EPYC (qemu-icount)"]}
    if kind == "noisy":
        return {"v": 1, "type": "noisy", "suite": "toll", "id": "user/int/bare", "reason": "moved"}
    runs = [make_run(), reset(make_run()), boot()]
    return copy.deepcopy(next(r.data for run in runs for r in run.records if r.type == kind))


def edited(kind: str, edit: Callable[[Object], object]) -> Object:
    record = of(kind)
    if kind == "result":
        record = copy.deepcopy(next(r for r in make_run().results if "sections" in r))
    edit(record)
    return record


MUTANTS: dict[str, tuple[str, Callable[[Object], object]]] = {
    "another version": ("run", lambda r: r.update(v=2)),
    "no type": ("run", lambda r: r.pop("type")),
    "a type that there is not": ("check", lambda r: r.update(type="checks")),
    "another architecture": ("run", lambda r: r.update(arch="x86_64")),
    "a unit that there is not": ("run", lambda r: r.update(unit="seconds")),
    "a fence that there is not": ("run", lambda r: r.update(fence="mfence")),
    "a rate below zero": ("run", lambda r: r.update(tsc_hz=-1)),
    "true as a text": ("run", lambda r: r.update(deterministic="true")),
    "a processor without a family": ("run", lambda r: r["cpu"].pop("family")),
    "a short SHA-256": ("run", lambda r: r.update(image={"kernel": "12", "initrd": "34"})),
    "a misspelt key": ("run", lambda r: r.update(cpu_modle="EPYC")),
    "no sample": ("result", lambda r: r.update(n=0)),
    "a figure as a text": ("result", lambda r: r.update(median="46")),
    "no maximum": ("result", lambda r: r.pop("max")),
    "an id without a way": ("result", lambda r: r.update(id="user//standard")),
    "a bin without samples": ("result", lambda r: r["histogram"][0].__setitem__(1, 0)),
    "a bin of three": ("result", lambda r: r["histogram"][0].append(1)),
    "a histogram of 65 bins": ("result", lambda r: r.update(histogram=[[i, 1] for i in range(65)])),
    "six sections": ("result", lambda r: r["sections"].pop()),
    "a section from nowhere": ("result", lambda r: r["sections"][0].update({"from": "MP9"})),
    "a skip without a reason": ("skip", lambda r: r.update(reason="")),
    "an end that has lost its count": ("end", lambda r: r.pop("records")),
    "an end that there is not": ("outcome", lambda r: r.update(ended="fine")),
    "nothing that is missing": ("missing", lambda r: r.update(boots=[])),
    "a CRC in capitals": ("end", lambda r: r.update(crc="0123ABCD")),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_it_refuses(name: str) -> None:
    kind, edit = MUTANTS[name]
    assert not wrong(edited(kind, lambda record: None))
    assert wrong(edited(kind, edit))
