"""Lessons: steps with a story and a prediction, and claims about the machine.

For a person it shows each step, takes the prediction, does the step and compares; after a wrong
number there is a second try. Headless (`set $headless = 1`) it prints TAP, and can be recorded for
the book. The claims are always checked.
"""

from __future__ import annotations

import contextlib
import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from record import Recorder
from screen import MARGIN, WIDTH, LeaveError, Screen, paragraphs
from vocabulary import context, machine, where

import gdb

STEPS_MAX = 500
AGAIN = 75
"""gdb's exit status to request a new machine at a step; 0 and 1 are verdicts."""
PROMPT = "  [{} | Enter: do it | hint | gdb | ? | quit] "
SECOND = "  [a second try | hint | Enter: what it is | quit] "
VERDICT = "  [Enter: the answer] "
COUNTED = re.compile(r"how (many|much|far)\b|counted from", re.IGNORECASE)
"""Questions whose answers have decimal digits; the others have the machine's notation."""
HELP = """
  a number or a word     your prediction; `answer WORDS` if gdb has a command of that name
  Enter                  do the step
  hint                   what to look at
  any gdb command        look around: info registers, ring, idt 0x80, entry-frame
  context on             ring, changed registers and next instruction after each stop
  again                  back to this step, on a fresh machine
  on                     do this step, wherever the machine stands now, on a fresh one
  gdb                    leave the lesson, and stay in gdb with this machine
  quit, ^C, ^D           leave; the machine ends"""
NUMBER = "a number"
NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen"
).split()
SHOWN = ("cs", "ss", "sp", "ip", "flags")
INT_FRAME = ("ip", "cs", "flags", "sp", "ss")
"""The words pushed by an interrupt or trap gate, from the stack pointer up: in long mode always."""


class Left(BaseException):
    """The student has left the lesson; gdb exits with this status, or stays if it is None."""

    def __init__(self, status: int | None) -> None:
        super().__init__()
        self.status = status


