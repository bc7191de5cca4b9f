"""A laboratory on 127.0.0.1: labgrid's coordinator and exporter, QEMU machines as its places."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tollgate.cli import main
from tollgate.machines.child import Child
from tollgate.records.format import load
from tollgate.records.rules import faults

BIN = Path(sys.executable).parent
QEMU = "qemu-system-x86_64 -cpu EPYC -m 64 -nodefaults -vga std -display none -no-reboot"
SOON = "-icount shift=7,sleep=off"
POWER = """#!/bin/sh
# power.sh on|off PLACE [QEMU...]: a power switch
cd "$(dirname "$0")"
what=$1 place=$2
shift 2
if [ "$what" = off ]; then
        [ ! -f $place.pid ] || kill "$(cat $place.pid)" 2>/dev/null
        rm -f $place.pid
        exit 0
fi
exec "$@" -daemonize -pidfile $place.pid
"""
SILENCE = 120
"""Seconds without a byte after which a place is given up: a hung one costs as many. A laboratory's
machines have no other clock; all others are far quicker."""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@dataclass
class Port:
    """A network serial port: the output of QEMU goes to its client; `most` bytes of it."""

    path: Path
    most: int = 1 << 30
    number: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self._clients: list[socket.socket] = []
        self._outside = socket.create_server(("127.0.0.1", self.number))
        self._machine = socket.socket(socket.AF_UNIX)
        self._machine.bind(str(self.path))
        self._machine.listen()
        for work in (self._accept, self._relay):
            threading.Thread(target=work, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._clients.append(self._outside.accept()[0])

    def _relay(self) -> None:
        left = self.most
        with contextlib.suppress(OSError):
            while True:
                line, _ = self._machine.accept()
                while data := line.recv(4096):
                    for client in self._clients:
                        with contextlib.suppress(OSError):
                            client.sendall(data[:left])
                    left -= len(data)
                    if left <= 0:
                        for client in self._clients:
                            client.close()
                        return

    def close(self) -> None:
        """Nobody listens any more."""
        for one in (self._outside, self._machine, *self._clients):
            one.close()


@dataclass
class Lab:
    """The laboratory's folder, its environment file, and who coordinates it."""

    folder: Path
    coordinator: str

    @property
    def environment(self) -> Path:
        return self.folder / "environment.yaml"

    def client(self, *words: str) -> str:
        """The output of labgrid-client."""
        variables = {**os.environ, "LG_COORDINATOR": self.coordinator}
        command: list[str | Path] = [BIN / "labgrid-client", *words]
        return subprocess.run(
            command, check=True, env=variables, stdout=subprocess.PIPE, text=True
        ).stdout


PLACES = {
    "whole": ("", 1 << 30, "on"),
    "hangs": ("-S", 1 << 30, "on"),
    "breaks": ("", 2500, "on"),
    "dark": ("", 1 << 30, "broken"),
    "stick": ("", 1 << 30, "on"),
}
"""Each machine: more arguments of QEMU's, how much its line carries, and its power switch. That
which is called so boots a stick, the others the network."""
STORAGE = """
import shutil
from pathlib import Path

import attr
from labgrid import target_factory
from labgrid.driver import Driver


@target_factory.reg_driver
@attr.s(eq=False)
class FileStorageDriver(Driver):
    '''A stick that is a file; as a multiplexer it is with the server or with the machine.'''

    path = attr.ib()
    place = attr.ib(default="machine", init=False)

    def set_mode(self, mode):
        self.place = mode

    def write_image(self, filename):
        assert self.place == "host"
        shutil.copyfile(filename, self.path)
"""


