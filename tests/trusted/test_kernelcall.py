"""Kernel functions by name: called, interrupted, single-stepped; or refused at load time."""

from typing import Any

import pytest

from tollgate.machines.boot import BUILD

MACHINES = [
    ("i386", "pentium", "qemu-icount"),
    pytest.param("i386", "p3_katmai", "bochs", marks=pytest.mark.long),
    ("amd64", "EPYC", "qemu-icount"),
]


def kernelcall(arch: str) -> bytes:
    return (BUILD / arch / "trusted" / "kernelcall").read_bytes()


def usystime(arch: str) -> bytes:
    return (BUILD / arch / "bin" / "usystime").read_bytes()


@pytest.mark.parametrize(("arch", "cpu", "platform"), MACHINES)
def test_a_trusted_program_calls_the_kernel_by_name(
    suite: Any, arch: str, cpu: str, platform: str
) -> None:
    result = suite(arch, cpu, platform, "kernelcall")
    assert result.outcome.value == "pass", result.reason
    assert "kernelcall: said by the kernel\n" in result.text
    medians = {r["id"]: r["median"] for r in result.results}
    function, call, gate = (medians[f"trusted/kernelcall/{w}"] for w in ("function", "call", "int"))
    assert function < call < gate


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_an_unknown_name_refuses_the_program(boot: Any, tree: Any, arch: str) -> None:
    program = kernelcall(arch).replace(b"frame_count\0", b"frame_c0unt\0", 1)  # its note
    module = tree({"trusted/kernelcall": program, "bin/usystime": usystime(arch)})
    result = boot(arch, "EPYC", "suite=kernelcall,usystime samples=20", module=module)
    sentence = "it needs the kernel's `frame_c0unt`, and there is no such function"
    assert f"/trusted/kernelcall: not started: {sentence}" in result.text
    assert result.outcome.value == "fail"
    assert not result.checks, "main() ran"
    assert len(result.results) == 3, "the next program did not run"


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_ring_3_is_refused(boot: Any, tree: Any, arch: str) -> None:
    files = {"bin/kernelcall": kernelcall(arch)}
    result = boot(arch, "EPYC", "suite=kernelcall samples=20", module=tree(files))
    sentence = "not started: it calls kernel functions, and is not trusted"
    assert f"/bin/kernelcall: {sentence}" in result.text
    assert result.outcome.value == "fail"


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_pointer_outside_its_data_refuses_the_program(boot: Any, tree: Any, arch: str) -> None:
    """The descriptor of the first note: the pointer's address, before the function's name."""
    program = bytearray(kernelcall(arch))
    at = program.index(b"Tollgate\0\0\0\0") + 12
    program[at : at + 4] = (0x1000).to_bytes(4, "little")
    module = tree({"trusted/kernelcall": bytes(program)})
    result = boot(arch, "EPYC", "suite=kernelcall samples=20", module=module)
    assert "its pointer to a kernel function lies outside its data" in result.text
    assert not result.checks, "main() ran"


@pytest.mark.parametrize(("arch", "cpu", "platform"), MACHINES)
def test_an_address_where_nothing_is_ends_the_program_alone(
    boot: Any, tree: Any, arch: str, cpu: str, platform: str
) -> None:
    files = {"trusted/kernelcall": kernelcall(arch), "bin/usystime": usystime(arch)}
    words = "suite=kernelcall,usystime samples=20 only=lost"
    result = boot(arch, cpu, words, platform=platform, module=tree(files))
    sentence = "killed by SIGSEGV: it gave a kernel function an address where nothing is"
    assert f"/trusted/kernelcall: {sentence}" in result.text
    assert len(result.results) == 3, "the next program did not run"
