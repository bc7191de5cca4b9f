"""A report as seen by a browser."""

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

from tollgate.records.format import MachineRun
from tollgate.show.report import write_report


def report(tmp_path: Path, *runs: MachineRun) -> str:
    """The text of the report of `runs`."""
    path = tmp_path / "report.html"
    write_report(list(runs), path)
    return path.read_text(encoding="utf-8")


class Page(HTMLParser):
    """Elements and attributes of a page, and whether its tags are balanced."""

    VOID = ("meta", "link", "br", "img", "input", "wbr")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {name for name, _ in attrs}
        self.ids.update(value or "" for name, value in attrs if name == "id")
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def figures(html: str) -> list[str]:
    """The charts in a page."""
    return re.findall(r"<figure>.*?</figure>", html, re.DOTALL)


def chapters(html: str) -> list[str]:
    """The headings of a page's chapters, in order."""
    return re.findall(r"<summary><h2>([^<]*)</h2></summary>", html)


def bare(html: str) -> str:
    """A page without the addresses of its rows."""
    rows = re.sub(r'<tr id="[^"]*">', "<tr>", html)
    return re.sub(r'<a href="#[^"]*" class="row">(.*?)</a>', r"\1", rows)