def environment(folder: Path, coordinator: str) -> str:
    lines = [
        f"imports: [{folder}/storage.py]",
        "options:",
        f"  coordinator_address: {coordinator}",
        f"  silence: {SILENCE}",
        "targets:",
    ]
    provider = f"      - TFTPProvider: {{internal: {folder}/tftp/, external: /}}"
    writer = f"      - FileStorageDriver: {{path: {folder}/stick.img}}"
    for place, (more, _, switch) in PLACES.items():
        stick = "-device qemu-xhci -device usb-storage,drive=stick"
        stick += f" -drive if=none,id=stick,format=raw,file={folder}/stick.img"
        net = f"-nic user,model=e1000,tftp={folder}/tftp,bootfile={place}.ipxe -boot n"
        line = f"-chardev socket,id=c,path={folder}/{place}.line -serial chardev:c"
        from_ = stick if place == "stick" else net
        on = f"{folder}/power.sh {switch} {place} {QEMU} {SOON} {from_} {line} {more}"
        on = on if switch == "on" else "/bin/false"
        lines += [
            f"  {place}:",
            "    resources:",
            f"      - RemotePlace: {{name: {place}}}",
            *([provider] if place != "stick" else []),
            "    drivers:",
            "      - SerialDriver: {}",
            writer if place == "stick" else "      - TFTPProviderDriver: {}",
            "      - ExternalPowerDriver:",
            f"          cmd_on: '{on}'",
            f"          cmd_off: '{folder}/power.sh off {place}'",
        ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """Five places; the folder is short, as a socket's name must be."""
    address = f"127.0.0.1:{free_port()}"
    monkeypatch.setenv("LG_COORDINATOR", address)
    made = Lab(tmp_path, address)
    (tmp_path / "tftp").mkdir()
    (tmp_path / "storage.py").write_text(STORAGE)
    (tmp_path / "power.sh").write_text(POWER)
    (tmp_path / "power.sh").chmod(0o755)
    ports = {name: Port(tmp_path / f"{name}.line", most) for name, (_, most, _) in PLACES.items()}
    made.environment.write_text(environment(tmp_path, address))
    exported = "".join(
        f"{name}:\n  NetworkSerialPort: {{host: 127.0.0.1, port: {port.number}, speed: 115200, "
        "protocol: raw}\n"
        for name, port in ports.items()
    )
    (tmp_path / "exporter.yaml").write_text(exported)
    quiet = {"cwd": tmp_path, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    servers = [Child([BIN / "labgrid-coordinator", "-l", address], **quiet)]  # type: ignore[arg-type]
    try:
        exporter = ["labgrid-exporter", "-c", address, "-n", "here", "exporter.yaml"]
        until(lambda: made.client("places") == "")
        servers.append(Child([BIN / exporter[0], *exporter[1:]], **quiet))  # type: ignore[arg-type]
        until(lambda: made.client("resources").count("NetworkSerialPort") == len(PLACES))
        for name in PLACES:
            made.client("-p", name, "create")
            made.client("-p", name, "add-match", f"here/{name}/NetworkSerialPort")
        yield made
    finally:
        for pid in tmp_path.glob("*.pid"):
            with contextlib.suppress(OSError, ValueError):
                os.kill(int(pid.read_text()), signal.SIGKILL)
        for server in servers:
            server.close()
        for port in ports.values():
            port.close()


def until(holds: object) -> None:
    """Wait until that holds: both servers have begun."""
    while True:
        with contextlib.suppress(subprocess.CalledProcessError):
            if holds():  # type: ignore[operator]
                return
        time.sleep(0.1)


@pytest.mark.long
def test_a_sweep_over_a_laboratory(
    lab: Lab, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One machine measures; what the others lack is said, and all of them are given back."""
    out = tmp_path / "out"
    words = ["--suite=usystime", "--samples=10", f"--out={out}"]
    assert main(["sweep", f"--lab={lab.environment}", *words]) == 4
    said = capsys.readouterr().out
    runs = load(out).runs
    assert [run.run["arch"] for run in runs] == ["amd64", "amd64", "amd64"]
    whole = [run for run in runs if run.end]
    assert [run.run["firmware"] for run in whole] == ["multiboot1", "multiboot2 bios"]
    for run in whole:
        assert not faults(run)
        assert run.run["cmdline"] == "suite=usystime samples=10 then=stop"
    assert f"hangs: it has said nothing for {SILENCE} s" in said
    assert "breaks: read failed: socket disconnected" in said
    assert "dark: " in said
    assert "/bin/false failed" in said
    assert (out / "report.html").exists()
    assert lab.client("who").split() == ["User", "Host", "Place", "Changed"], "all are given back"
    assert not list(tmp_path.glob("*.pid"))


@pytest.mark.long
def test_a_bench_of_one_place_waits_for_it(lab: Lab, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["--suite=usystime", "--samples=10", f"--out={out}", "--arch=i386"]
    assert main(["bench", "--platform=lab:whole", f"--lab={lab.environment}", *words]) == 0
    (run,) = load(out).runs
    assert run.run["arch"] == "i386"


@pytest.mark.long  # with labgrid, which tools/setup.sh long brings
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--platform=lab:a"], "Which laboratory? LAB= names labgrid's environment file"),
        (["--platform=lab:a", "--lab={}/none.yaml"], "none.yaml cannot be read: "),
        (["--platform=lab:a", "--lab={}/list.yaml"], "list.yaml has no targets"),
        (["--platform=lab:b", "--lab={}/lab.yaml"], "has no place 'b'; it has a, s"),
        (["--platform=lab:a,a", "--lab={}/lab.yaml"], "PLATFORM names a place twice"),
        (["--platform=lab:a", "--lab={}/lab.yaml", "--suite=none"], "There is no suite 'none'"),
        (["--platform=lab:s", "--lab={}/lab.yaml", "--arch=i386"], "s boots a stick, whose menu"),
    ],
)
def test_what_is_no_laboratory(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list.yaml").write_text("[1]")
    (tmp_path / "lab.yaml").write_text("targets: {a: {}, s: {drivers: [USBStorageDriver: {}]}}")
    assert main(["bench", *(word.replace("{}", str(tmp_path)) for word in words)]) == 2
    assert told in capsys.readouterr().err


def test_without_labgrid_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["bench", "--platform=lab:a", "--lab=x"]) == 4
    assert "A laboratory needs the Python package labgrid" in capsys.readouterr().err
