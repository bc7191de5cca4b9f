"""Each leaf (field) of a record, and its evidence: one table.

A leaf is *derived* from others, or *compared* with its source (the kernel, the initrd, this
version's tables, an emulator's processors); then a rule is named. Or it is *believed*: this tree
cannot prove it, and `tollgate check` reports that in these words.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tollgate.records.fields import END
from tollgate.records.format import MachineRun
from tollgate.records.state import NAMES, REGISTERS

DERIVED, COMPARED, BELIEVED = "derived", "compared", "believed"


class Leaf(NamedTuple):
    """The evidence for a leaf: `by` is a rule's id, or words for a reader."""

    how: str
    by: str


def derived(by: str, *names: str) -> dict[str, Leaf]:
    """Leaves that a rule computes from others."""
    return dict.fromkeys(names, Leaf(DERIVED, by))


def compared(by: str, *names: str) -> dict[str, Leaf]:
    """Leaves that a rule compares with their source."""
    return dict.fromkeys(names, Leaf(COMPARED, by))


def believed(words: str, *names: str) -> dict[str, Leaf]:
    """Leaves that this tree cannot prove."""
    return dict.fromkeys(names, Leaf(BELIEVED, words))


HEAD = derived("shape", "v", "type")
PROCESSOR = tuple(f"cpu.{name}" for name in ("vendor", "brand", "family", "model", "stepping"))
SAMPLES = "each sample, within what the others and the batch allow"
ENDS = tuple(f"{end}.{name}" for end in ("best", "worst") for name in END[1:])
CALLS = "what its calls did, in the time of client, server and kernel"
LEAVES: Mapping[str, Mapping[str, Leaf]] = {
    "run": {
        **HEAD,
        **compared("compiler", "arch", "tools.compiler", "tools.nasm", "version", "image.kernel"),
        **compared("initrd", "image.initrd"),
        **derived("unit", "unit", "deterministic", "insisted"),
        **derived("line", "cmdline", "fence", "cpu_model", "platform"),
        **believed("the emulator", "tools.emulator"),
        **derived("place", "hypervisor", "offset"),
        **derived("readable", "readable"),
        **derived("rate", "tsc_hz", "clock.by", "clock.retired"),
        **believed("for how many counts a program can be quiet", "quiet"),
        **believed("the firmware", "firmware"),
        **derived("state", *PROCESSOR),
        **believed("the registers", *(f"state.{name}" for name in REGISTERS)),
        **believed("the firmware", *(f"state.{name}" for name in NAMES)),
        **believed("what CPUID says", "state.cpuid[][]"),
        **believed("the clocks", "clock.nominal_hz", "clock.base_hz", "clock.apic_hz"),
        **believed("the clocks", "clock.rtc_hz", "clock.pit_hz[]"),
        **believed("what its clock does", "clock.invariant", "clock.core", "clock.turbo"),
        **believed("what its clock does", "clock.sleeps_deep", "clock.core_type", "clock.smis"),
        **believed("its microcode", "clock.microcode", "clock.arch_capabilities"),
        **believed("its microcode", "clock.spec_ctrl"),
        **believed("the codes on its screen", "scanned", "part"),
        **believed("the kernel of Linux", "kernel", "mitigations"),
    },
    "result": {
        **HEAD,
        **compared("names", "suite", "id", "label"),
        **compared("samples", "n"),
        **derived("order", "min", "max"),
        **derived("histogram", "median", "p90", "p99"),
        **derived("mean", "mean"),
        **believed(SAMPLES, "low", "high", "batch"),
        **derived("sections", "sections[].from", "sections[].to", "residue"),
        **believed("what a stamp takes", "probe"),
        **derived("places", "best.at", "worst.at"),
        **believed(SAMPLES, "places[]", *ENDS),
        **derived("tries", "core", "reference", "smis", "retired"),
        **believed("how much was taken again", "disturbed", "repeated"),
        **derived("own", "plain", "condition", "bytes", "client", "server", "kernel", "spared"),
        **believed(SAMPLES, "histogram[][]", "sections[].min", "sections[].median"),
        **believed("what its calls did", "calls", "entry"),
        **believed(
            "a benchmark's counts", "count", "rows", "checksum", "windows", "pages", "ticks"
        ),
    },
    "skip": {**HEAD, **compared("names", "suite", "id"), **compared("texts", "reason")},
    "noisy": {**HEAD, **derived("marks", "suite", "id", "reason")},
    "check": {**HEAD, **derived("failed", "ok"), **derived("checks", "name", "detail")},
    "end": {
        **HEAD,
        **derived("records", "records"),
        **derived("failed", "failed"),
        **derived("quiet", "unquiet"),
        **derived("tries", "smis"),
        **believed("calls of Linux that are not here", "unimplemented[][]", "unimplemented[]"),
    },
    "outcome": {
        **HEAD,
        **derived("end", "ended", "expected"),
        **derived("records", "records"),
        **derived("outcome", "suite", "id", "reason"),
        **believed("the chain of exceptions", "chain"),
    },
    "missing": {**HEAD, **believed("boots that are missing", "boots[]")},
}
"""Type of a record -> path of a leaf -> its evidence."""

