"""The book: recording a walk, a name for every word, and pages that hide answers."""

import json
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from tollgate.errors import TollgateError
from tollgate.machines.debug import Session
from tollgate.records.budgets import load
from tollgate.teach.book import figures, index, path, slides, walks
from tollgate.teach.book.lesson import sentence
from tollgate.teach.book.walk import Walk, paragraphs, plain, read
from tollgate.teach.book.words import Namer
from tollgate.teach.lessons import find

pytestmark = pytest.mark.patient
ROW = "user/int/standard"
FRAME = (
    "SS RSP RFLAGS CS RIP number RDI RSI RDX RCX RAX R8 R9 R10 R11 RBX RBP R12 R13 R14 R15"
).split()
"""struct frame from the top of the stack down."""


class Page(HTMLParser):
    """The parts of a page that the tests check."""

    VOID = ("meta", "link", "input", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.hidden, self.seen = "", ""
        """Text inside of folded parts, and outside."""
        self.ids: list[str] = []
        self.links: list[str] = []
        self.nameless: list[str] = []
        """Drawings and boxes without a description for those who cannot see them."""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        self.ids += [known["id"] or ""] if "id" in known else []
        self.links += [link for name in ("href", "src") if (link := known.get(name))]
        named = known.get("aria-label") or known.get("aria-hidden")
        if (tag == "svg" or known.get("role")) and not named:
            self.nameless.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" in self.open:
            return
        if "details" in self.open and "summary" not in self.open:
            self.hidden += data
        else:
            self.seen += data


@pytest.fixture(scope="session")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """The lesson `int`, recorded on a machine now."""
    record = tmp_path_factory.mktemp("walk") / "int.jsonl"
    (found,) = walks.with_lines(walks.give("amd64", ["int"], record))
    return found


def test_every_instruction_from_mp1_to_mp8_is_there(walk: Walk) -> None:
    """A walk has as many instructions as the bench counts. Each one begins where the last led."""
    (steps,) = walk.paths
    budget = load("toll", "amd64")[ROW]
    assert isinstance(budget, list)
    assert len(steps) == budget[0]
    assert (steps[0].before.points, steps[-1].after.points) == (("MP1",), ("MP8",))
    assert [one.before.cpl for one in steps] == [3] + [0] * (len(steps) - 1)
    assert steps[-1].after.cpl == 3
    for one, following in pairwise(steps):
        assert one.after.registers["ip"] == following.before.registers["ip"]
    for one in steps:
        source = one.before.source
        assert source, one.before.symbol
        assert source.text[source.line - source.first].strip()


def test_every_word_of_the_stack_has_its_name(walk: Walk) -> None:
    """INT's five words, the frame below, the return address; each has its name until popped."""
    namer = Namer(walk, index.macros_of(walk))
    deepest: list[str] = []
    for one in walk.paths[0]:
        namer.step(one)
        names = [word.name for word in namer.words(one.after)]
        if one.after.cpl == 0:
            assert len(names) == len(one.after.stack.words)
            deepest = max(deepest, names[::-1], key=len)
    assert deepest == [*FRAME, "return address"]
    values = {word.name: word.value for word in namer.words(walk.paths[0][0].after)}
    before = walk.paths[0][0].before.registers
    assert (values["CS"], values["RSP"]) == (before["cs"], before["sp"])


def test_a_page_hides_its_answers_and_loses_nothing(walk: Walk, tmp_path: Path) -> None:
    """Stories and questions are visible, answers and machine states folded; nothing is missing."""
    first = index.write(tmp_path, [walk])
    text = (tmp_path / "int-amd64.html").read_text(encoding="utf-8")
    made = Page(text)
    seen, hidden = (" ".join(part.split()) for part in (made.seen, made.hidden))
    for step in walk.steps:
        for told in (step.title, step.manual, *paragraphs(step.story)):
            assert told.replace("`", "") in seen
        because = " ".join(step.because.split()).replace("`", "")
        assert f"{step.said} {because}" in hidden
        assert because not in seen
        assert all(claim.replace("`", "") in hidden for claim, _ in step.claims)
    assert walk.steps[3].said == "2"  # how many of three flags
    assert sentence(" ".join(walk.change.split())).replace("`", "") in seen
    assert made.open == [] and made.nameless == []
    assert len(set(made.ids)) == len(made.ids)
    there = {file.name for file in tmp_path.iterdir()} | {f"#{name}" for name in made.ids}
    assert {*made.links} - {"int-i386.html"} <= there
    assert Page(first.read_text(encoding="utf-8")).open == []


def test_the_slider_has_every_stop(walk: Walk) -> None:
    """The slider reproduces every state of the machine from differences."""
    track = path.track(walk, Namer(walk, index.macros_of(walk)))
    data = json.loads(path.data(track, {}))
    registers: dict[str, str] = {}
    shown: dict[str, list[str]] = {}
    assert len(data["stops"]) == len(walk.paths[0]) + 1
    for stop, made in zip(data["stops"], track.stops, strict=True):
        registers |= dict(stop["d"])
        shown = {at: word for at, word in shown.items() if at not in stop["r"]}
        shown |= {at: word for at, *word in stop["w"]}
        state = made.state
        assert {n: f"{state.registers[n]:#x}" for n in registers} == registers
        if state.cpl == 0:
            values = [f"{value:#x}" for value in state.stack.words]
            assert [shown[at][1] for at in sorted(shown)] == values


def test_what_is_drawn_is_what_the_machine_has(walk: Walk) -> None:
    """A gate's fields lead to its entry; the task state's sp0 is the stack that INT used."""
    drawn = {look.word: look.figures for step in walk.steps for look in step.looks}
    fields = {name: value for name, _, _, value in drawn["idt 0x80"][0]["fields"]}
    offset = fields["offset 63:32"] << 32 | fields["offset 31:16"] << 16 | fields["offset 15:0"]
    inside = walk.paths[0][0].after
    assert (offset, fields["DPL"]) == (inside.registers["ip"], 3)
    assert fields["selector"] == inside.registers["cs"]
    sp0 = next(value for _, name, value, _ in drawn["tss"][0]["slots"] if name == "sp0")
    assert sp0 == inside.registers["sp"] + len(inside.stack.words) * inside.stack.word
    frame = drawn["entry-frame"][0]["slots"]
    assert [name for _, name, _ in frame] == ["ip", "cs", "flags", "sp", "ss"]
    for each in (figure for found in drawn.values() for figure in found):
        made = Page(figures.draw(each))
        assert made.open == [] and made.nameless == []


def test_a_page_walk_is_drawn_to_its_end() -> None:
    """The drawing ends with the last entry: at a page, or at the missing one."""
    present = [["P", True], ["W", True], ["U", False], ["NX", False]]
    entries = [["PML4E", 0x1FF, 0x1000, 0x2003, present], ["PDPTE", 3, 0x2000, 0, []]]
    entries[1][4] = [[name, False] for name, _ in present]
    walked = {"kind": "walk", "address": 0xFFFFFF80C0000123, "symbol": "x", "levels": 4}
    walked |= {"width": 9, "entries": entries, "said": "not mapped: #PF"}
    drawn = figures.draw(walked)
    for text in ("47:39", "38:30", "29:0, unused", "table 0x2000, PDPTE 0x3", "not mapped: #PF"):
        assert f">{text}</text>" in drawn
    assert "20:12" not in drawn


def test_the_slides_have_each_step_and_fold_its_answer(walk: Walk) -> None:
    text = Page(slides.page([walk]))
    for number, step in enumerate(walk.steps, 1):
        assert f"int-amd64-{number}" in text.ids
        assert step.title in text.seen and plain(step.because) not in text.seen
        assert paragraphs(step.story)[-1].replace("`", "") in " ".join(text.seen.split())
    assert "The answer" in text.seen and not text.nameless


def test_a_lesson_that_is_only_tested_is_not_written_down(tmp_path: Path) -> None:
    """Recording takes several times as long as the walk."""
    machine = Session(find("int").boot(), tmp_path)
    record = tmp_path / "int.jsonl"
    assert not any("$record" in word for word in machine.lessons(["int"], True, None))
    assert f'set $record = "{record}"' in machine.lessons(["int"], True, None, record)


def test_gdb_waits_for_a_machine_that_is_slow(tmp_path: Path) -> None:
    """A packet that gdb repeats is ^C for QEMU, and the machine stops wherever it is."""
    command = Session(find("int").boot(), tmp_path).lessons(["int"], True, None)
    at = command.index("set remotetimeout 60")
    assert at < next(n for n, word in enumerate(command) if word.startswith("target remote"))


def test_a_record_that_is_none_is_refused_by_its_line() -> None:
    lines = ['{"type":"lesson","name":"int","arch":"amd64","fields":{}}', '{"type":"step"}']
    with pytest.raises(TollgateError, match=r"^lost\.jsonl:2 is no record of a lesson: "):
        read(lines, "lost.jsonl")


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years")
    with pytest.raises(TollgateError, match="holds something that is not the book"):
        index.make(str(tmp_path), ["int"], print)
    assert (tmp_path / "thesis.txt").read_text() == "years"


def test_a_lesson_that_is_not_there_makes_no_book(tmp_path: Path) -> None:
    with pytest.raises(TollgateError, match="There is no lesson 'nonsense'"):
        index.make(str(tmp_path / "book"), ["nonsense"], print)
    assert not (tmp_path / "book").exists()
