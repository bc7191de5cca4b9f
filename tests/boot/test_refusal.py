"""The kernel's answer to bad input: an error message and a failing exit, no silence, no reset."""

import gzip
import lzma
import os
from collections.abc import Callable
from typing import Any

import pytest

from tollgate.machines.boot import ARCHES, BUILD, INITRD, ROOT
from tollgate.machines.outcome import Outcome

ENOUGH = 16
"""The MiB that the kernel asks for."""
QUICK = "suite=usystime samples=2 then=stop"
WORDS = (
    "suite samples only parts beside fence align calls direct then screen clock unit retired "
    "platform model emulator"
).split()


def refused(result: Any, sentence: str) -> None:
    """The kernel refused to boot, and printed only this message after its name."""
    assert result.outcome is Outcome.PANIC, result.reason
    name, _, said = result.text.partition("\n")
    assert name == f"Tollgate 0.1.0, {result.boot.arch}.", result.text[:200]
    assert said.startswith(f"tollgate: {sentence}"), result.text[:200]
    assert not result.records


def refused_later(result: Any, sentence: str) -> None:
    """The kernel refused to boot, after it had described the machine."""
    assert result.outcome is Outcome.PANIC, result.reason
    assert f"\ntollgate: {sentence}" in result.text
    assert not result.records


def raw(line: str | bytes) -> dict[str, Any]:
    """Arguments of `boot` for a command line of arbitrary bytes: the last -append counts."""
    return {"extra": ("-append", line if isinstance(line, str) else os.fsdecode(line))}


BAD_WORDS = [
    ("colour=red", "no such word"),
    ("suite", "no such word"),
    ("align=64", "bytes from a line of 64 to each entry behind it, 0 to 63"),
    ("then=stop,reset", "stop, reset or menu, after the last suite"),
    ("col\udce4ur=red", "no such word"),
]


@pytest.mark.parametrize("number", range(len(BAD_WORDS)), ids=[w[:20] for w, _ in BAD_WORDS])
def test_a_bad_word_is_named_and_the_good_ones_are_listed(boot: Any, number: int) -> None:
    word, why = BAD_WORDS[number]
    arch = ARCHES[number % 2]
    result = boot(arch, cmdline=f"only=x {word} {QUICK}")
    shown = word.replace("\udce4", "?")
    refused(result, f"the command line has `{shown}`: {why}. The words are:\n")
    listed = result.text.splitlines()[2:]
    assert [line.split("=")[0].strip() for line in listed] == list(WORDS)


@pytest.mark.parametrize("arch", ARCHES)
def test_a_line_of_1023_characters_is_read_and_no_longer_one(boot: Any, arch: str) -> None:
    line = QUICK + " only=" + "y" * 63
    result = boot(arch, **raw(line.ljust(1023)))
    assert result.outcome is Outcome.PASS, result.reason
    assert result.run["cmdline"] == line.ljust(1023)
    for length in (1024, 100_000):
        result = boot(arch, **raw(line.ljust(length)))
        refused(result, "the command line is longer than 1023 characters\n")


@pytest.mark.parametrize("arch", ARCHES)
def test_the_longest_line_of_the_worst_bytes_reaches_the_run_record(boot: Any, arch: str) -> None:
    """Every byte takes six characters of JSON, or starts a record; none may be lost."""
    value = b"\xff" * 63
    labels = [name + b"=" + value for name in (b"platform", b"model", b"emulator")]
    only = [b"only=@{" + b"\x80" * 61, b"only=" + b"\x80" * 50]
    line = b" ".join([QUICK.encode(), *labels * 4, *only])
    assert len(line) == 1023
    result = boot(arch, **raw(line))
    assert result.outcome is Outcome.PASS, result.reason
    assert result.run["cmdline"] == line.decode("latin-1")
    assert result.run["cpu_model"] == value.decode("latin-1")


@pytest.mark.parametrize(
    ("arch", "cpu", "fence"),
    [
        ("i386", "pentium3", "rdtscp"),
        ("i386", "pentium3", "both"),
        ("amd64", "Skylake-Client,-rdtscp", "rdtscp"),
    ],
)
def test_a_fence_that_the_processor_lacks(boot: Any, arch: str, cpu: str, fence: str) -> None:
    result = boot(arch, cpu, f"{QUICK} fence={fence}")
    refused(result, f"this processor has no {fence}; leave fence= out to take the best it has\n")


def test_no_time_stamp_counter(boot: Any) -> None:
    refused(
        boot("i386", "486", QUICK), "CPUID.01H:EDX.TSC[bit 4] = 0: without a time-stamp counter"
    )


