"""prose.py - checks the English of documents, lessons, messages and comments; part of `make lint`.

It finds patterns that make a reader stop, long sentences, a long README, a first paragraph without
the document's audience, and own words that are not linked at their first use.
"""

import re
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
LONGEST = 45
"""Most words in a sentence of a document."""
README_WORDS, MEDIAN = 1600, 18
FILES, WORDS = 20, 28_000
"""The largest number of documents, and of words in all of them."""
OWN = (
    *("residue", "nowork", "toll", "origin", "posture", "gate page"),
    *("mutant", "hand-off", "flavour", "probe page"),
)
"""The project's own words, explained in docs/words.md."""
INDEX = ROOT / "README.md"
OPENED = [ROOT / n for n in ("CONTRIBUTING.md", "tools/gdb/README.md")]
OPENED += [ROOT / "results" / "contributed" / "README.md"]
"""Documents outside of docs/ that must also begin with their audience."""
UNLINKED = ("words.md", "results.md")
"""Documents of docs/ that need not link our words: the glossary, and figures."""

PATTERNS = {
    r'(?:^|[.;] |")Who(?:ever)? (?!is it|are you)[a-z]+ (?![^.]*\?)': (
        "'Who ...' as a subject: name it ('a program that ...')"
    ),
    r"(?:[;:] |\b(?:then|by|for|to|of) )who(?:ever)? (?!the|it|in|is it)[a-z]+s?\b"
    r"(?![^.]*(?:\?|, (?:and )?(?:what|whom|how|that)\b))": (
        "'who ...' for a noun: name it ('the sender', 'the caller')"
    ),
    r"\b[Ww]hat (?:lies|stands|comes) (?![^.]*\?)": "'what lies', 'what comes': use a noun",
    r"\bby halves\b": "binary search",
    r"\bgives? (?:\w+ ){1,3}to nobody\b": "a riddle: say what happens",
    r"\bis a sentence of\b": "make reports it",
    r"\b(?:it|they|all of it) comes? back\b(?! (?:from|to|by|with|behind)\b)": "is freed",
    r"\b(?:the|of) dear (?:ones?|kinds?|rows?)\b": "expensive",
    r"\b[Ww]hich \w+ (?:has|have|are|is) (?:its|their) [^?]*\?": "a question in German order",
    r"\b[Nn]othing that (?:has|asks|is not)\b|(?:^|[.] )Not what\b": "say what belongs here",
    r"\ba number that is none\b|\bas it comes\b|\bmay as well call\b": "a riddle: say what it is",
}
OF_DOCUMENTS = {r"\b\d[\d,.]* against \d": "two figures need two labels"}
"""Patterns that the words of a test or a table may contain."""


def tracked(*globs: str) -> list[Path]:
    """The project's files that match, tracked or new."""
    command = ["git", "ls-files", "-co", "--exclude-standard", *globs]
    out = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [ROOT / name for name in out.splitlines() if (ROOT / name).exists()]


def blank(match: re.Match[str]) -> str:
    """Blanks, with the same number of lines."""
    return "\n" * match[0].count("\n")


def plain(text: str) -> str:
    """A document without code and link targets, with the same lines."""
    text = re.sub(r"^```.*?^```$|<!--.*?-->", blank, text, flags=re.S | re.M)
    text = re.sub(r"^(?: {4}\S).*$", "", text, flags=re.M)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"`[^`\n]+`", "CODE", text)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a document's paragraphs and lists, each with its line."""
    line = 1
    for block in re.split(r"(\n\s*\n|\n(?=[*\-|#]|\d+\. ))", plain(text)):
        if block.strip() and not block.lstrip().startswith(("|", "#")):
            for sentence in re.split(r"(?<=[.!?])[*)\"']*\s+(?=[\"'(]*[A-Z\d*])", block.strip()):
                yield (
                    line + block[: block.find(sentence[:20])].count("\n"),
                    " ".join(sentence.split()),
                )
        line += block.count("\n")


def found(text: str, patterns: Mapping[str, str] = PATTERNS) -> Iterator[tuple[int, str]]:
    """Matches of patterns in a text, each with its line."""
    for number, line in enumerate(text.splitlines(), start=1):
        for pattern, said in patterns.items():
            if match := re.search(pattern, line):
                yield number, f"{match[0].strip()!r}: {said}"


def in_docs(path: Path) -> bool:
    """Whether it is in the folder of documents."""
    return path.parent.name == "docs" and path.parent != ROOT


