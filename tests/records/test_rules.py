"""The rules for records: each is seen to fail, and a boot that breaks one shows no figure."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tollgate.cli import main
from tollgate.machines.platforms import PLATFORMS
from tollgate.records.format import MachineRun, Record, RecordsError, load, save
from tollgate.records.rules import OF_PLATFORM, PROOFS, RULES, faults, told

from .sample import (
    as_run,
    controlled,
    ended,
    make_check,
    make_plain,
    make_result,
    make_run,
    make_run_record,
)

pytestmark = pytest.mark.usefixtures("drawn")

Objects = list[dict[str, Any]]
Change = Callable[[Objects], Any]

FIGURE = 4711
"""A median whose digits occur only where it is shown."""


def objects() -> Objects:
    """A boot of one row, found by `row`: with lists and objects of its own, to be modified."""
    run = make_run({"user/int/standard": FIGURE, "user/int/bare": 2})
    return json.loads(json.dumps(list(run.lines())))  # type: ignore[no-any-return]


def row(found: Objects) -> dict[str, Any]:
    return next(o for o in found if o.get("id") == "user/int/standard")


def of(found: Objects, kind: str, name: str) -> dict[str, Any]:
    return next(o for o in found if o["type"] == kind and name in (o.get("id"), o.get("name")))


def without(found: Objects, lost: dict[str, Any], counted: bool = True) -> Objects:
    """The objects without one; the end record is adjusted, as a careful forger would."""
    del found[next(place for place, o in enumerate(found) if o is lost)]
    found[-1]["records"] -= counted
    return found


def doubled(found: Objects) -> None:
    """The row occurs twice, and is counted twice."""
    found.insert(7, dict(row(found)))
    found[-1]["records"] += 1


def hidden(found: Objects, control: str) -> Objects:
    """A row is missing, and a control's check doubled instead: the number of records is right."""
    check = of(found, "check", control)
    found.insert(found.index(check), dict(check))
    return without(found, row(found), counted=False)


def plain(found: Objects, times: int, counted: int) -> None:
    """A row of a suite without sections, `times` times; `counted` more records were sent."""
    first = make_plain("usystime", "user/usystime/getpid", 57)
    found[-1:-1] = [dict(first) for _ in range(times)]
    found[-1]["records"] += counted


def below(found: Objects) -> None:
    """A row of a suite without sections, with one sample below 0."""
    plain(found, 1, 1)
    found[-2].update(min=-1, mean=56.94, histogram=[[-1, 1], [57, 999]])


def spread(found: Objects, **values: float) -> None:
    """Change only the row's order statistics."""
    row(found).update(values)


def nothing(word: str) -> Change:
    """One of the counts of entries is zero."""

    def change(found: Objects) -> None:
        check = of(found, "check", "control/entered")
        check["detail"] = re.sub(rf"\d+ of \d+ ((?:calls )?{word})", r"0 of 0 \1", check["detail"])

    return change


def timed(found: Objects, **fields: Any) -> None:
    """The boot counted the host's ticks, and its row has an interval."""
    found[0].update(unit="host ticks", platform="qemu-tcg", deterministic=False)
    row(found).update(fields)


