"""One's own gdb at every gate: the first backtrace, the TUI, and the protocol of editors (DAP)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import ARCHES, BUILD, ROOT, SYMBOLS, Boot, module_for
from tollgate.machines.child import Child, run
from tollgate.machines.clock import Clock
from tollgate.machines.debug import session
from tollgate.suites import NAMES

LIMIT = 60.0
"""Seconds that gdb and QEMU could use."""
WALKED = {"i386": ("int", "callgate"), "amd64": ("syscall", "callgate")}
WALKS = [(arch, mechanism) for arch, names in WALKED.items() for mechanism in names]
SHORT = [("i386", "callgate"), ("amd64", "syscall")]
MOST = 80
"""Steps from a program's half into the kernel's, and back."""


def machine(arch: str, suite: str) -> Boot:
    words = (f"suite={suite}", "samples=1")
    return Boot(arch, cpu="Skylake-Client", words=words, module=module_for(arch, words))


@pytest.mark.parametrize(
    ("arch", "suite"),
    [
        pytest.param(arch, name, marks=[pytest.mark.long] * (name not in ("web", "wisconsin")))
        for arch in ARCHES
        for name in NAMES
    ],
)
def test_the_first_backtrace_is_that_of_the_program_that_runs(arch: str, suite: str) -> None:
    """Without a word typed: from the kernel's first instruction to the program's own main."""
    boot = machine(arch, suite)
    if boot.module and not boot.module.is_file():
        pytest.skip(f"{boot.module.name} has not been built")
    with session(boot) as started:
        command = started.gdb(None, headless=False)
        at = "tbreak *&clean_user_int_standard_entry"
        for word in ("set width 0", at, "continue", "bt", "info symbol main"):
            command += ["-ex", word]
        done = started.run([*command, "-ex", "kill"], LIMIT, "quit\n")
    frames = re.findall(r"^#\d+ +(?:0x\w+ in )?([^(\n]*) \(", done.stdout, re.M)
    assert frames[0] == "user_int_standard_entry", done.stdout
    assert frames[1].startswith("clean_user_int_standard_entry"), done.stdout
    assert frames[2] == "toll_call"
    assert frames[-1] == "main"
    assert all(frames), done.stdout
    assert re.search(rf"main.* of .*/{suite}$", done.stdout, re.M), done.stdout


@pytest.mark.long
def test_a_stop_in_a_program_is_told_by_its_own_symbols() -> None:
    """gdb speaks of a stop before anybody can bring the symbols: then the line comes again."""
    file = BUILD / "amd64" / "bin" / "walk"
    listed = run(["nm", str(file)], LIMIT).stdout
    (main,) = re.findall(r"^(\w+) T main$", listed, re.M)
    with session(machine("amd64", "walk")) as started:
        command = started.gdb(None, headless=False)
        for word in ("set width 0", f"tbreak *0x{main}", "continue", "kill"):
            command += ["-ex", word]
        said = started.run(command, LIMIT, "quit\n").stdout
    said = said.partition("(By the symbols of /bin/walk,")[2]
    assert re.match(r".*\n#0 +main \(\) at user/checks/walk\.c:\d+", said), said


@pytest.mark.patient
def test_a_machine_waits_for_anybodys_gdb(tmp_path: Path) -> None:
    """`make gdb WAIT=1`, at the socket that .vscode/launch.json names; it ends with the machine."""
    launches = json.loads((ROOT / ".vscode" / "launch.json").read_text())["configurations"]
    targets = [each["target"].replace("${workspaceFolder}", str(ROOT)) for each in launches]
    assert targets == [f"{ROOT}/build/{arch}/gdb.sock" for arch in ("amd64", "i386")]
    command = [sys.executable, "-m", "tollgate", "gdb", "--wait", "--arch=i386", "--cpu=EPYC"]
    with (tmp_path / "said").open("wb") as said:
        waiting = Child(command, cwd=tmp_path, stdout=said, stderr=said)
    try:
        clock = Clock(waiting.pid, family=True)
        while "the machine waits for gdb" not in (tmp_path / "said").read_text():
            assert clock.read() < LIMIT and not waiting.ended(0.1)
        (line,) = re.findall(r"target remote .*", (tmp_path / "said").read_text())
        file = str(BUILD / SYMBOLS["i386"])
        words = ("-ex", line, "-ex", "tbreak kernel_main", "-ex", "continue", "-ex", "kill")
        done = run(["gdb", "-nx", "-q", "-batch", *words, file], LIMIT, cwd=ROOT, merge=True)
        assert re.search(r"kernel_main \(.*\) at kernel/main\.c:\d+", done.stdout), done.stdout
        while not waiting.ended(0.1):
            assert clock.read() < LIMIT
    finally:
        status = waiting.close()
    assert status == 0
    assert not (BUILD / "i386" / "gdb.sock").is_symlink()


class Adapter:
    """gdb's own debug adapter: JSON with a header, requests out, responses and events back."""

    def __init__(self) -> None:
        command = ["gdb", "-nx", "-q", "-i=dap"]
        self._gdb = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._sent = 0
        self._events: list[dict[str, Any]] = []
        self._answers: dict[int, dict[str, Any]] = {}

    def _read(self) -> None:
        assert self._gdb.stdout
        length = 0
        while line := self._gdb.stdout.readline().strip():
            length = int(line.partition(b":")[2])
        assert length, "gdb has gone"
        said = json.loads(self._gdb.stdout.read(length))
        if said["type"] == "event":
            self._events.append(said)
        else:
            self._answers[said["request_seq"]] = said

    def send(self, command: str, **arguments: Any) -> int:
        """A request; its number."""
        assert self._gdb.stdin
        self._sent += 1
        request = {"seq": self._sent, "type": "request", "command": command}
        text = json.dumps(request | {"arguments": arguments}).encode()
        self._gdb.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self._gdb.stdin.flush()
        return self._sent

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """A request, and what it is answered."""
        number = self.send(command, **arguments)
        while number not in self._answers:
            self._read()
        answer = self._answers[number]
        assert answer["success"], answer
        body: dict[str, Any] = answer.get("body", {})
        return body

    def event(self, name: str) -> dict[str, Any]:
        """Wait for an event."""
        while not any(event["event"] == name for event in self._events):
            self._read()
        index = next(i for i, event in enumerate(self._events) if event["event"] == name)
        return self._events.pop(index)

    def close(self) -> None:
        """End gdb."""
        self._gdb.kill()
        self._gdb.wait()


