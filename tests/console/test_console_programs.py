"""The programs of the console, on the host: they use only Linux's system calls."""

import contextlib
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tollgate.machines import child
from tollgate.machines.boot import BUILD
from tollgate.machines.proc import PROC, stat
from tollgate.records.format import RecordReader

FOLDER = BUILD / "amd64" / "console"
"""The source is the same for both widths; boots show differences between kernels."""


def run(
    path: str, *command: str | Path, cwd: Path, text: str = ""
) -> subprocess.CompletedProcess[str]:
    return child.run(command, 60, cwd=cwd, text=text, env={"PATH": path, "LC_ALL": "C"})


def ours(script: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run(str(FOLDER), FOLDER / "sh", "-c", script, cwd=cwd)


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("cp nothing f", "cp: nothing: no such file or directory"),
        ("cat < nothing", "sh: nothing: no such file or directory"),
        ("mkdir d; cat d", "cat: d: is a directory"),
        ("mkdir d; cp d e", "cp: d: is a directory"),
        ("cd nothing", "cd: nothing: no such file or directory"),
        ("nothing", "sh: nothing: not found"),
        ("rm", "usage: rm [-f] FILE..."),
        ("kill 99999999", "kill: 99999999: no such process"),
        ("kill -NONE 1", "kill: -NONE: invalid argument"),
        ("sh -c 'kill -ILL $$'", "sh: sh: killed by SIGILL"),
        ("sleep x", "usage: sleep SECONDS"),
        ("echo 'a", "sh: syntax: a quote without its end"),
        ("(true; )) a", "sh: syntax: the end of the command was expected, not `)'"),
        ("a" * 5000, "sh: a word is longer than 4094 characters"),
        ("( " * 60, "sh: syntax: a simpler command (this one is nested too deeply)"),
    ],
)
def test_what_was_wrong_is_said(script: str, complaint: str, tmp_path: Path) -> None:
    assert complaint in ours(script, tmp_path).stderr


def test_a_long_way_through_pipes(tmp_path: Path) -> None:
    data = bytes(range(256)) * 4096
    (tmp_path / "data").write_bytes(data)
    done = ours("cat data | cat - | cat > copy; cp copy again; wc -c copy", tmp_path)
    assert done.stdout == f"{len(data)} copy\n"
    assert (tmp_path / "again").read_bytes() == data


def test_what_follows_a_line_is_for_the_program_that_it_starts(tmp_path: Path) -> None:
    shell = FOLDER / "sh"
    done = run(str(FOLDER), shell, cwd=tmp_path, text="echo a; cat\nb\nc\n")
    assert done.stdout == "a\nb\nc\n"


def test_ls_l_and_ring(tmp_path: Path) -> None:
    done = ours("echo abc > f; mkdir d; ln -s f l; ls -l; ring", tmp_path)
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"drwx[rwx-]{6} +\d+ +\d+ d", lines[0])
    assert re.fullmatch(r"-rw-[rwx-]{6} +1 +4 f", lines[1])
    assert re.fullmatch(r"lrwx[rwx-]{6} +1 +1 l -> f", lines[2])
    assert re.fullmatch(r"ring runs in ring 3 \(CS = 00[0-9a-f]{2}\)", lines[3])


def test_init_ends_with_the_shells_status(tmp_path: Path) -> None:
    path = str(FOLDER)
    shell = FOLDER / "sh"
    done = run(path, FOLDER / "init", shell, "-c", "sleep 0 & exit 3", cwd=tmp_path)
    assert done.returncode == 3
    script = "test -e f && exit 4; echo > f; kill -KILL $$"
    done = run(path, FOLDER / "init", shell, "-c", script, cwd=tmp_path)
    assert done.returncode == 4
    assert "was killed by SIGKILL; it is started again" in done.stderr
    assert run(path, FOLDER / "init", "/nothing", cwd=tmp_path).returncode == 127


