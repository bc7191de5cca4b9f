"""The recording of a headless lesson (tools/gdb/record.py), as typed values."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tollgate.errors import TollgateError

BROKEN = (ValueError, KeyError, TypeError, IndexError, AttributeError, AssertionError)
"""The errors for a line that no recorder wrote."""


@dataclass(frozen=True)
class Source:
    """The source of an instruction, with surrounding lines."""

    file: str
    line: int
    first: int
    text: tuple[str, ...]


@dataclass(frozen=True)
class Stack:
    """The current stack: its words from the stack pointer up, and gdb's knowledge of them."""

    name: str
    top: int
    """The address above its last word; 0 if unknown."""
    word: int
    words: tuple[int, ...]
    names: Mapping[int, str]
    """A symbol for a value that looks like an address."""
    saved: Mapping[int, tuple[str, str]]
    """Words where the unwinder finds a saved register: its name, and its owner."""
    frames: tuple[tuple[int, str], ...]
    """The end of each function's part."""
    frame: int
    """The address where a complete struct frame would begin; 0 on another stack."""
    signal: Mapping[int, str] = field(default_factory=dict)
    """Words of a signal frame, with their field names."""


@dataclass(frozen=True)
class State:
    """The stopped machine."""

    registers: Mapping[str, int]
    place: str
    symbol: str
    points: tuple[str, ...]
    next: str
    source: Source | None
    stack: Stack

    @property
    def cpl(self) -> int:
        """The current privilege level."""
        return self.registers["cs"] & 3


@dataclass(frozen=True)
class Instruction:
    """A stepped instruction: the machine before and after, and the names of the words it pushed."""

    before: State
    after: State
    pushed: tuple[str, ...]


@dataclass(frozen=True)
class Look:
    """The output of a vocabulary word, and its drawing (tools/gdb/figures.py)."""

    word: str
    lines: Sequence[str]
    figures: Sequence[Mapping[str, Any]]


@dataclass
class Step:
    """A step of a lesson: its text and question, and the machine's actions."""

    title: str
    manual: str
    story: str
    ask: str
    choices: tuple[str, ...]
    start: State
    hint: str = ""
    said: str = ""
    because: str = ""
    claims: list[tuple[str, bool]] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    hints: list[Look] = field(default_factory=list)
    """The output of the commands in the hint, before the step."""
    ran: list[str] = field(default_factory=list)
    hand: dict[str, int] = field(default_factory=dict)
    """Registers that the lesson wrote."""
    instructions: list[Instruction] = field(default_factory=list)
    end: State | None = None


@dataclass
class Walk:
    """A lesson, as recorded on one kernel."""

    name: str
    arch: str
    fields: Mapping[int, str]
    """The fields of struct frame, by their offset."""
    steps: list[Step] = field(default_factory=list)
    paths: list[list[Instruction]] = field(default_factory=list)
    """Consecutive instructions, without a run between them."""
    closing: str = ""
    change: str = ""
    row: str = ""


def plain(text: str) -> str:
    """Text of a lesson's file, on one line."""
    return " ".join(text.split())


def paragraphs(text: str) -> list[str]:
    """Text of a lesson's file, split into paragraphs."""
    return [plain(part) for part in re.split(r"\n\s*\n", text.strip())]


def _source(data: Mapping[str, Any]) -> Source | None:
    return Source(data["file"], data["line"], data["first"], tuple(data["text"])) if data else None


def _stack(data: Mapping[str, Any]) -> Stack:
    return Stack(
        name=data["name"],
        top=data["top"],
        word=data["word"],
        words=tuple(data["words"]),
        names={int(value): name for value, name in data["names"].items()},
        saved={int(at): (register, of) for at, (register, of) in data["saved"].items()},
        frames=tuple((int(end), of) for end, of in data["frames"]),
        frame=data["frame"],
        signal={int(at): name for at, name in data["signal"].items()},
    )


def _state(data: Mapping[str, Any]) -> State:
    return State(
        registers=data["registers"],
        place=data["place"],
        symbol=data["symbol"],
        points=tuple(data["points"]),
        next=data["next"],
        source=_source(data["source"]),
        stack=_stack(data["stack"]),
    )


class _Reader:
    """Assembles the events of a recording."""

    def __init__(self) -> None:
        self.walks: list[Walk] = []
        self._last: State | None = None
        self._goes_on = False
        """Whether the next instruction directly follows the last one."""

    @property
    def _walk(self) -> Walk:
        return self.walks[-1]

    @property
    def _step(self) -> Step | None:
        return self._walk.steps[-1] if self._walk.steps else None

    def take(self, event: Mapping[str, Any]) -> None:
        """One event."""
        kind = event["type"]
        state = _state(event["state"]) if "state" in event else None
        if kind == "lesson":
            fields = {int(offset): name for offset, name in event["fields"].items()}
            self.walks.append(Walk(event["name"], event["arch"], fields))
            self._goes_on = False
        elif kind == "step":
            assert state is not None
            told = (plain(event["title"]), plain(event["manual"]), event["story"], event["ask"])
            self._walk.steps.append(
                Step(*told, tuple(event["choices"]), state, event.get("hint", ""))
            )
        elif kind == "end":
            self._walk.closing, self._walk.change = event["closing"], event["change"]
            self._walk.row = event["row"]
        elif self._step is not None:
            self._of_step(self._step, kind, event, state)
        if self._step is not None and state is not None:
            self._step.end = state
        self._last = state or self._last

    def _of_step(
        self, step: Step, kind: str, event: Mapping[str, Any], state: State | None
    ) -> None:
        if kind == "answer":
            step.said, step.because = event["said"], event["because"]
        elif kind == "claim":
            step.claims.append((plain(event["claim"]), event["holds"]))
        elif kind in ("look", "hint"):
            looks = step.looks if kind == "look" else step.hints
            looks.append(Look(event["word"], event["lines"], event["figures"]))
        elif kind == "hand":
            step.hand |= event["registers"]
        elif kind == "ran":
            assert state is not None
            self._goes_on = False
            if not step.instructions:
                step.start = state
            step.ran.append(event["to"] or state.symbol)
        elif kind == "instruction":
            assert state is not None
            assert self._last is not None
            registers = {**self._last.registers, **step.hand}
            before = State(**{**vars(self._last), "registers": registers})
            one = Instruction(before, state, tuple(event["pushed"]))
            step.instructions.append(one)
            if not self._goes_on:
                self._walk.paths.append([])
            self._walk.paths[-1].append(one)
            self._goes_on = True


def read(lines: Iterable[str], name: str) -> list[Walk]:
    """The walks in the lines of a recording called `name`; TollgateError if it is not one."""
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        try:
            reader.take(json.loads(line))
        except BROKEN as error:
            raise TollgateError(f"{name}:{number} is no record of a lesson: {error}.") from None
    return reader.walks