CONTROL, END = "control", dict.fromkeys(("at", "median", "low", "high"), 2)
BROKEN: list[tuple[str, str, Change]] = [
    # rule, words of the message, change of the records
    ("sign", "median is -5, and it is not said to be noisy", lambda o: row(o).update(
        make_plain("toll", "user/int/standard", -5) | {"residue": -FIGURE - 5})),
    ("sign", "min is -1, and it is not said to be noisy", lambda o: below(o)),
    ("interval", "where instructions are counted there is none", lambda o: row(o).update(
        low=FIGURE, high=FIGURE)),
    ("interval", "an interval has two ends", lambda o: timed(o, low=FIGURE)),
    ("interval", "does not hold its median", lambda o: timed(o, low=FIGURE + 1, high=FIGURE + 2)),
    ("interval", "its median lies between", lambda o: timed(o, low=FIGURE // 2, high=FIGURE)),
    ("interval", "and it is not said to be noisy", lambda o: timed(
        o, low=FIGURE, high=FIGURE, p90=2 * FIGURE, p99=2 * FIGURE, max=2 * FIGURE)),
    ("places", "it has 63 places", lambda o: row(o).update(places=[FIGURE] * 63)),
    ("places", "it has 0 places", lambda o: timed(o, best=END)),
    ("places", "each place costs its median", lambda o: row(o).update(places=[FIGURE - 1] * 64)),
    ("places", "none is the best", lambda o: row(o).update(places=[FIGURE] * 64, best=END)),
    ("places", "best and its worst place are others", lambda o: timed(
        o, places=[*range(64)], best=END | {"at": 0}, worst=END | {"at": 62})),
    ("places", "does not hold the median", lambda o: timed(
        o, places=[*range(64)], best=END | {"at": 0}, worst=END | {"at": 63, "low": 3})),
    ("shape", "not a list of whole numbers", lambda o: row(o).update(places=["1"])),
    ("shape", '"worst" of a result record has no "high"', lambda o: row(o).update(
        worst={"at": 0, "median": 1, "low": 1})),
    ("histogram", "it has no histogram", lambda o: row(o).pop("histogram")),
    ("histogram", "runs from 4712, the samples from 4711", lambda o: row(o).update(
        histogram=[[4712, 1000]], max=4713)),
    ("sections", "min of MP7-MP8 is above its median", lambda o: row(o)["sections"][6].update(
        min=4711)),
    ("unit", "deterministic is True in host ticks", lambda o: o[0].update(
        unit="host ticks", platform="qemu-tcg")),
    ("controls", "fresh: 1101 of 1100", lambda o: of(o, "check", "control/entered").update(
        detail="9 of 9 calls answered, 9 of 9 stamped, 1101 of 1100 fresh, 9 of 9 entered")),
    ("order", f"min {FIGURE} is above median 3", lambda o: spread(o, median=3)),
    ("order", "p99 5000 is above max", lambda o: spread(o, p99=5000)),
    ("order", "the mean 9.5 is outside", lambda o: spread(o, mean=9.5)),
    ("unique", "stands twice in the suite toll", doubled),
    ("unique", "stands twice in the suite usystime", lambda o: plain(o, 2, 2)),
    ("records", "records were sent", lambda o: without(o, row(o), counted=False)),
    ("records", "records were sent", lambda o: plain(o, 1, 2)),
    ("unit", "qemu-icount counts instructions, not cycles", lambda o: o[0].update(unit="cycles")),
    ("unit", "no unit is called 'furlongs'", lambda o: o[0].update(unit="furlongs")),
    ("unit", "an emulator's counts are never cycles", lambda o: o[0].update(
        unit="cycles", platform="hardware")),
    ("unit", "deterministic is False", lambda o: o[0].update(deterministic=False)),
    ("bits", "more than 64 bits", lambda o: row(o).update(batch=float(2**63))),
    ("bits", "more than 64 bits", lambda o: row(o).update(n=2**63)),
    ("end", "there is no end record", lambda o: o.pop()),
    ("end", "behind the end", lambda o: o.append(dict(o[-1]))),
    ("end", "behind the end", lambda o: o.append(dict(row(o)))),
    ("records", "99 records were sent", lambda o: o[-1].update(records=99)),
    ("failed", "programs that failed: 1", lambda o: o[-1].update(failed=1)),
    ("failed", "failed: 0 of 0", lambda o: of(o, "check", "control/empty").update(ok=False)),
    ("readable", "unreadable", lambda o: o[0].update(readable=False)),
    ("quiet", "had to be ended: 1", lambda o: o[-1].update(unquiet=1)),
    ("quiet", "had to be ended: 0", lambda o: o[-1].update(unquiet=0)),
    ("histogram", "n is 999, the histogram holds 1000", lambda o: row(o).update(n=999)),
    ("histogram", "n is 0", lambda o: row(o).update(n=0, histogram=[])),
    ("histogram", "do not rise", lambda o: row(o).update(histogram=[[FIGURE, 500]] * 2)),
    ("histogram", "no whole number of samples", lambda o: row(o).update(
        histogram=[[FIGURE, 1001], [FIGURE + 1, -1]])),
    ("histogram", "65 bins; 64 is the most", lambda o: row(o).update(
        n=65, histogram=[[FIGURE + i, 1] for i in range(65)])),
    ("histogram", "p90 is 4711, by the histogram from 4712", lambda o: row(o).update(
        max=4712, p99=4712, histogram=[[FIGURE, 500], [4712, 500]])),
    ("sections", "the sections' 4711 and the residue 1", lambda o: row(o).update(residue=1)),
    ("sections", "not the seven from MP1 to MP8", lambda o: row(o).update(sections=[])),
    ("sections", "not the seven", lambda o: row(o)["sections"].reverse()),
    ("sections", "no probe", lambda o: row(o).pop("probe")),
    ("exact", "a path has one length", lambda o: row(o).update(
        max=4712, histogram=[[FIGURE, 999], [4712, 1]])),
    ("exact", "the residue is 7 instructions", lambda o: (
        row(o).update(residue=7), row(o)["sections"][6].update(min=4703, median=4703))),
    ("controls", "no check control/entered", lambda o: without(
        o, of(o, "check", "control/entered"))),
    ("controls", "no check control/order", lambda o: without(
        o, of(o, "check", "control/order"))),
    ("controls", "no check control/empty", lambda o: hidden(o, "control/order")),
    ("controls", "it stands twice among", lambda o: hidden(o, "control/entered")),
    ("controls", "no figure of control/loop", lambda o: without(
        o, of(o, "result", "control/loop"))),
    *(("controls", f"{word}: 0 of 0, which proves nothing", nothing(word)) for word in PROOFS),
    ("controls", "fresh: 1099 of 1100", lambda o: of(o, "check", "control/entered").update(
        detail="9 of 9 calls answered, 9 of 9 stamped, 1099 of 1100 fresh, 9 of 9 entered")),
    ("controls", "answered: 0 of 0", lambda o: of(o, "check", "control/entered").update(
        detail="yes")),
    ("controls", "2000 instructions, not 2001", lambda o: of(o, "result", "control/loop").update(
        make_plain(CONTROL, "control/loop", 2000))),
    ("exact", "MP7-MP8 has two lengths", lambda o: row(o)["sections"][6].update(min=1)),
    ("shape", 'has no "label"', lambda o: row(o).pop("label")),
    ("shape", "there is no kernel for 'z80'", lambda o: o[0].update(arch="z80")),
]  # fmt: skip


def test_a_good_boot_breaks_no_rule() -> None:
    assert faults(as_run(*objects())) == []


@pytest.mark.parametrize("more", [0, 1])
def test_a_tenth_and_two_stamps_are_certain_and_one_tick_more_is_not(more: int) -> None:
    half = FIGURE + FIGURE // 2
    for fields in (
        {"low": FIGURE - FIGURE // 10 - 3 - more, "high": FIGURE},
        {"low": FIGURE, "high": FIGURE, "p90": half + 3 + more},
    ):
        found = objects()
        timed(found, **fields)
        said = [fault.text for fault in faults(as_run(*found)) if fault.rule == "interval"]
        assert len(said) == more, said


@pytest.mark.parametrize(("rule", "says", "change"), BROKEN)
def test_a_broken_rule_is_named(rule: str, says: str, change: Change, tmp_path: Path) -> None:
    """The forger computes the right CRC."""
    (run,) = load(forged(change, tmp_path / "bad.jsonl")).runs
    assert [f for f in faults(run) if f.rule == rule and says in f.text and f.line], faults(run)


def forged(change: Change, path: Path) -> Path:
    """A file with a boot changed in this way."""
    found = objects()
    change(found)
    save([MachineRun([Record(o["type"], o) for o in found])], path)
    return path


def test_no_figure_is_drawn_of_what_breaks_a_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Terminal, report and comparison all refuse the boot."""
    good = tmp_path / "good.jsonl"
    save([as_run(*objects())], good)
    rule, says, change = BROKEN[0]
    bad = forged(change, tmp_path / "bad.jsonl")
    assert main(["report", str(bad)]) == 3
    said = " ".join(capsys.readouterr().out.split())
    assert says in said and f"(rule {rule})" in said
    assert re.search(rf"{re.escape(str(bad))}, line \d+, ", said)
    assert "toll, round trips" not in said, "a table is drawn"
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "unreadable" in html
    assert "<figcaption>A getpid round trip" not in html
    assert f">{FIGURE:,}<" not in html
    assert main(["compare", str(good), str(bad)]) == 3
    assert f"(rule {rule})" in " ".join(capsys.readouterr().out.split())


def test_what_does_not_begin_or_end_as_it_must_is_named() -> None:
    found = objects()
    assert {f.rule for f in faults(as_run(*found[5:]))} >= {"shape"}
    skip = next(o for o in found if o["type"] == "skip")
    assert faults(as_run(found[0], skip | {"reason": 5}))[0].rule == "shape"
    with_skip = as_run(skip, *found[1:])
    assert "the first record of a boot is its run record" in str(faults(with_skip)[0])
    outcome = {"v": 1, "type": "outcome", "suite": "starve", "id": "unprotected", "records": 1}
    told = {"ended": "reset", "expected": "pass", "chain": "", "reason": "the guest reset"}
    (fault,) = faults(as_run(found[0], outcome | told))
    assert fault.rule == "end" and "reset: the guest reset" in fault.text


def test_a_good_file_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "good.jsonl"
    save([as_run(*objects())], path)
    assert main(["report", str(path)]) == 0
    assert "toll, round trips" in capsys.readouterr().out
    assert f">{FIGURE:,}<" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_every_rule_is_seen_to_fail() -> None:
    assert {rule for rule, _, _ in BROKEN} == {rule.id for rule in RULES}


def test_every_platform_has_its_unit() -> None:
    ours = {p.name: (p.unit,) for p in PLATFORMS.values()}
    assert ours | {"linux": ("host ticks", "instructions")} == OF_PLATFORM


def test_each_measuring_program_has_controls_of_its_own() -> None:
    first = controlled([make_result("user/int/standard", 46)])
    ud = make_result("user/ud/plain", 3, suite="exceptions")
    assert not faults(as_run(*ended([make_run_record(), *first, *controlled([ud], calls=0)])))
    (fault,) = faults(as_run(*ended([make_run_record(), *first, ud])))[:1]
    assert fault.rule == "controls"


def test_without_breakpoints_no_entry_is_counted_and_a_skip_says_so() -> None:
    found = objects()
    nothing("entered")(found)
    assert [fault.rule for fault in faults(as_run(*found))] == ["controls"]
    reason = {"suite": "control", "id": "control/entered", "reason": "no breakpoints"}
    found.insert(-2, {"v": 1, "type": "skip", **reason})
    found[-1]["records"] += 1
    assert faults(as_run(*found)) == []
    nothing("stamped")(found)
    assert "stamped: 0 of 0" in str(faults(as_run(*found))[0])


def test_what_is_just_within_a_bound_is_not_refused() -> None:
    """64 bins, and the lowest 64-bit number."""
    found = objects()
    bins = [[FIGURE + i, 1 if i else 937] for i in range(64)]
    mean = sum(edge * count for edge, count in bins) / 1000
    high = {"p99": FIGURE + 53, "max": FIGURE + 63, "mean": mean, "histogram": bins}
    found[0] |= {"unit": "host ticks", "platform": "qemu-tcg", "deterministic": False}
    row(found).update(high, core=-(2**63))
    assert faults(as_run(*found)) == []


@pytest.mark.parametrize(("count", "last"), [(5, "x5"), (6, "and 1 more"), (8, "and 3 more")])
def test_five_faults_are_told_and_the_others_counted(count: int, last: str) -> None:
    found = objects()
    names = [f"x{number}" for number in range(1, count + 1)]
    found[-1:-1] = [make_check(name, "no") | {"ok": False} for name in names]
    found[-1]["records"] += count
    parts = told(as_run(*found)).split("; ")
    assert len(parts) == min(count, 5) + (count > 5) and last in parts[-1]


def test_a_noisy_row_can_be_read_and_a_control_that_moved_cannot() -> None:
    part = controlled([make_result("user/int/standard", 46)])
    for suite, broken in (("toll", []), ("control", ["controls"])):
        noisy = {"v": 1, "type": "noisy", "suite": suite, "id": "x", "reason": "slow"}
        run = as_run(*ended([make_run_record(unit="host ticks"), *part, noisy]))
        assert [fault.rule for fault in faults(run)] == broken


def test_what_noise_may_do_no_rule_forbids() -> None:
    """In host ticks a control may read below 0, and a row may have a spread and a residue. In every
    unit a row may be below 0 if the boot declares it."""
    noisy = make_result("user/int/standard", 46) | {
        "min": -3, "max": 90, "mean": 46.1, "residue": -7,
        "histogram": [[-3, 1], [46, 998], [90, 1]],
    }  # fmt: skip
    noisy["sections"][6]["median"] += 7
    part = controlled([noisy])
    part[0] |= make_plain("control", "control/empty", -2)
    said = {"v": 1, "type": "noisy", "suite": "toll", "id": noisy["id"], "reason": "below zero"}
    for unit in ("host ticks", "cycles"):
        head = make_run_record(unit=unit, platform="hardware", hypervisor="")
        assert not faults(as_run(*ended([head, *part, said])))
        for silent in ([], [said | {"id": "user/int/bare"}], [said | {"suite": "switch"}]):
            assert [f.rule for f in faults(as_run(*ended([head, *part, *silent])))] == ["sign"]


def test_a_damaged_line_is_a_fault_of_its_boot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.jsonl"
    save([as_run(*objects()), make_run(arch="i386")], path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[6] = lines[6].replace(b'"median":', b'"Median":')
    path.write_bytes(b"".join(lines))
    assert main(["report", str(path)]) == 3
    said = capsys.readouterr().out
    assert f"{path}, line 7, a record: wrong CRC (rule crc)" in said
    assert "i386 EPYC (qemu-icount): toll, round trips" in said, "the other boot is good"


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just(10**30)
)
KEYS = sorted({key for o in objects() for key in o} - {"v", "type"})


@given(
    places=st.lists(
        st.tuples(st.integers(0, 20), st.sampled_from(KEYS), scalars), min_size=1, max_size=4
    )
)
@example(places=[(5, "median", float("nan"))])
def test_no_mutated_record_is_a_crash(places: list[tuple[int, str, Any]]) -> None:
    """With any value in a field: faults or none, never an exception."""
    found = objects()
    for place, key, value in places:
        record = found[place % len(found)]
        if key in record:
            record[key] = value
    faults(MachineRun([Record(o["type"], o) for o in found]))


@given(data=st.data())
def test_a_file_mutated_anywhere_is_refused_or_the_same(
    data: st.DataObject, tmp_path: Path
) -> None:
    """Bytes changed, lines cut, doubled, moved or lost: records that pass are the sent ones."""
    path = tmp_path / "results.jsonl"
    save([as_run(*objects())], path)
    before = load(path).runs
    lines = path.read_bytes().splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        kind = data.draw(st.sampled_from(["byte", "cut", "double", "drop", "move", "end"]))
        line = bytearray(lines[place])
        if kind == "byte" and line:
            line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
            lines[place] = bytes(line)
        elif kind == "cut":
            lines[place] = bytes(line[: data.draw(st.integers(0, len(line)))])
        elif kind == "double":
            lines.insert(place, bytes(line))
        elif kind == "drop" and len(lines) > 1:
            del lines[place]
        elif kind == "move":
            lines.insert(data.draw(st.integers(0, len(lines) - 1)), lines.pop(place))
        elif kind == "end":
            del lines[place + 1 :]
    path.write_bytes(b"".join(lines))
    try:
        runs = load(path).runs
    except RecordsError:
        return
    if any(map(faults, runs)):
        return
    rows = {r["id"]: r for r in before[0].results}
    assert all({r["id"]: r for r in run.results} == rows for run in runs)
