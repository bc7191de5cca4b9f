"""Files, folders, pipes: suite filecalls passes on both kernels as on Linux."""

from pathlib import Path
from typing import Any

import pytest

from tollgate.machines import cpio
from tollgate.machines.boot import BUILD
from tollgate.machines.child import run
from tollgate.machines.outcome import Outcome

from ..elf import program as assemble


def program(arch: str, name: str) -> bytes:
    return (BUILD / arch / "bin" / name).read_bytes()


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_files_promise_is_what_linux_does(host_runs: Any, arch: str, tmp_path: Path) -> None:
    host_runs(arch)
    done = run([BUILD / arch / "bin" / "filecalls"], 60, cwd=tmp_path)
    assert [line for line in done.stdout.splitlines() if line.startswith("not ok")] == []
    assert done.returncode == 0
    assert "\nok 200 " in done.stdout


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_files_in_bochs(suite: Any, arch: str) -> None:
    cpu = {"i386": "p3_katmai", "amd64": "corei7_haswell_4770"}[arch]
    result = suite(arch, cpu, "bochs", "filecalls")
    assert [c for c in result.checks if not c["ok"]] == []
    assert result.outcome is Outcome.PASS, result.reason


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_files(boot: Any, arch: str) -> None:
    """The tests run in /bin, as a trusted program, and on amd64 as a 32-bit one."""
    result = boot(arch, cmdline="suite=filecalls")
    assert [c for c in result.checks if not c["ok"]] == []
    said = [line for line in result.text.splitlines() if line.startswith("1..")]
    # A 32-bit program has one more call: _llseek, two checks.
    counts = {"i386": ["32", "32"], "amd64": ["64", "32", "64"]}[arch]
    assert len(said) == len(counts)
    assert len({line for line, bits in zip(said, counts, strict=True) if bits == "32"}) == 1
    assert result.outcome is Outcome.PASS, result.reason
    assert not result.problems


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_files_do_not_take_all_memory(boot: Any, arch: str) -> None:
    """Names and pipes are used up here; test_who_eats_all_memory_dies_alone uses up the bytes."""
    result = boot(arch, cmdline="suite=filecalls only=space", memory=32, whole=True)
    assert [c for c in result.checks if not c["ok"]] == []
    assert [c for c in result.checks if c["name"] == "space"]
    assert result.outcome is Outcome.PASS, result.reason


def archive(*entries: tuple[str, bytes, int]) -> bytes:
    """An initrd of names, contents and modes."""
    members = [
        cpio.member(name, data, mode, inode, None if mode >> 12 == 0o10 else 0)
        for inode, (name, data, mode) in enumerate(entries, start=1)
    ]
    return b"".join(members) + cpio.member(cpio.TRAILER, b"", 0, 0, 0)


FOLDER, PROGRAM, PLAIN, LINK = 0o040755, 0o100755, 0o100644, 0o120777


def test_trust_goes_by_where_a_program_lies(boot: Any) -> None:
    """A link into /trusted makes a program trusted, a link out of it does not."""
    level = assemble(64, "main: mov eax, cs\n and eax, 3\n add eax, 40\n CALL EXIT, rax, 0, 0")
    module = archive(
        ("bin", b"", FOLDER),
        ("trusted", b"", FOLDER),
        ("trusted/in", level, PROGRAM),
        ("bin/out", level, PROGRAM),
        ("bin/a", b"../trusted/in", LINK),
        ("trusted/b", b"/bin/out", LINK),
    )
    result = boot("amd64", cmdline="suite=a,b", module=module)
    assert "/bin/a: failed, status 40\n" in result.text
    assert "/trusted/b: failed, status 43\n" in result.text


def test_a_name_cannot_forge_a_record(boot: Any) -> None:
    """The message about a program contains its name, and a name may be the start of a record."""
    name = '@{"v":1'
    module = archive(("bin", b"", FOLDER), (f"bin/{name}", b"no program", PLAIN))
    result = boot("amd64", cmdline=f"suite={name}", module=module)
    assert '/bin/?{"v":1: not started' in result.text
    assert result.outcome.value == "fail", result.reason


def test_what_cannot_be_run_is_refused_in_words(boot: Any) -> None:
    module = archive(
        ("bin", b"", FOLDER),
        ("bin/a", program("amd64", "usystime"), PLAIN),
        ("bin/b", b"", FOLDER),
        ("bin/c", b"nowhere", LINK),
        ("bin/d", b"d", LINK),
    )
    result = boot("amd64", cmdline="suite=a,b,c,d", module=module)
    assert "/bin/a: not started: its mode forbids to execute it" in result.text
    assert "/bin/b: not started: it is no regular file" in result.text
    assert "there is no suite `c`" in result.text
    assert "there is no suite `d`" in result.text


def test_a_tree_that_contradicts_itself_is_refused(boot: Any) -> None:
    module = archive(("bin", b"", PLAIN), ("bin/a", b"", PROGRAM))
    result = boot("amd64", module=module)
    assert "the initrd is damaged: an entry has no place in the tree" in result.text
    assert result.outcome is Outcome.PANIC


UNMADE = {
    "dev": "rdtsc: ",
    "console": "/bin/usystime: not started: there is no terminal at /dev/console",
    "file-console": "/bin/usystime: not started: there is no terminal at /dev/console",
    "folder-console": "/bin/usystime: not started: there is no terminal at /dev/console",
    "loop-console": "/bin/usystime: not started: there is no terminal at /dev/console",
    "programs": "tollgate: there is no suite `usystime` in the initrd",
    "folder-program": "/bin/usystime: not started: it is no regular file",
}
"""A program's possible changes to the tree, and the kernel's message when it starts the next one.
"""


@pytest.mark.parametrize("deed", UNMADE)
def test_the_kernel_finds_what_it_needs_or_says_what_is_missing(
    boot: Any, tree: Any, deed: str
) -> None:
    module = tree({f"bin/{name}": program("amd64", name) for name in ("unmake", "usystime")})
    result = boot("amd64", cmdline=f"suite=unmake,usystime only={deed}", module=module)
    said = result.text.replace("@", "\n@").split(f"unmake: {deed}\n")[1]
    assert UNMADE[deed] in said
    assert result.outcome is (Outcome.PASS if deed == "dev" else Outcome.FAIL), result.reason