OF_SUITE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("plain", "condition"), ("around",)),
    **dict.fromkeys(("calls", "client", "server", "kernel", "entry"), ("web",)),
    "bytes": ("web",),
    **dict.fromkeys(("count", "rows", "checksum", "windows", "pages", "ticks"), ("wisconsin",)),
    **dict.fromkeys(("batch", "probe", "residue", "sections"), ("toll", "exceptions")),
    **dict.fromkeys(("spared", "places", "best.at", "worst.at", *ENDS), ("toll",)),
}
"""Keys of result records in only these suites."""


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of a record: its path, such as `cpu.brand` or `sections[].min`, and its value."""
    if isinstance(value, dict) and path != "mitigations":
        for name, part in value.items():
            yield from leaves(part, f"{path}.{name}".lstrip("."))
    elif path == "state.cpuid":  # one leaf: nobody reads its numbers in a list
        yield f"{path}[][]", value
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part, f"{path}[]")
    else:
        yield path, value


def unknown(data: Mapping[str, Any]) -> Iterator[str]:
    """The leaves of a record that no kernel of this version has."""
    known, suite = LEAVES[str(data["type"])], data.get("suite")
    for path, _ in leaves(data):
        of = (
            OF_SUITE.get(path.partition("[")[0], (suite,)) if data["type"] == "result" else (suite,)
        )
        if path not in known or suite not in of:
            yield path


def said(values: Iterable[Any]) -> str:
    """Values in words."""
    texts = [
        f"{len(value)} leaves" if isinstance(value, list) else str(value).strip()
        for value in values
    ]
    return ", ".join(text for text in texts if text not in ("", "0", "-1", "False")) or "nothing"


def credited(run: MachineRun, known: frozenset[str]) -> list[str]:
    """The facts of this boot that a reader must believe, in words; `known`: paths of the run record
    that an emulator's table proves after all."""
    found: dict[str, list[Any]] = {}
    for path, value in leaves(run.run):
        leaf = LEAVES["run"].get(path)
        if leaf and leaf.how == BELIEVED and path not in known:
            found.setdefault(leaf.by, []).append(value)
    words = [f"{by} ({said(values)})" for by, values in found.items()]
    exact = run.unit == "instructions"
    stamps = {str(data["probe"]) for data in run.results if "probe" in data}
    if stamps and not exact:
        words.append(f"what a stamp takes ({', '.join(sorted(stamps))})")
    words += [f"the chain of exceptions ({data['chain']})" for data in run.of("outcome")]
    paths = {path for data in run.results for path, _ in leaves(data)}
    words += dict.fromkeys(
        leaf.by
        for path, leaf in LEAVES["result"].items()
        if leaf.how == BELIEVED and path in paths and path != "probe"
        if not (exact and leaf.by == SAMPLES)
    )
    return words