def test_no_long_mode(boot: Any) -> None:
    sentence = "CPUID.80000001H:EDX.LM[bit 29] = 0: this processor has no long mode. Boot the i386"
    result = boot("amd64", "Skylake-Client,-lm", QUICK)
    assert result.outcome is Outcome.PANIC, result.reason
    assert result.text.startswith(f"tollgate: {sentence}"), "in 32-bit code, before all others"


@pytest.mark.long
def test_no_long_mode_in_bochs(boot: Any) -> None:
    """The CPUID leaf itself is missing here."""
    result = boot("amd64", "pentium_mmx", QUICK, platform="bochs")
    assert result.outcome is Outcome.PANIC, result.reason
    assert "this processor has no long mode. Boot the i386 kernel instead." in result.text


@pytest.mark.figures
@pytest.mark.parametrize(("arch", "memory"), [("i386", 9), ("amd64", 11)])
def test_too_little_memory(boot: Any, arch: str, memory: int) -> None:
    result = boot(arch, cmdline=QUICK, memory=memory, whole=True)
    refused(result, "only ")
    said = f"boot with {ENOUGH} MiB or more, or with a smaller initrd\n"
    assert f" KiB of memory are free; {said}" in result.text
    assert f" need {ENOUGH} MiB of memory," in (ROOT / "docs" / "hardware.md").read_text()


@pytest.mark.parametrize(
    ("arch", "memory"),
    [(arch, ENOUGH) for arch in ARCHES] + [("i386", 15), ("i386", 17), ("i386", 1000)],
)
def test_enough_memory(boot: Any, arch: str, memory: int) -> None:
    result = boot(arch, cmdline=QUICK, memory=memory, whole=True)
    assert result.outcome is Outcome.PASS, result.reason


@pytest.mark.figures
def test_a_module_that_leaves_no_memory(boot: Any, tree: Any) -> None:
    result = boot("i386", cmdline=QUICK, memory=16, module=tree({"bin/large": bytes(11 << 20)}))
    refused(result, "only ")


@pytest.mark.parametrize("arch", ARCHES)
def test_an_unknown_suite_fails_and_the_machine_goes_on(boot: Any, arch: str) -> None:
    result = boot(arch, cmdline="suite=nothing,../bin/toll,usystime, samples=2")
    assert result.outcome is Outcome.FAIL, result.reason
    for name in ("nothing", "../bin/toll"):
        sentence = f"tollgate: there is no suite `{name}` in the initrd\n"
        assert sentence in result.text
    assert result.end["failed"] == 2
    assert {r["suite"] for r in result.results} == {"usystime"}
    assert result.text.endswith("tollgate: failed\n")


def test_to_run_nothing_is_not_to_pass(boot: Any) -> None:
    result = boot("amd64", cmdline="suite=,,")
    assert result.outcome is Outcome.FAIL, result.reason
    assert "\ntollgate: suite= names no program\n" in result.text


def test_a_tree_without_programs(boot: Any, tree: Any) -> None:
    result = boot("i386", cmdline="suite=toll", module=tree({}))
    assert result.outcome is Outcome.FAIL, result.reason
    assert "there is no suite `toll`" in result.text


NO_ARCHIVES: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "no end": ("it ends before its last entry", lambda good: good[: good.rindex(b"070702")]),
    "half a tree": ("an entry is longer than the archive", lambda good: good[: len(good) // 2]),
}


@pytest.mark.parametrize("name", NO_ARCHIVES)
def test_a_module_that_is_no_archive(boot: Any, name: str) -> None:
    sentence, damage = NO_ARCHIVES[name]
    arch = ARCHES[list(NO_ARCHIVES).index(name) % 2]
    module = damage((BUILD / INITRD[arch]).read_bytes())
    result = boot(arch, cmdline=QUICK, module=module)
    refused_later(result, f"the initrd is damaged: {sentence}; build it again")


@pytest.mark.parametrize(
    ("name", "compress", "grub"), [("xz", lzma, "xzio"), ("gzip", gzip, "gzio")]
)
def test_a_compressed_module(boot: Any, name: str, compress: Any, grub: str) -> None:
    module = compress.compress((BUILD / INITRD["i386"]).read_bytes()[:100000])
    result = boot("i386", cmdline=QUICK, module=module)
    told = f"the initrd is still compressed ({name}): GRUB unpacks it after `insmod {grub}', and "
    refused_later(result, told + "other loaders need the uncompressed initrd.cpio")


@pytest.mark.parametrize("arch", ARCHES)
def test_no_module(boot: Any, arch: str) -> None:
    result = boot(arch, cmdline=QUICK, extra=("-initrd", ""))
    refused_later(result, f"no initrd: pass build/{arch}/initrd.cpio as the first module")