@pytest.mark.clocked
def test_share_counts_its_turns_beside_yes(tmp_path: Path) -> None:
    """Tested on one processor, because with two neither has to wait for the other."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        share = BUILD / "amd64" / "bin" / "share"
        done = run("", share, f"yes={FOLDER / 'yes'}", cwd=tmp_path)
        none = run("", share, "yes=/nothing", cwd=tmp_path)
    finally:
        os.sched_setaffinity(0, allowed)
    reader = RecordReader()
    records = reader.feed(done.stdout.encode())
    names = [record.data["id"] for record in records]
    assert names == [f"user/share-yes/{what}" for what in ("turn", "away", "death")]
    assert all(record.data["max"] > 0 for record in records)
    assert "/nothing: it ended by itself, status 127" in none.stdout


IGNORING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.clocked
def test_share_measures_where_sigint_is_ignored(tmp_path: Path) -> None:
    """A background job of a script starts like this. ^C must still be able to kill `yes`."""
    share: list[str | Path] = [BUILD / "amd64" / "bin" / "share", f"yes={FOLDER / 'yes'}"]
    done = run("", sys.executable, "-c", IGNORING, *share, cwd=tmp_path)
    assert "SIGINT to death" in done.stdout, done.stdout + done.stderr


def programs_of(group: int) -> set[str]:
    """The names of the processes in a group."""
    found = set()
    for process in PROC.iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                if int(stat(process)[2]) == group:
                    found.add((process / "comm").read_text().strip())
    return found


class Person:
    """A person at a terminal: types, and reads until a text appears."""

    def __init__(self, cwd: Path) -> None:
        self.seen = ""
        self.terminal, theirs = pty.openpty()
        self.init = child.Child(
            [FOLDER / "init", FOLDER / "sh"],
            cwd=cwd,
            env={"PATH": str(FOLDER)},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)

    def types(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def waits_for(self, text: str) -> str:
        """The output up to the end of `text`, which is consumed."""
        while text not in self.seen:
            try:
                self.seen += os.read(self.terminal, 4096).decode()
            except OSError:
                pytest.fail(f"{text!r} did not come before the end; this did: {self.seen!r}")
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def sees_in_front(self, *names: str) -> None:
        """Wait until these have the terminal: before, ^C would reach other processes."""
        while programs_of(os.tcgetpgrp(self.terminal)) != set(names):
            time.sleep(0.01)

    def leaves(self) -> None:
        """The line is disconnected: the shell and the foreground job get SIGHUP."""
        os.close(self.terminal)
        self.init.close()


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    someone = Person(tmp_path)
    someone.waits_for(" # ")
    yield someone
    someone.leaves()


def test_ctrl_c_ends_the_program_in_front_alone(person: Person) -> None:
    person.types("yes > /dev/null\n")
    person.sees_in_front("yes")
    person.types("\x03")
    person.waits_for("sh: yes: killed by SIGINT")
    person.waits_for(" # ")
    person.types("echo $?\n")
    person.waits_for("\n130\r\n")


def test_ctrl_c_at_the_prompt_and_between_two_programs(person: Person) -> None:
    person.types("echo not this\x03")
    person.waits_for(" # ")
    person.types("echo but this\n")
    person.waits_for("\nbut this\r\n")
    person.waits_for(" # ")
    person.types("(true\n")
    person.waits_for("> ")
    person.types("\x03")
    person.waits_for(" # ")
    person.types("sleep 100; echo not that\n")
    person.sees_in_front("sleep")
    person.types("\x03")
    assert "\nnot that" not in person.waits_for(" # ")
    person.types("echo free\n")
    person.waits_for("\nfree\r\n")


def test_no_ctrl_c_is_lost_between_a_prompt_and_its_read(person: Person) -> None:
    for _ in range(300):
        person.types("\x03")
        person.waits_for(" # ")


def has_ended(pid: int) -> bool:
    """Whether a process is a zombie, or already reaped by its parent."""
    try:
        return stat(PROC / str(pid))[0] == "Z"
    except OSError:
        return True


def test_a_pipeline_is_one_group_and_the_background_another(person: Person) -> None:
    """`sleep` reads nothing, so the end of `yes` cannot end it by an end of file."""
    person.types("sleep 100 &\n")
    background = person.waits_for("]")
    person.waits_for(" # ")
    pid = int(re.findall(r"\[(\d+)\]", background)[-1])
    assert os.getpgid(pid) == pid
    person.types("yes | sleep 100\n")
    person.sees_in_front("yes", "sleep")
    front = os.tcgetpgrp(person.terminal)
    assert front not in (person.init.pid, pid)
    os.kill(pid, 0)
    person.types("\x03")
    person.waits_for("sleep: killed by SIGINT")
    person.waits_for(" # ")
    os.kill(pid, 0)
    person.types("kill $!\n")
    while not has_ended(pid):  # the shell reports it before its next prompt
        time.sleep(0.01)
    person.types("\n")
    person.waits_for(f"[{pid}] killed by SIGTERM")


def test_a_job_can_be_killed_as_soon_as_it_is_there(person: Person) -> None:
    """It may not have run yet; it inherits signals that the shell ignores."""
    for _ in range(20):
        person.types("sleep 100 & kill $!; wait $!; echo $?\n")
        person.waits_for("\n143\r\n")


def test_ctrl_d_leaves(person: Person) -> None:
    person.types("sh -c 'exit 6'\n\x04")
    assert person.init.process.wait() == 6