def hexadecimal(value: object) -> str:
    """A number in hexadecimal, in the machine's notation; anything else unchanged."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:#x}" if isinstance(value, int) else str(value)


def number(text: str) -> int | None:
    """A typed number: 51, 0x33, 33h, three; a register or symbol, as $sp. None if it is none."""
    text = text.strip()
    if text.lower() in NUMBERS:
        return NUMBERS.index(text.lower())
    if re.fullmatch(r"[0-9][0-9a-fA-F]*[hH]", text):
        return int(text[:-1], 16)
    with contextlib.suppress(ValueError):
        return int(text, 0)
    if re.fullmatch(r"[$&][\w. +*-]+", text):
        with contextlib.suppress(gdb.error):
            return machine.evaluate(text)
    return None


def _difference(got: object, expected: object) -> str:
    if isinstance(got, Mapping) and isinstance(expected, Mapping):
        differing = [name for name in expected if got.get(name) != expected[name]]
        return "; ".join(
            f"{name} {hexadecimal(got.get(name))}, expected {hexadecimal(expected[name])}"
            for name in differing
        )
    return f"{hexadecimal(got)}, expected {hexadecimal(expected)}"


class Lesson:
    """One run of a lesson. `instructions` counts those of stepi() and step_to()."""

    def __init__(
        self,
        name: str,
        about: Mapping[str, Any],
        notes: Mapping[str, Any],
        recorder: Recorder | None = None,
    ) -> None:
        self.name = name
        self.about = about
        self.headless = machine.headless()
        self.instructions = 0
        self._recorder = recorder
        self.screen = Screen()
        self.right = int(notes.get("right", 0))
        self.second = int(notes.get("second", 0))
        self.wrong = int(notes.get("wrong", 0))
        self._resume_at = int(notes.get("step", 0))
        self._do_it = bool(notes.get("on", False))
        self._steps = self._claims = self._failed = 0
        self._question: tuple[str, tuple[str, ...]] | None = None
        self._predicted: str | None = None
        self._verdict: list[str] = []
        self._short = ""
        self._hint = ""
        self._before: dict[str, int] = {}
        self._moved = False
        self._held: list[list[str]] = []

    @property
    def claims(self) -> tuple[int, int]:
        """The number of claims that were made, and of those that failed."""
        return self._claims, self._failed

    @property
    def _silent(self) -> bool:
        """Whether it is on the way to a step that was requested again: then it prints nothing."""
        return not self.headless and self._steps < self._resume_at

    def step(
        self,
        title: str,
        manual: str,
        story: str,
        ask: str,
        choices: Sequence[str] = (),
        *,
        hint: str,
    ) -> None:
        """Begin a step: the manual's text, and a question: for a number, or one of `choices`.

        answer() gives the answer after the step. `hint` names a place to look at, or a fact.
        """
        self._no_question_left()
        ask = ask[:1].upper() + ask[1:]
        self._question = ask, tuple(choices)
        self._hint = " ".join(hint.split())
        self._predicted = None
        self._steps += 1
        self._record(
            "step",
            title=title,
            manual=manual,
            story=story,
            ask=ask,
            choices=list(choices),
            hint=self._hint,
        )
        if self._recorder:
            self._recorder.hint(ask, self._hint)
        if self.headless:
            print(f"# {self._steps}. {title}")
            return
        if self._silent:
            return
        whole = ["", f"{self._steps}. {title}", *textwrap.wrap(f"({manual})", WIDTH)]
        whole[2:] = [MARGIN + line for line in whole[2:]]
        whole += paragraphs(story)
        whole += paragraphs(f"Predict: {ask} ({self._wanted()})")
        self._after_verdict(whole)
        if self._steps == self._resume_at and self._do_it:
            self.screen.show("", "   (on)")
        else:
            self._wait()
        self._before = _processor()

    def answer(self, value: int | bool | str, because: str) -> None:
        """The answer to the question on this machine, and the reason."""
        assert self._question, "answer() belongs to a step()"
        ask, choices = self._question
        said = hexadecimal(value)
        if isinstance(value, int) and not choices:
            said = str(int(value)) if COUNTED.search(ask) else f"{value:#x}"
        if choices:
            assert said in choices, f"the answer {said!r} to {ask!r} is none of {choices}"
        self._record("answer", said=said, because=because)
        if self.headless:
            print(f"# {said}: {_one_line(because)}")
        elif not self._silent:
            self._verdict = paragraphs(self._judge(said, value, choices) + because)
            self._show_what_happened()
        self._question = None

    def _judge(self, said: str, value: int | bool | str, choices: tuple[str, ...]) -> str:
        """The verdict's first words. It is shown together with the next question."""
        typed = self._predicted
        if typed is None:
            self._short = f"it was {said}"
            return f"It is {said}: "
        if self._is_right(typed, said, value, choices):
            self.right += 1
            self._short = f"right, {said}"
            return f"Right, {said}: "
        again = None if len(choices) == 2 else self._second_try(typed, value, choices)
        if again is not None and self._is_right(again, said, value, choices):
            self.second += 1
            self._short = f"right at the second try, {said}"
            return f"Right at the second try, {said}: "
        self.wrong += 1
        self._short = f"you said {again or typed}; it was {said}"
        return f"You said {again or typed}; it is {said}: "

    @staticmethod
    def _is_right(typed: str, said: str, value: object, choices: tuple[str, ...]) -> bool:
        return typed == said if choices else number(typed) == value

    def _second_try(
        self, typed: str, value: int | bool | str, choices: tuple[str, ...]
    ) -> str | None:
        """Another prediction; the machine has done the step, but nothing of it is shown yet."""
        self.screen.show("", f"   {typed} is not it.")
        narrow = ""
        if isinstance(value, int) and (first := number(typed)) is not None:
            self.screen.show(f"   It is {'more' if value > first else 'less'}.")
            low = 1 << max(int(value).bit_length() - 1, 0)
            narrow = f"It is between {low if value else 0:#x} and {2 * low - 1:#x}."
        while True:
            line = self._ask(SECOND)
            if line in ("hint", "?", "help"):
                self.screen.show(*paragraphs(f"{self._hint} {narrow}"))
            elif line in ("q", "quit", "exit"):
                raise Left(0)
            elif not line:
                return None
            elif (taken := self._taken(line.removeprefix("answer ").strip())) is not None:
                return taken
            else:
                self.screen.show(f"  The answer is {self._wanted()}.")

    def _wanted(self) -> str:
        """The answers that a question accepts."""
        _, choices = self._question or ("", ())
        *some, last = choices or [NUMBER]
        return f"{', '.join(some)} or {last}" if some else last

    def _after_verdict(self, lines: list[str]) -> None:
        """Show the next text below the verdict on the previous step: on one screen if both fit,
        else with its first words."""
        verdict, self._verdict = self._verdict, []
        if not verdict or self.screen.fits(*verdict, *lines):
            self.screen.together([*verdict, *lines], VERDICT if verdict else "  [Enter: more] ")
            return
        self.screen.together(verdict, VERDICT)
        self.screen.pause()
        self.screen.show(*textwrap.wrap(f"(Step {self._steps - 1}: {self._short}.)", WIDTH))
        self.screen.show(*lines)

    def check(self, claim: str, got: object, expected: object) -> None:
        """A claim about the machine: it holds if `got` equals `expected`."""
        holds = got == expected
        self._claims += 1
        self._failed += not holds
        self._record("claim", claim=claim, holds=holds)
        value = f": {got:#x}" if isinstance(got, int) and not isinstance(got, bool) else ""
        if self.headless:
            print(f"{'ok' if holds else 'not ok'} {self._claims} - {claim}{value if holds else ''}")
        elif not self._silent:
            self._show([f"   {'holds ' if holds else 'NOT SO'}  {claim}{value}"])
        if not holds and self.headless:
            print(f"#  {_difference(got, expected)}")
        elif not holds and not self._silent:
            self._show([f"#  {_difference(got, expected)}"])

    def look(self, *words: str) -> None:
        """Show the output of vocabulary words, to a person and in the book."""
        for word in words if self._recorder else ():
            self._recorder.look(word)
        if not self.headless and not self._silent:
            for word in words:
                said = str(gdb.execute(word, to_string=True))
                self._show(["", f"   ({word})", *said.rstrip().split("\n")])

    def stepi(self, pushed: Sequence[str] = ()) -> None:
        """One instruction. `pushed` names the words that it leaves on the stack, from sp up."""
        if self._recorder:
            self._recorder.before_instruction()
        machine.stepi()
        self.instructions += 1
        self._record("instruction", pushed=list(pushed))
        if pushed and not self.headless and not self._silent:
            lines = ["", "   It has pushed, from the stack pointer up:"]
            base = machine.register("sp")
            for at, name in enumerate(pushed):
                slot = base + at * machine.word()
                lines += [f"     {slot:#x}  {name:9}  {machine.read(slot, machine.word()):#x}"]
            self._show(lines)

    def step_to(self, *mnemonics: str) -> None:
        """Step until the next instruction has one of these mnemonics, behind prefixes or not."""
        for _ in range(STEPS_MAX):
            if {*mnemonics} & {*machine.instruction().split()[:3]}:
                return
            self.stepi()
        raise gdb.error(f"no {' or '.join(mnemonics)} within {STEPS_MAX} instructions")

    def step_out(self, address: int) -> None:
        """Step until the next instruction is the one at this address."""
        for _ in range(STEPS_MAX):
            if machine.register("ip") == address:
                return
            self.stepi()
        raise gdb.error(f"not at {machine.symbol_at(address)} within {STEPS_MAX} instructions")

    def run_to(self, *names: str) -> str:
        """Run the machine to one of these symbols; return the one reached.

        Changes on the way are not shown, because they are not part of the step.
        """
        place = machine.run_to_symbol(*names)
        self._record("ran", to=place)
        if not self.headless and not self._silent:
            self._before = _processor()
        return place

    def backtrace(self, *functions: str) -> None:
        """Claim that gdb unwinds from here through these functions, innermost first."""
        names = where.backtrace()
        found = [name for name in names if name in functions]
        self.check(f"the backtrace goes through {', '.join(functions)}", found, list(functions))
        self.look("bt")

    def end(self, closing: str, change: str, row: str = "") -> None:
        """Show the closing words, a change that moves the number, and the bench's row, if any."""
        self._no_question_left()
        self._record("end", closing=closing, change=change, row=row, instructions=self.instructions)
        if self.headless:
            if row:
                print(f"# {row}: {self.instructions} instructions")
            return
        lines = []
        if row:
            count = self.instructions
            lines += paragraphs(
                f"You walked {count} instructions: what `make bench` says of {row}."
            )
        lines += paragraphs(closing)
        lines += paragraphs(f"Change this, and see the number move: {change}")
        if asked := self.right + self.second + self.wrong:
            more = f", {self.second} more at the second try" if self.second else ""
            lines += paragraphs(f"{self.right} of your {asked} predictions were right{more}.")
        self._after_verdict(lines)

    def _record(self, kind: str, **fields: Any) -> None:
        if self._recorder:
            self._recorder.write(kind, **fields)

    def _no_question_left(self) -> None:
        assert not self._question, f"no answer() to: {self._question and self._question[0]}"

    def _show_what_happened(self) -> None:
        after = _processor()
        changed = [
            f"{machine.register_name(name).upper()} {self._before[name]:#x} -> {after[name]:#x}"
            for name in after
            if name in self._before and self._before[name] != after[name]
        ]
        lines: list[str] = []
        if changed:
            was, now = self._before["cs"] & 3, after["cs"] & 3
            ring = f"CPL {was} -> {now}" if was != now else f"CPL stays {now}"
            lines = ["", "   The processor: " + ring]
            indent = MARGIN * 2
            wrapped = textwrap.wrap("; ".join(changed), WIDTH - len(indent))
            lines += [indent + line for line in wrapped]
            flags = where.flag_changes(self._before["flags"], after["flags"])
            if flags:
                lines.append(f"{indent}flags: {flags}")
        self.screen.together(lines)
        held, self._held = self._held, []
        for block in held:
            self.screen.together(block)
        self._before = after

    def _show(self, lines: list[str]) -> None:
        """The result of a step, shown when the student has no try left."""
        if self._question:
            self._held.append(lines)
        else:
            self.screen.together(lines)

    def _ask(self, prompt: str) -> str:
        try:
            return self.screen.ask(prompt)
        except LeaveError:
            raise Left(0) from None

    def _wait(self) -> None:
        """Wait until the student wants the step done; he may look around, but not move on."""
        self.screen.show("")
        self._moved = False
        wanted = self._wanted()
        prompt = PROMPT.format(wanted if len(wanted) < len(PROMPT) // 2 else "your answer")
        while True:
            line = self._ask(prompt)
            if line in ("", "on") and not self._moved:
                return
            if line == "":
                self._say_where()
            elif line in ("?", "help"):
                self.screen.show(*HELP.split("\n"))
            elif line == "hint":
                self.screen.show(*paragraphs(self._hint), "")
            elif line in ("q", "quit", "exit"):
                raise Left(0)
            elif line == "gdb":
                raise Left(None)
            elif line in ("again", "on"):
                self._restart(line == "on")
            elif self._is_prediction(line):
                if not self._moved:
                    return
                self._say_where()
            else:
                self._execute(line)

    def _taken(self, meant: str) -> str | None:
        """The answer in a typed line: a number, or one of the question's words."""
        assert self._question
        _, choices = self._question
        if not choices:
            return meant if number(meant) is not None else None
        short = {"y": "yes", "n": "no"}.get(meant.lower(), meant.lower())
        return next((choice for choice in choices if choice.lower() == short), None)

    def _is_prediction(self, line: str) -> bool:
        """Take a typed prediction; False if the line is for gdb."""
        word, _, rest = line.partition(" ")
        taken = self._taken(rest.strip() if word == "answer" else line)
        if taken is not None:
            self._predicted = taken
        elif word == "answer":
            self._say_form()
        return taken is not None

    def _say_form(self) -> None:
        like = ", such as 51, 0x33, twelve or $sp" if self._wanted() == NUMBER else ""
        self.screen.show(f"  The answer is {self._wanted()}{like}.")

    def _execute(self, line: str) -> None:
        if line.partition(" ")[0] == "answer":
            return
        with self._watched():
            try:
                self._show_said(str(gdb.execute(line, to_string=True)))
            except gdb.error as error:
                if str(error).startswith("Undefined command"):
                    self.screen.show(f"  gdb has no command {line.split()[0]}.")
                    self._say_form()
                else:
                    self.screen.show(f"  {error}")
            except KeyboardInterrupt:
                self.screen.show("  Stopped.")
        if self._moved:
            self._say_where()

    def _show_said(self, said: str) -> None:
        if said.strip():
            self.screen.show(*said.rstrip().split("\n"))

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Detect whether a student's command runs or changes the machine."""

        def moved(event: Any) -> None:
            self._moved = True

        events = gdb.events.cont, gdb.events.memory_changed, gdb.events.register_changed
        for each in events:
            each.connect(moved)
        try:
            yield
        finally:
            for each in events:
                each.disconnect(moved)

    def _say_where(self) -> None:
        try:
            here = f"stands at\n  {machine.symbol_at(machine.register('ip'))}"
        except gdb.error:
            here = "has ended"
        self.screen.show(
            f"  You have run or changed the machine: it {here},",
            f"  not where step {self._steps} begins. `again` brings a fresh machine back to this",
            "  step, `on` one on which it is done; `quit` leaves.",
        )

    def _restart(self, do_it: bool) -> None:
        notebook = gdb.convenience_variable("notebook")
        if notebook is None:
            self.screen.show(f"  Only `make lesson N={self.name}` can bring a fresh machine.")
            return
        notes = {"step": self._steps, "on": do_it, "right": self.right, "wrong": self.wrong}
        notes |= {"context": context.is_on(), "second": self.second}
        Path(notebook.string()).write_text(json.dumps(notes), encoding="ascii")
        raise Left(AGAIN)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _processor() -> dict[str, int]:
    return {name: machine.register(name) for name in SHOWN} | machine.general_registers()
