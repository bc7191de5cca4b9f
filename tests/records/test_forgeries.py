"""A boot's statement about the executed bytes, and `tollgate check`'s answer to a false record.

Each leaf of each record is changed once by each operator. A leaf's evidence in the table of
leaves.py must refuse the lie or name it. If the leaf is believed, the list at the end must say so.
"""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tollgate.cli import main
from tollgate.machines.boot import BUILD, KERNEL, ROOT
from tollgate.records import image, leaves, played
from tollgate.records.check import found, remarks
from tollgate.records.fields import check_shape
from tollgate.records.format import MachineRun, Record, save
from tollgate.records.rules import who

from ..conftest import UNTOLD

LINE = "suite=toll only=user/int/s samples=20"
Objects = list[dict[str, Any]]
Place = tuple[str | int, ...]
GONE = object()


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_boot_names_the_bytes_that_ran(boot: Any, arch: str, tmp_path: Path) -> None:
    """The kernel's file and the initrd agree with the record; a changed byte is noticed."""
    result = boot(arch, "EPYC", "suite=toll samples=100", whole=True)
    file = BUILD / arch / "kernel.elf"
    assert result.run["image"]["kernel"] == image.kernel(file) != ""
    if arch == "amd64":
        assert image.kernel(BUILD / KERNEL[arch]) == image.kernel(file), "QEMU's twin"
    changed = bytearray(file.read_bytes())
    changed[changed.index(b"there is no suite")] ^= 1
    (tmp_path / "kernel.elf").write_bytes(changed)
    assert image.kernel(tmp_path / "kernel.elf") == ""
    script = (ROOT / "tools" / "initrd.sh").read_text()
    command = re.search(r"#\s+cpio -id < ARCHIVE; (.+)", script)
    assert command
    archive = BUILD / arch / "initrd.cpio"
    unpack = f"cpio --quiet -id < {shlex.quote(str(archive))}; {command[1]}"
    (tmp_path / "files").mkdir()
    told = subprocess.run(
        unpack, shell=True, cwd=tmp_path / "files", capture_output=True, text=True, check=True
    )
    assert told.stdout.split()[0] == result.run["image"]["initrd"]


def places(value: Any, path: Place = ()) -> Iterator[Place]:
    """The places of all leaves in a record."""
    if isinstance(value, dict | list) and value:
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, key))
    elif not isinstance(value, dict | list):
        yield path


def held(value: Any, place: Place) -> Any:
    """The value at a place; GONE if missing."""
    for key in place:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return GONE
    return value


def put(data: Any, place: Place, new: Any) -> None:
    """Change a leaf, or remove it."""
    inner = held(data, place[:-1])
    if new is GONE:
        del inner[place[-1]]
    else:
        inner[place[-1]] = new


def more(value: Any) -> Any:
    """Another value of the same type."""
    return not value if isinstance(value, bool) else value + ("x" if isinstance(value, str) else 1)


def lies(objects: Objects, others: Objects, number: int, place: Place) -> dict[str, Any]:
    """The values from the four operators for a leaf."""
    record, value = objects[number], held(objects[number], place)
    alike = [
        o for o in objects if o["type"] == record["type"] and held(o, place) not in (value, GONE)
    ]
    theirs = [
        o for o in others if o["type"] == record["type"] and held(o, place) not in (value, GONE)
    ]
    return {
        "one more": more(value),
        "its neighbour's": held(alike[0], place) if alike else value,
        "dropped": GONE,
        "another run's": held(theirs[0], place) if theirs else value,
    }


def as_run(objects: Objects) -> MachineRun:
    return MachineRun([Record(o["type"], o) for o in objects])


def credit(run: MachineRun) -> list[str]:
    """The facts that a reader must believe of a boot that breaks no rule."""
    said = leaves.credited(run, frozenset(played.facts(run)))
    return [*said, *(remark.text for remark in remarks(run))]


def is_shaped(data: dict[str, Any]) -> bool:
    """Whether a reader accepts a record at all."""
    try:
        check_shape(data)
    except ValueError:
        return False
    return True


