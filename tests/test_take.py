"""`take`: a file of the host's comes over the second serial line into a machine that runs."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines import cpio
from tollgate.machines.boot import BUILD, Boot
from tollgate.machines.take import Sender, serve

from .person import Person, files

BUSY = "yes > /dev/null &\n"
"""An idle machine's clock leaps over the host's answer. A busy one's goes by what it computes: the
host has the time that its emulator needs for three seconds."""
SHORT_SECONDS = ("-icount", "shift=4,sleep=off")
"""Of 62 million instructions."""
STOPPED = "take: typed: stopped; nothing of it is kept"


class Awkward(Sender):
    """Gives some files as no host should; what it does is in the name."""

    name = ""
    parts = 0
    person: Person | None = None

    def answer(self, line: bytes) -> bytes:
        right = super().answer(line)
        word, number, name, *_ = [*line.decode("ascii").split(" "), "", ""]
        if word == "take":
            self.name, self.parts = name, 0
            return {
                "silent": b"",
                "garbage": bytes(range(256)) * 20,
                "endless": f"file {number} 99999999999999999999 0\n".encode(),
                "unsummed": f"file {number} 100\n".encode(),
                "otherwise": f"file {number} 20000 00000000\n".encode(),
            }.get(name, right)
        self.parts += 1
        header, _, data = right.partition(b"\n")
        if self.name == "halts" and self.parts > 1:
            return right[: len(right) // 2]
        if self.name == "damaged" or (self.name == "once" and self.parts == 1):
            return header + b"\n" + b"?" + data[1:]
        if self.name == "lossy" and self.parts in (1, 3):
            return right[:-7]
        if self.name == "typed" and self.parts == 2:
            assert self.person
            self.person.at_the_line("\x03", Path())
        return right


@contextmanager
def host(folder: Path, sender: Sender) -> Iterator[Path]:
    """The host's side of the line, which a machine reaches by a socket."""
    path = folder / "second"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)

        def answer() -> None:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            with line:
                serve(sender, line)

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield path
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


FILES = ("once", "lossy", "damaged", "halts", "otherwise", "silent", "garbage", "endless")


@pytest.fixture
def given(tmp_path: Path) -> Path:
    folder = tmp_path / "given"
    folder.mkdir()
    for name in (*FILES, "unsummed", "typed"):
        (folder / name).write_bytes(bytes(range(1, 251)) * 80)
    return folder


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_edit_build_try_needs_no_reboot(
    person: Person, tmp_path: Path, given: Path, arch: str
) -> None:
    program = given / "mine"
    program.write_bytes((BUILD / arch / "console" / "ring").read_bytes())
    steps = [
        ("", f"{BUSY}take mine; cp /bin/mine /trusted/mine; mine; /trusted/mine; echo first\n"),
        (
            "first",
            "take mine; mine new; take mine /tmp; /tmp/mine there; take nothing; take ../mine; "
            "take a b c; echo second\n",
        ),
        ("second", "cat < /dev/ttyS1 &\n kill $!; ls /bin; exit\n"),
    ]

    def types(text: str, directory: Path) -> None:
        if "second" in text:
            program.write_bytes((BUILD / arch / "console" / "echo").read_bytes())
        person.at_the_line(text, directory)

    with host(tmp_path, Sender(given, Boot(arch))) as second:
        said = person.works(arch, steps, types, {}, second)
    first, _, then = said.partition("\nfirst\n")
    assert "\nmine runs in ring 3" in first
    assert "/trusted/mine runs in ring 0" in first
    assert "runs in ring" not in then, "the file is the new one"
    assert "\nnew\n" in then
    assert "\nthere\n" in then
    rates = [int(n) for n in re.findall(r"mine: \d+ bytes, .* (\d+) KiB/s$", said, re.M)]
    assert len(rates) == 3
    assert all(rates)
    assert "nothing cannot be read: No such file or directory." in said
    assert "names no file '../mine'" in said
    assert "usage: take NAME [FILE|DIRECTORY]" in said
    listed = said.rpartition("\nsecond\n")[2].split()
    assert "mine" in listed
    assert "mine.part" not in listed


@pytest.mark.long
def test_no_sender_leaves_half_a_file(person: Person, tmp_path: Path, given: Path) -> None:
    sender = Awkward(given, Boot("amd64"))
    sender.person = person
    script = BUSY + "".join(f"echo try {name}; take {name} /tmp/{name}\n" for name in FILES)
    script += "echo try unsummed; take unsummed /tmp/unsummed; echo tried\n"
    with host(tmp_path, sender) as second:
        steps = [
            ("", "sh /all\n"),
            ("tried", "take typed /tmp\n"),
            (f"^C{STOPPED}", "ls /tmp; wc -c /tmp/once; exit\n"),
        ]
        said = person.works(
            *("amd64", steps, person.at_the_line, {"all": script.encode()}, second),
            extra=SHORT_SECONDS,
            deadline=400,
        )
    wrong = "what came was wrong, time and again; nothing of it is kept"
    silent = "no answer for 3 seconds; nothing of it is kept"
    for name, sentence in {
        "damaged": wrong,
        "halts": silent,
        "otherwise": wrong,
        "silent": silent,
        "garbage": silent,
        "endless": wrong,
        "unsummed": wrong,
    }.items():
        assert f"try {name}\ntake: {name}: {sentence}\n" in said, name
    for name in ("once", "lossy"):
        assert re.search(rf"^{name}: 20000 bytes, sum ", said, re.M), name
    last = said.rpartition(f"{STOPPED}\n")[2].replace("/ # ", "")  # a prompt may come late
    assert last.split("exit\n")[-1].split()[:3] == ["lossy", "once", "20000"]


def test_a_machine_without_a_second_line_says_so(boot: Any) -> None:
    tree = {**files("amd64"), "bin/once": b"#!/bin/sh\n/bin/take x\n"}
    said = boot("amd64", cmdline="suite=once", module=cpio.build(tree)).text
    assert "take: there is no second serial line; `make run ADD=FILE|FOLDER` on the host" in said


def test_what_the_sender_is_asked() -> None:
    sender = Sender(BUILD / "amd64" / "console", Boot("amd64"))
    for line in (b"", b"part 0", b"take", b"\xff \xff \xff"):
        assert sender.answer(line).startswith(b"no 0 "), line
    for line in (b"part 7 -1 5", b"part 7 " + b"9" * 99, b"part 7", b"give 7 x", b"take 7"):
        assert sender.answer(line).startswith(b"no 7 "), line
    assert sender.answer(b"part 7 0 9").startswith(b"part 7 0 00000000\n")
    assert sender.answer(b"take 7 \xff\x1b[2J").startswith(b"no 7 ADD=")
    assert sender.answer(b"take 7 true").startswith(b"file 7 ")
    assert len(sender.answer(b"part 7 0 99999999")) < 70000