@pytest.fixture
def adapter() -> Iterator[Adapter]:
    """gdb as an editor starts it; a skip where it is older than 14."""
    version = run(["gdb", "--version"], LIMIT).stdout.splitlines()[0]
    if int(re.findall(r"(\d+)\.\d+", version)[-1]) < 14:
        pytest.skip(f"{version} has no DAP; gdb 14 is the first that has")
    started = Adapter()
    yield started
    started.close()


@pytest.mark.parametrize(("arch", "mechanism"), [*WALKS, ("amd64", "int")])
def test_an_editor_steps_through_a_gate(adapter: Adapter, arch: str, mechanism: str) -> None:
    """By instructions, out of the program, through the entry and back: a line of source each."""
    name = f"clean_user_{mechanism}_standard_call"
    listed = run(["nm", str(BUILD / SYMBOLS[arch])], LIMIT).stdout
    address = next(line.split()[0] for line in listed.splitlines() if line.endswith(f" {name}"))
    with session(machine(arch, "walk")) as started:
        adapter.ask("initialize", adapterID="gdb", supportsInstructionBreakpoints=True)
        attached = adapter.send(
            "attach", program=str(BUILD / SYMBOLS[arch]), target=str(started.socket)
        )
        where = [{"instructionReference": f"0x{address}"}]
        adapter.ask("setInstructionBreakpoints", breakpoints=where)
        adapter.ask("configurationDone")
        assert attached
        stopped = adapter.event("stopped")["body"]
        adapter.ask("continue", threadId=stopped["threadId"])
        thread = adapter.event("stopped")["body"]["threadId"]
        seen = []
        for _ in range(MOST):
            frames = adapter.ask("stackTrace", threadId=thread, levels=3)["stackFrames"]
            path = frames[0].get("source", {}).get("path", "")
            seen.append((frames[0]["name"], path.rpartition("/")[2], frames[0].get("line", 0)))
            adapter.ask("stepIn", threadId=thread, granularity="instruction")
            adapter.event("stopped")
        files = {file for _, file, _ in seen}
        assert f"{mechanism}.asm" in files, seen
        halves = [step for step in seen if step[1].endswith((".asm", ".inc"))]
        assert len(halves) > 30, seen
        assert all(line > 0 for _, _, line in halves), seen