def unseen(
    objects: Objects, others: Objects, keys: str = "", step: int = 1
) -> tuple[list[str], set[str]]:
    """Unnoticed lies that are on no list; and the rules that noticed others.

    `keys`: only of these keys in the first row with one; `step`: of so many lies one is told."""
    turn = 0
    honest, lost, rules = as_run(objects), [], set()
    usual = {fault.text for fault in found(honest)}
    assert all("a clock that counts instructions" in text for text in usual)
    said = credit(honest)
    rows = [n for n, record in enumerate(objects) if not keys or {*keys.split()} & record.keys()]
    for number in rows[:1] if keys else rows:
        record = objects[number]
        for place in places(record):
            if keys and place[0] not in keys.split():
                continue
            for name, new in lies(objects, others, number, place).items():
                turn += 1
                if turn % step:
                    continue
                forged = [*objects]
                forged[number] = json.loads(json.dumps(record))
                put(forged[number], place, new)
                if forged == objects or not is_shaped(forged[number]):
                    continue
                run = as_run(forged)
                faults = [fault for fault in found(run) if fault.text not in usual]
                rules |= {fault.rule for fault in faults}
                path = re.sub(r"\.(\d+)", "[]", ".".join(map(str, place)))
                leaf = leaves.LEAVES[record["type"]][path]
                listed = leaf.how == leaves.BELIEVED and any(leaf.by in text for text in said)
                if not faults and credit(run) == said and not listed:
                    lost.append(f"{who(honest.records[number])}: {path} {name}")
    return lost, rules


@pytest.mark.parametrize(
    ("exact", "step"),
    [
        pytest.param(True, 5, id="instructions, one lie of five"),
        pytest.param(True, 1, id="instructions", marks=pytest.mark.long),
        pytest.param(False, 1, id="host ticks", marks=pytest.mark.long),
    ],
)
def test_each_leaf_of_each_record_is_held_by_what_the_table_says(
    boot: Any, exact: bool, step: int
) -> None:
    machine = {"platform": "qemu-icount"} if exact else {"platform": "qemu-tcg", "extra": UNTOLD}
    objects, others = (
        [json.loads(json.dumps(record.data)) for record in boot(*asked, **machine).records]
        for asked in (("amd64", "EPYC", LINE), ("amd64", "Skylake-Client", LINE + "0"))
    )
    assert objects[0]["unit"] == ("instructions" if exact else "host ticks")
    lost, rules = unseen(objects, others, step=step)
    assert not lost, "\n".join(lost)
    assert rules >= {"fields", "words", "rate", "tries", "checks"}


@pytest.mark.long
@pytest.mark.parametrize("exact", [True, False], ids=["instructions", "host ticks"])
def test_places_of_an_entry_are_held(boot: Any, exact: bool) -> None:
    machine = {"platform": "qemu-icount"} if exact else {"platform": "qemu-tcg", "extra": UNTOLD}
    line = f"suite=toll samples={1 if exact else 20} only=align"
    objects = [
        json.loads(json.dumps(r.data)) for r in boot("amd64", "EPYC", line, **machine).records
    ]
    lost, rules = unseen(objects, objects, "places best worst")
    assert not lost and "places" in rules, "\n".join(lost)


def test_a_boot_is_replayed(boot: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a record that keeps all rules, one believed figure is changed."""
    (run,) = boot("amd64", "EPYC", "suite=toll only=user/int/s samples=20", whole=True).runs
    path = tmp_path / "results.jsonl"
    for hours, status, told in (
        (0, 0, "replayed: another boot has said"),
        (1, 3, "replayed, quiet is 3"),
    ):
        data = {**run.run, "quiet": run.run["quiet"] + 3600 * hours}
        save([MachineRun([Record("run", data), *run.records[1:]])], path)
        assert main(["check", str(path)]) == 0
        assert main(["check", "--replay", str(path)]) == status
        assert told in capsys.readouterr().out
