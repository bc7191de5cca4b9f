"""The command, as a person uses it: one sentence for any error, the documented status."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tollgate import bench, cli
from tollgate.cli import main
from tollgate.machines import boot, console
from tollgate.records.format import MachineRun, save

MakeRun = Callable[..., MachineRun]


def sentence(capsys: pytest.CaptureFixture[str]) -> str:
    """The message to the person: one line on stderr, from tollgate."""
    captured = capsys.readouterr().err
    assert captured.count("\n") == 1
    assert captured.startswith("tollgate: ")
    assert captured.endswith(".\n")
    return captured


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("", "required: VERB"),
        ("frobnicate", "invalid choice: 'frobnicate'"),
        ("bench --speed 9", "unrecognized arguments: --speed 9"),
        ("bench --arch arm", "There is no kernel for 'arm'; ARCH is i386 or amd64."),
        ("bench --platform vmware", "There is no platform 'vmware'; choose one of qemu-icount"),
        ("bench --samples 0", "SAMPLES is a number from 1 to 20000, not '0'."),
        ("bench --suite toll,share,toll", "SUITE names 'toll' twice; a row is measured once"),
        ("run --platform bochs", "Use a QEMU platform."),
        ("run --arch arm", "There is no kernel for 'arm'"),
        ("gdb --cmdline 'a", "cannot be read: No closing quotation."),
        ("run --cmdline 'a", "cannot be read: No closing quotation."),
        ("lesson int --platform kvm", "A lesson is given on qemu-icount, and not on"),
        ("run --cpu EPYC,Skylake-Client", "names 2 processors; one machine has one."),
        ("compare a", "required: B;"),
        ("lesson nonsense", "There is no lesson 'nonsense'; the lessons are:"),
        ("gdb --platform bochs", "gdb needs one of QEMU's own platforms, not bochs."),
        ("compare a b --threshold -1", "argument --threshold: invalid"),
    ],
)
def test_a_wrong_command_line_is_2(
    arguments: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments.split(" ") if arguments else []) == 2
    assert told in sentence(capsys)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's folder, with a file of no results."""
    monkeypatch.chdir(tmp_path)
    Path("bad.jsonl").write_text("damaged\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("report none.jsonl", "none.jsonl does not exist; `make bench` writes"),
        ("compare none.jsonl bad.jsonl", "none.jsonl does not exist"),
        ("bench --out bad.jsonl", "bad.jsonl cannot be written: File exists"),
        ("bench --out /proc/none", "/proc/none cannot be written: its folder takes no new files"),
    ],
)
@pytest.mark.usefixtures("elsewhere")
def test_what_the_harness_cannot_do_is_4(
    arguments: str, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "check_built", lambda boots: None)
    assert main(arguments.split()) == 4
    assert told in sentence(capsys)


@pytest.mark.parametrize("arguments", ["report bad.jsonl", "compare bad.jsonl none.jsonl"])
@pytest.mark.usefixtures("elsewhere")
def test_a_file_that_is_no_results_file_is_3(
    arguments: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments.split()) == 3
    assert "bad.jsonl, line 1, is not a record: not JSON (rule json)" in sentence(capsys)


@pytest.mark.parametrize("verb", ["bench", "bench --platform bochs", "run", "gdb --arch i386"])
def test_a_missing_build_is_4_and_says_make(
    verb: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boot, "BUILD", tmp_path)
    monkeypatch.setattr(boot, "KERNELS", tmp_path)
    assert main(verb.split()) == 4
    told = capsys.readouterr().err
    assert "kernel" in told
    assert told.endswith("is missing; `make` builds it.\n")


@pytest.mark.parametrize("words", ["check {}", "report {}", "scan {}", "compare {0} {0}"])
@pytest.mark.parametrize(
    ("name", "told"),
    [("/dev/zero", "no "), ("fifo", "no regular file"), ("long", "is too large: 512 MiB")],
)
@pytest.mark.usefixtures("elsewhere")
def test_a_file_without_end_is_a_sentence(
    words: str, name: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo("fifo")
    with Path("long").open("wb") as file:
        file.truncate(1 << 40)
    assert main(words.format(name).split()) in (2, 4)
    assert ("is no photo" if "scan" in words else told) in sentence(capsys)


def test_a_bug_is_a_sentence_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> int:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(cli, "compare_files", broken)
    assert main(["compare", "a", "b"]) == 4
    assert "unexpected ZeroDivisionError: division by zero." in sentence(capsys)


def test_options_with_an_empty_value_are_not_given(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bench.Choice] = []

    def measure(verb: str, choose: object, choice: bench.Choice, console: object) -> int:
        seen.append(choice)
        return 0

    monkeypatch.setattr(bench, "measure", measure)
    line = "bench --out= --platform= --arch= --cpu= --suite= --samples= --fence="
    assert main(line.split()) == 0
    assert seen == [bench.Choice()]


@pytest.mark.parametrize(("words", "expected"), [("", "suite=init"), ("suite=toll", "suite=toll")])
def test_a_person_gets_a_shell_unless_words_are_given(
    monkeypatch: pytest.MonkeyPatch, words: str, expected: str
) -> None:
    seen: list[boot.Boot] = []

    def run(request: boot.Boot, freeze: bool) -> int:
        seen.append(request)
        return 0

    monkeypatch.setattr(console, "run", run)
    assert main(["run", f"--cmdline={words}"]) == 0
    assert seen[0].words == (expected,)


def test_help_lists_the_verbs_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    text = capsys.readouterr().out
    for word in ("bench", "sweep", "run", "report", "compare", "gdb", "lesson", "a reset is never"):
        assert word in text


def test_tables_come_from_files_alone(
    make_run: MakeRun,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[Path] = []
    monkeypatch.setattr(bench, "write_html", lambda runs, path, *_: written.append(path))
    path = tmp_path / "results.jsonl"
    save([make_run()], path)
    assert main(["report", str(path), "--out", str(tmp_path / "new")]) == 0
    text = capsys.readouterr().out
    assert "amd64 EPYC (qemu-icount): toll, round trips in instructions" in text
    assert written == [tmp_path / "new" / "report.html"]


def test_a_reader_that_leaves_early_makes_no_noise(make_run: MakeRun, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    save([make_run()] * 200, path)
    command = [sys.executable, "-m", "tollgate", "compare", str(path), str(path)]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False)
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr
