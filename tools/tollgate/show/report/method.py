"""How each number is measured: sample, probes, controls, and each run's own reports."""

from collections.abc import Sequence

from tollgate.records.retired_instructions import Compared, compared
from tollgate.show.report.markup import Html, code, esc, heading, paragraph, raw, table, tag
from tollgate.show.report.model import Machine, fields, number, shown, span, text

SAMPLE = """\
pair = median of (t1 - t0)          with nothing between; the minimum where counts are exact
select the row                      its gate is armed: IDT, GDT or MSRs; clean kernel half
quiet                               devices masked, timer stopped
warm up
n times:
    t0 = fence, rdtsc
    user half of the row: getpid    into ring 0 and back: always a round trip
    t1 = fence, rdtsc
    total = t1 - t0 - pair
min median p90 p99 max mean         of the n totals; a percentile is a sample, by nearest rank
batch                               mean of many calls in a loop, less the same loop without them"""
PROBES = """\
select the row, probed              a second copy of the kernel half, from the same source
n times: MP1 .. MP8 write a time stamp each: moves, rdtsc and the fence, no flag and no branch
probe   = pair                      from one stamp's reading to the next one's, nothing between
section = median of (stamp - stamp before - probe)
residue = clean median - sum of the seven sections"""
FENCES = (
    ("none", "rdtsc alone, as Rubini timed; neighbours may overlap it"),
    ("lfence", "lfence, rdtsc"),
    ("both", "lfence, rdtsc, lfence"),
    ("rdtscp", "rdtscp, which waits for the instructions before it"),
    ("cpuid", "cpuid before and after rdtsc, as in the paper; it traps under a hypervisor"),
)
CONTROLS = (
    "Controls stand beside the rows: an empty pair, a loop of known length, and a row that must "
    "cost more than another. The kernel itself counts that each row enters it: in a pass of its "
    "own a breakpoint of the processor stands on the first instruction of the row\u2019s kernel "
    "half, and each call must hit it (not where the row is #DB itself). In the passes that are "
    "timed every sample has stamps of its own, written after the ones before were wiped; every "
    "call answers with the caller\u2019s process id (but a bare gate\u2019s: it calls nothing); "
    "and every round of the probed copy leaves eight stamps in order. If a control moves, the run "
    "is marked unreadable and none of its figures is drawn."
)


def method(machines: Sequence[Machine]) -> Html:
    """The whole section; the tables are per run."""
    return raw(
        paragraph(
            "The headline number is taken on entry code without any probe in it. Sections come "
            "from a probed copy, and must add up to the headline; what is left is the residue."
        ),
        heading(3, "A sample", "method-sample"),
        tag("pre", esc(SAMPLE), tabindex="0"),
        heading(3, "Sections", "method-probes"),
        tag("pre", esc(PROBES), tabindex="0"),
        table("Fences", ["fence", "code at t0, t1 and in each probe"], map(row_of, FENCES)),
        heading(3, "Controls and checks", "method-controls"),
        paragraph(CONTROLS),
        checks_table(machines),
        residue_table(machines),
        retired_table(machines),
        heading(3, "Runs and their records", "method-records"),
        records_table(machines),
        runs_table(machines),
    )


def row_of(pair: tuple[str, str]) -> list[Html]:
    return [code(pair[0]), esc(pair[1])]


def checks_table(machines: Sequence[Machine]) -> Html:
    """Checks by name; machines that agree on verdict and detail share a line."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for machine in machines:
        for check in machine.checks:
            verdict = "ok" if check.get("ok") is True else "FAILED"
            line = (text(check.get("name")), verdict, text(check.get("detail")))
            found.setdefault(line, []).append(machine.tag)
    rows = [
        [code(name), esc(verdict), esc(detail), esc(", ".join(tags))]
        for (name, verdict, detail), tags in found.items()
    ]
    if not rows:
        return raw()
    return table("Checks", ["check", "verdict", "detail", "machines"], rows)


def residue_table(machines: Sequence[Machine]) -> Html:
    """Per machine: the number of probed rows, the cost of a probe, the residue of the sections."""
    rows = []
    for machine in machines:
        probed = [row for row in machine.toll if row.residue is not None]
        if not probed:
            continue
        off = [f"{row.id} {shown(row.residue)}" for row in probed if row.residue]
        rows.append(
            [
                esc(machine.title),
                esc(machine.unit),
                esc("unreadable" if machine.faults else ", ".join(off) or "none"),
                esc(str(len(probed))),
                esc("" if machine.faults else span([row.stats["probe"] for row in probed])),
                esc("" if machine.faults else span([row.residue for row in probed])),
            ]
        )
    columns = ["machine", "unit", "rows with a residue", "rows probed", "probe", "residue"]
    if not rows:
        return raw()
    return raw(
        heading(3, "Residue", "method-residue"),
        table("Residue: clean median less the sum of the sections", columns, rows, numeric=3),
    )


def retired_table(machines: Sequence[Machine]) -> Html:
    """Per machine whose processor counts instructions: does its count equal an emulator's?"""
    rows = []
    for machine in machines:
        own = [{"suite": r.suite, "id": r.id, "retired": r.stats["retired"]} for r in machine.rows]
        found = Compared() if machine.faults else compared(machine.run, own)
        if not found.rows:
            continue
        clock = fields(machine.run.get("clock"))
        other = "; ".join(
            f"{name} {shown(got)}, not {was}" for name, (got, was) in found.other.items()
        )
        says = [f"{int(kind):02X}H" if (kind := number(clock.get("core_type"))) else ""]
        says += [text(clock.get(key)) for key in ("microcode", "arch_capabilities", "spec_ctrl")]
        rows.append(
            [
                *map(esc, (machine.title, text(clock.get("retired")), *says)),
                esc(f"{found.rows - len(found.other)} of {found.rows}"),
                esc(other or "none"),
            ]
        )
    if not rows:
        return raw()
    words = "ARCH_CAPABILITIES", "SPEC_CTRL"
    columns = ["machine", "counted by", "core type", "microcode", *words, "equal", "others"]
    return raw(
        heading(3, "Retired instructions", "method-retired"),
        paragraph(
            "The processor has counted the instructions of each row itself. Equal are the rows of "
            "which it retires as many as tests/budgets.toml has from an emulator."
        ),
        table("Retired instructions beside tests/budgets.toml", columns, rows),
    )


def records_table(machines: Sequence[Machine]) -> Html:
    """Records sent and received; the difference was lost on the line."""
    rows = []
    for machine in machines:
        sent = number(fields(machine.end or machine.outcome).get("records"))
        failed = number(fields(machine.end).get("failed"))
        part = "part" in machine.run  # codes of one suite: the others were not requested
        dropped = None if sent is None or part else sent - machine.held
        rows.append(
            [
                esc(machine.title),
                esc("; ".join(machine.faults or machine.noisy) or "yes"),
                esc("no end record" if sent is None else shown(sent)),
                esc(str(machine.held)),
                esc(shown(dropped)),
                esc(shown(failed)),
            ]
        )
    columns = ["machine", "readable", "sent", "received", "dropped", "failed"]
    return table("Records before the end record of each run", columns, rows, numeric=4)


RUN_KEYS = ("firmware", "hypervisor", "cmdline", "version")


def runs_table(machines: Sequence[Machine]) -> Html:
    """A table of the runs, by their records."""
    rows = []
    for machine in machines:
        cpu = fields(machine.run.get("cpu"))
        numbers = "/".join(text(cpu.get(key)) for key in ("family", "model", "stepping"))
        tools = fields(machine.run.get("tools"))
        hertz = number(machine.run.get("tsc_hz"))
        rows.append(
            [
                tag("b", esc(machine.tag)),
                esc(f"{text(cpu.get('vendor'))} {text(cpu.get('brand'))} {numbers}"),
                *(esc(machine.word(key)) for key in RUN_KEYS),
                esc(", ".join(f"{text(k)} {text(v)}" for k, v in tools.items())),
                esc(f"{hertz / 1e6:,.3f} MHz" if hertz else "unknown"),
            ]
        )
    columns = ["machine", "processor, family/model/stepping", *RUN_KEYS, "tools", "TSC"]
    return table("What each run says of itself", columns, rows)
