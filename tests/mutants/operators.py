"""Generated mutants: operators, each applied wherever its pattern occurs.

An operator is a kind of mistake: another statistic in a column, a finding that is dropped, a save
that is left out.  Each match is a mutant, named by operator, file and line, and the tests of its
row must see it.  A match without a visible effect is in SAME, with the reason.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

TABLES = tuple(
    f"tests/show/test_{name}.py"
    for name in (
        *("columns", "report_figures", "report_records", "report_suites"),
        *("compare", "summary", "parts"),
    )
)
RULES = tuple(f"tests/records/test_{name}.py" for name in ("rules", "check", "forgeries"))
KNOWN = ("tests/records/test_expected.py", RULES[1], RULES[0], RULES[2])
TOLL = tuple(
    f"tests/suites/test_toll.py::test_rows_cost_what_their_budgets_say[{machine}]"
    for machine in ("amd64-EPYC", "i386-EPYC", "amd64-Skylake-Client")
)
EXCEPTIONS = tuple(
    f"tests/suites/test_exceptions.py::test_rows_cost_what_their_budgets_say[{arch}]"
    for arch in ("amd64", "i386")
)
FAULTS = tuple(
    f"tests/unix/test_signals.py::test_what_linux_has_too_costs_what_its_budgets_say[{arch}]"
    for arch in ("amd64", "i386")
)
SUITES = tuple(
    f"tests/{test}[amd64]"
    for test in (
        "suites/test_ladder.py::test_ksystime_says_what_the_article_prints",
        "suites/test_switch.py::test_rows_cost_what_their_budgets_say",
        "unix/test_signals.py::test_what_linux_has_too_costs_what_its_budgets_say",
        "unix/test_vsyscall.py::test_the_time_costs_what_the_budgets_say",
        "core/test_starve.py::test_recovery_costs_what_its_budget_says",
        "suites/test_ladder.py::test_reads_cost_what_their_budgets_say",
    )
)
DEATHS = (
    "tests/core/test_contract.py::test_every_way_to_die_is_the_programs_alone"
    "[amd64-EPYC-qemu-icount]"
)
AUDIT = "tests/machines/test_audit.py::test_a_figure_that_is_not_what_ran_is_found[amd64]"
UNITS = ("tests/unit/test_unit.py::test_unit[statistics]",)
JUDGE = ("tests/unit/test_unit.py::test_unit[measure]",)


@dataclass(frozen=True)
class Operator:
    """A mistake: in some files a pattern is replaced, and the tests that must see it."""

    name: str
    drops: str
    files: tuple[str, ...]
    pattern: str
    becomes: str
    tests: tuple[str, ...]


SHOWN = tuple(
    f"tools/tollgate/show/{name}.py"
    for name in (
        *("table", "markdown", "compare", "summary"),
        *("report/tables", "report/suites", "report/model"),
    )
)
ENTRY = "kernel/core/entry/{}.asm"
WAYS = tuple(ENTRY.format(way) for way in ("int", "callgate", "sysenter", "syscall", "call"))
LOOKING = (*WAYS, ENTRY.format("samestack"), ENTRY.format("site_standard"))
ABI = tuple(f"kernel/core/arch/{of}/abi.inc" for of in ("i386", "amd64", "amd64/compat"))
STAMPED = (*WAYS, ABI[0])
FLAGGED = (WAYS[1], WAYS[2], ABI[0], "kernel/core/arch/i386/origin.inc")
GUARDED = (*ABI, "kernel/core/entry/direct.inc", ENTRY.format("site_standard"))
CONTRACT = tuple(
    f"tests/core/test_contract.py::test_registers_flags_segments_fpu_and_arguments[{machine}]"
    for machine in ("i386-EPYC", "amd64-EPYC", "amd64-Skylake-Client")
)
LOOK = r"cmp     byte \[cpu_work\], 0\n        jne .*"
GUARD = r"        (?:jae     (?:NOSYS|\.nosys|entry_nosys)|cld)\n"
FLAGS = r"        push    RFLAGS_FIXED\n        popfx\n"

TRAPS = (
    EXCEPTIONS[0],
    FAULTS[0],
    "tests/unix/test_signals.py::test_signals_are_as_on_linux[amd64-Skylake-Client-qemu-icount]",
    "tests/core/test_panic.py::test_a_kernel_fault_is_a_panic_with_registers_and_backtrace[amd64]",
    "tests/core/test_panic.py::test_a_fault_on_no_kernel_stack_is_a_panic[amd64]",
    "tests/core/test_contract.py::test_an_exception_or_interrupt_at_any_instruction_of_any_entry"
    "[amd64-EPYC]",
)
VECTORS = ("kernel/core/arch/amd64/vectors.asm",)
TAKE_OFF = tuple(
    f"user/suites/{name}.c"
    for name in ("usystime", "faults", "switch/main", "starve/try", "reads/empty", "vsyscall/main")
)

RULE = r"(?m)^( +)yield (record|named|run|check|first|entered|again|read|None|\()"
UNSAID = r"\1_ = (yield) if False else \2"
SAVES = r"(?m)^        (?:push|pop|mov|cld|xchg|lea|and|cli|swapgs)\b.*\n"
ASKS = r"(?m)^( +(?:el)?if) ((?![^:\n]*:=)[^:\n]+):$"
NEVER = "never does the statement under a condition"
COMPARED = ("tests/show/test_compare.py",)
SAYS_NOTHING = "finds it and says nothing"
MOVED = r"(?m)^(        PROBE   MP\d\n)((?!        PROBE)        \S.*\n)"
JUDGED = (
    r"\b\w+\.good == \w+\.of\b|\bin_rank == compared\b|!residue\b|\bresult == pid\b"
    r"|\bs(?:\.|->)min == s(?:\.|->)max\b|!s->median\b"
    r"|\bs->median == CONTROL_LENGTH\b|\bstamps\[0\] > last\b"
    r"|!stamps\[s\](?=;)|\bstamps\[s \+ 1\] >= stamps\[s\]|\bnow\.watch_\w+ == [\w +]+(?= &&|\))"
)
MEASURE, ASKERS = ("user/lib/measure.c",), (*JUDGE, TOLL[1])
ASKED = r"(?m)^(        )(measure_controls|count_entries|control_checks|keep|judge_\w+)\(.*\);$"
TAKEN = r"(ticks\[i\]) -= "
UNIT = r"\b(run|m|machine|machines\[0\])\.unit\b(?! [=!]=)"
HOST = "tools/tollgate/{}.py"
RULES_PY, CHECK_PY, EXPECTED_PY = (
    (HOST.format(f"records/{name}"),) for name in ("rules", "check", "expected")
)

OPERATORS = (
    Operator("low", "shows the minimum for the median", SHOWN, '"median"', '"min"', TABLES),
    Operator("tail", "shows p90 for p99", SHOWN, '"p99"', '"p90"', TABLES),
    Operator("least", "shows the median for the minimum", SHOWN, '"min"', '"median"', TABLES),
    Operator("most", "shows p99 for the maximum", SHOWN, '"max"', '"p99"', TABLES),
    Operator("loop", "shows the mean for the batch", SHOWN, '"batch"', '"mean"', TABLES),
    Operator("rest", "shows the probe for the residue", SHOWN, '"residue"', '"probe"', TABLES),
    Operator("time", "has nanoseconds that are wrong by 7 %", SHOWN, r"\b1e9\b", "1.07e9", TABLES),
    Operator("label", "shows the id for the label", SHOWN, r'\["label"\]', '["id"]', TABLES),
    Operator("named", "shows the id for the label", SHOWN, r"\brow\.label\b", "row.id", TABLES),
    Operator("count", "shows the maximum for n", SHOWN, '"n"', '"max"', TABLES),
    Operator("unit", "says cycles, whatever was counted", SHOWN, UNIT, "'cycles'", TABLES),
    Operator("silent", SAYS_NOTHING, RULES_PY, RULE, UNSAID, RULES),
    Operator("mute", SAYS_NOTHING, CHECK_PY, RULE, UNSAID, KNOWN),
    Operator("deaf", SAYS_NOTHING, EXPECTED_PY, RULE, UNSAID, KNOWN),
    Operator("unasked", NEVER, RULES_PY, ASKS, r"\1 False and (\2):", RULES),
    Operator("unheard", NEVER, EXPECTED_PY, ASKS, r"\1 False and (\2):", KNOWN),
    Operator("unread", NEVER, CHECK_PY, ASKS, r"\1 False and (\2):", KNOWN),
    Operator("blind", NEVER, (HOST.format("show/compare"),), ASKS, r"\1 False and (\2):", COMPARED),
    Operator("half", "finds only what is too small", RULES_PY, " != ", " < ", RULES),
    Operator("early", "weakens a comparison", RULES_PY, " <= ", " < ", RULES),
    Operator("late", "weakens a comparison", RULES_PY, " > ", " >= ", RULES),
    Operator("look", "looks for no pending work", LOOKING, LOOK, "", CONTRACT),
    Operator("guard", "takes any number, or leaves DF as it was", GUARDED, GUARD, "", CONTRACT),
    Operator("flags", "leaves the program's flags to a service", FLAGGED, FLAGS, "", CONTRACT),
    Operator("place", "stamps an instruction later", STAMPED, MOVED, r"\2\1", TOLL),
    Operator("unsaved", "leaves out an instruction of a way in", WAYS, SAVES, "", (*TOLL, DEATHS)),
    Operator("trap", "leaves out an instruction of a trap", VECTORS, SAVES, "", TRAPS),
    Operator("judged", "does not judge a control", MEASURE, JUDGED, r"(true || \g<0>)", JUDGE),
    Operator("uncalled", "does not ask for it", MEASURE, ASKED, r"\1(void)\2;", ASKERS),
    Operator("kept", "does not take off what stamps take", TAKE_OFF, TAKEN, r"\1 -= 0 * ", SUITES),
    Operator(
        "uncounted",
        "does not count it",
        MEASURE,
        r"(?m)^( +)((?!i )\w+(?:\.\w+)?) \+= ",
        r"\1\2 += 0 * ",
        (*JUDGE, *TOLL[:1], AUDIT),
    ),
    Operator(
        "moved", "takes another rank", ("user/lib/statistics.c",), r"\b(50|90|99)\b", "80", UNITS
    ),
)

SAME: Mapping[tuple[str, str], str] = {
    ("half", 'if run.unit != "instructions":'): "no other unit comes behind it in the alphabet",
    ("half", 'if data.get("sections") and data["min"] != data["max"]:'): "min above max is another "
    "rule's",
}
"""Mutants without a visible effect, by operator and line, with the reason."""

SURVIVE: Mapping[tuple[str, str], str] = {
    (
        "most",
        'if len(self.histogram) < 2 or self.stats["max"] is None:',
    ): "a record that has one of the two has both",
    (
        "rest",
        'residues = {figure(r["residue"]): None for r in of_way.values() if "residue" in r}'
        " (2 of 2)",
    ): "whether it is there: a record that has one of the two has both",
}
"""Mutants that no test sees, by operator and line, with the reason."""


@dataclass(frozen=True)
class Place:
    """An operator applied to a place in a file."""

    operator: Operator
    file: str
    number: int
    line: int
    nth: str
    """A number for identical lines, such as " (2 of 3)"."""

    @property
    def name(self) -> str:
        """Such as low-table-112: operator, file and line."""
        return f"{self.operator.name}-{Path(self.file).stem}-{self.line}.{self.number}"

    @property
    def where(self) -> str:
        """File and the line's text, which remain valid when lines move."""
        text = (ROOT / self.file).read_text().splitlines()[self.line - 1].strip()
        return f"{self.file}: {text}{self.nth}"

    @property
    def survives(self) -> str:
        """Why no test sees it; empty if one must."""
        return SURVIVE.get((self.operator.name, self.where.partition(": ")[2]), "")

    def texts(self) -> tuple[str, str]:
        """The file without the mistake, and with it."""
        text = (ROOT / self.file).read_text()
        found = list(re.finditer(self.operator.pattern, text))[self.number]
        return text, text[: found.start()] + found.expand(self.operator.becomes) + text[
            found.end() :
        ]


def places() -> Iterator[Place]:
    """Every mutant that the operators make."""
    for operator in OPERATORS:
        for file in operator.files:
            yield from places_in(operator, file)


def places_in(operator: Operator, file: str) -> Iterator[Place]:
    """Every mutant that an operator makes in a file."""
    text = (ROOT / file).read_text()
    lines = text.splitlines()
    found = [text.count("\n", 0, one.start()) for one in re.finditer(operator.pattern, text)]
    alike = Counter(lines[line].strip() for line in found)
    seen: Counter[str] = Counter()
    for number, line in enumerate(found):
        said = lines[line].strip()
        seen[said] += 1
        nth = f" ({seen[said]} of {alike[said]})" if alike[said] > 1 else ""
        if (operator.name, said) not in SAME:
            yield Place(operator, file, number, line + 1, nth)