def of_document(path: Path) -> Iterator[tuple[int, str]]:
    """Faults of one document."""
    text = path.read_text(encoding="utf-8")
    yield from found(plain(text), PATTERNS | OF_DOCUMENTS)
    for line, sentence in sentences(text):
        if (length := len(sentence.split())) > LONGEST:
            yield line, f"{length} words, more than {LONGEST}: {sentence[:60]} ..."
    if in_docs(path) and path.name not in UNLINKED:
        for word in OWN:
            first = re.search(
                rf"(?<![\w/`-])(\[`?)?{word}s?\b(?!/)(`?\]\((?:words\.md)\))?", code_out(text)
            )
            if first and not first[1]:
                yield text.count("\n", 0, first.start()) + 1, f"{word}: link it to words.md"
    if path in OPENED or in_docs(path):
        opening = text.partition("\n\n")[2].partition("\n\n")[0]
        if not re.match(r"For |This page ", opening):
            yield 3, "the first paragraph says whom it is for ('For those who ...')"
    median = statistics.median([len(said.split()) for _, said in sentences(text)] or [0])
    if median > MEDIAN:
        yield 1, f"sentences of {median:g} words in the median, more than {MEDIAN}"


def of_index(path: Path, documents: list[Path]) -> Iterator[tuple[int, str]]:
    """The documents that are missing in the index; an exercise is represented by its folder."""
    linked = re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8"))
    named = {(path.parent / link).resolve() for link in linked}
    for each in documents:
        if each.resolve() != path.resolve() and not named & {each, each.parent.parent}:
            yield 1, f"{each.relative_to(path.parent)} is not in the index"


def code_out(text: str) -> str:
    """A document with code, headings and tables blanked: a word's first use is in a sentence."""
    text = re.sub(r"^```.*?^```$", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S | re.M)
    text = re.sub(r"^(?:\||#|    ).*$", lambda m: " " * len(m[0]), text, flags=re.M)
    return re.sub(r"(?<!\[)`[^`\n]+`|\]\((?!words\.md)[^)]*\)", lambda m: " " * len(m[0]), text)


def of_readme(path: Path) -> Iterator[tuple[int, str]]:
    """Whether the README is short enough."""
    text = path.read_text(encoding="utf-8")
    if (words := len(text.split())) > README_WORDS:
        yield 1, f"{words} words, more than {README_WORDS}"


def of_all(documents: list[Path]) -> Iterator[tuple[int, str]]:
    """Whether the documents are few and short enough to read: docs/ and those at the top."""
    read = [path for path in documents if path.parent in (ROOT, ROOT / "docs")]
    words = sum(len(path.read_text(encoding="utf-8").split()) for path in read)
    if len(read) > FILES or words > WORDS:
        yield 1, f"{words} words in {len(read)} documents, more than {WORDS} in {FILES}"


CURLY = (".c", ".h", ".def", ".asm", ".inc", ".S", ".ld")
"""Sources with comments in /* */ or after a semicolon."""
READ = (
    *(*CURLY, ".py", ".js", ".awk", ".sh", ".mk", ".css", ".html"),
    *(".cfg", ".map", ".toml", ".rc", ".cff", "Makefile", "Containerfile", "packages"),
)
"""Sources that are checked, by the ends of their names."""


def sources() -> list[Path]:
    """All sources, except those that contain the patterns."""
    return [path for path in tracked("*") if path.name.endswith(READ) and path.name != "prose.py"]


def comments(path: Path) -> str:
    """The comments and strings of C and assembly, other sources in full; with the same lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix not in CURLY:
        return text
    kept = re.finditer(r"/\*.*?\*/|;[^\n]*|\"[^\"\n]*\"", text, re.S)
    lines = [""] * (text.count("\n") + 2)
    for match in kept:
        first = text.count("\n", 0, match.start())
        for offset, line in enumerate(match[0].splitlines()):
            lines[first + offset] += line.strip('/*; \t"') + " "
    return "\n".join(lines)


def main() -> int:
    """Print all faults; return 1 if there are any."""
    documents = tracked("*.md")
    wrong = [(path, *each) for path in documents for each in of_document(path)]
    wrong += [(ROOT / "README.md", *each) for each in of_readme(ROOT / "README.md")]
    wrong += [(INDEX, *each) for each in (*of_index(INDEX, documents), *of_all(documents))]
    wrong += [(path, *each) for path in sources() for each in found(comments(path))]
    for path, line, said in wrong:
        print(f"{path.relative_to(ROOT)}:{line}: {said}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
