"""user/syscall/lazy: SYSCALL without a frame, as the only way in for programs of 64 bits."""

from typing import Any

import pytest

from tollgate.machines import row_path
from tollgate.machines.boot import Boot
from tollgate.machines.debug import session
from tollgate.machines.gdb_stub import Stub

from ..teach.test_lessons import guest

WORD = 8


def make_usual(stub: Stub, at: dict[str, int]) -> None:
    """Make SYSCALL's usual row enter by the lazy half, before the kernel arms any row."""
    stub.set_breaks([at["ways_init"]])
    assert stub.go()
    stub.set_breaks([at["ways_init"]], there=False)
    start, size = at["rows"] & -256, 0x8000
    memory = stub.read(start, size)
    assert len(memory) == size, "of several pages"
    words = [int.from_bytes(memory[i : i + WORD], "little") for i in range(0, len(memory), WORD)]

    def place(name: str) -> int:
        return words.index(at[name])

    usual, lazy = (place(f"clean_user_syscall_{each}_entry") for each in ("standard", "lazy"))
    prepare = words.index(at["lazy_prepare"], lazy) - lazy
    for offset in (0, prepare):
        stub.write(start + WORD * (usual + offset), words[lazy + offset].to_bytes(WORD, "little"))


SLOW = ("lazy_numbered", "lazy_whole", "lazy_work.numbered")


@pytest.mark.parametrize(
    ("suites", "ways"),
    [
        pytest.param("contract,promises,signals,sigreturn,state only=user/sys", SLOW, id="signals"),
        pytest.param("processes,sigwait,steps", SLOW, id="processes", marks=pytest.mark.long),
        pytest.param("handoff,deaths,memory", (), id="deaths", marks=pytest.mark.long),
        pytest.param("attack only=/8", (), id="attack", marks=pytest.mark.long),
    ],
)
def test_a_program_lives_by_it_alone(suites: str, ways: tuple[str, ...]) -> None:
    """Each SYSCALL of each 64-bit program: fork, execve, signals, sigreturn, stops, steps."""
    at = row_path.Kernel("amd64").symbols
    boot = Boot("amd64", cpu="EPYC", words=tuple(f"suite={suites}".split()))
    with session(boot, as_measured=True) as machine:
        stub = Stub(machine.socket, machine.pid, wide=True)
        make_usual(stub, at)
        stub.set_breaks([at["lazy_prepare"]])
        assert stub.go(), "SYSCALL's usual row is another"
        stub.set_breaks([at["lazy_prepare"]], there=False)
        for place in (at[f"clean_user_{way}"] for way in ways):
            stub.set_breaks([place])
            assert stub.go() and stub.registers()["ip"] == place
            stub.set_breaks([place], there=False)
        stub.go()
        end = guest(machine).end
        said = machine.serial.read_text("utf-8", "replace")
    assert end is not None and end["failed"] == 0, said[-2000:]


@pytest.mark.long
@pytest.mark.parametrize("cpu", ["corei7_haswell_4770", "ryzen"])
def test_bochs_finds_nothing_either(boot: Any, cpu: str) -> None:
    """Its contract, its promises, and an exception or interrupt at each of its instructions.
    Bochs attacks it with all other entries (tests/attack/test_attack.py)."""
    words = "suite=contract,promises,sweep only=user/syscall/lazy"
    result = boot("amd64", cpu, words, platform="bochs")
    assert result.outcome.value == "pass", result.reason
    assert len([c for c in result.checks if c["name"] == "user/syscall/lazy"]) > 20
