"""The lint of prose (tools/prose.py) finds what it is for, and lets plain sentences pass."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tollgate.machines.boot import ROOT

SPEC = importlib.util.spec_from_file_location("prose", ROOT / "tools" / "prose.py")
assert SPEC and SPEC.loader
prose = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(prose)

STUMBLES = (
    "Who asks for no byte waits for one.",
    "The wait ends; who has something waits no more.",
    "A signal is sent, then who sends more waits.",
    "It is closed by who opened it.",
    "A record is what lies between the marks.",
    "What stands above it is a title.",
    "A table that is searched by halves.",
    "`make book` gives every lesson to nobody.",
    "A piece that is forgotten is a sentence of `make`.",
    "Each page is counted, and it comes back.",
    "Of the dear kinds there are few.",
    "Which DPL has its gate?",
    "Nothing that has a room below.",
    "Linux takes 345 as it comes.",
    "It takes 102 against 36.",
)
PLAIN = (
    "A read of no bytes still waits for data.",
    "Who is trusted? The path decides.",
    "The lesson asks who saves what, and what it costs.",
    "What is left is the residue.",
    "Answers come back from both kernels.",
    "What is the gate's DPL?",
)


@pytest.mark.parametrize("sentence", PLAIN)
def test_a_plain_sentence_passes(sentence: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{sentence}\n")
    assert list(prose.of_document(page)) == []


def test_each_pattern_has_a_sentence_that_shows_it() -> None:
    patterns = prose.PATTERNS | prose.OF_DOCUMENTS
    for pattern, said in patterns.items():
        assert any(list(prose.found(prose.plain(s), {pattern: said})) for s in STUMBLES), pattern


def test_a_long_sentence_and_a_long_readme_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\nA {'very ' * prose.LONGEST}long sentence.\n")
    said = [said.split(":")[0] for _, said in prose.of_document(page)]
    assert said == ["48 words, more than 45", "sentences of 48 words in the median, more than 18"]
    page.write_text("# A page\n\n" + "Word word word word. " * 401)
    assert [said for _, said in prose.of_readme(page)] == ["1607 words, more than 1600"]


def test_more_words_than_a_person_reads_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    pages = [tmp_path / name for name in ("a.md", "docs/b.md", "exercises/leak/c.md")]
    for page in pages:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("word " * (prose.WORDS // 2))
    assert list(prose.of_all(pages)) == []
    pages[1].write_text("word " * (prose.WORDS // 2 + 1))
    said = [said for _, said in prose.of_all(pages)]
    assert said == ["28001 words in 2 documents, more than 28000 in 20"]


def test_a_document_that_the_index_does_not_name_is_found(tmp_path: Path) -> None:
    """An exercise is named by the folder of all of them."""
    docs, texts = tmp_path / "docs", tmp_path / "exercises" / "leak"
    for folder in (docs, texts):
        folder.mkdir(parents=True)
    index, page, text = tmp_path / "README.md", docs / "page.md", texts / "README.md"
    index.write_text("[a](docs/page.md#there) [b](exercises)")
    assert list(prose.of_index(index, [index, page, text])) == []
    index.write_text("[b](exercise)")
    assert [said for _, said in prose.of_index(index, [index, page, text])] == [
        "docs/page.md is not in the index",
        "exercises/leak/README.md is not in the index",
    ]


def test_documents_outside_of_docs_say_whom_they_are_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("CONTRIBUTING.md", "results/contributed/README.md", "tools/gdb/README.md")
    assert {ROOT / name for name in names} <= set(prose.OPENED)
    page = tmp_path / "page.md"
    page.write_text("# A page\n\nA rule.\n")
    assert list(prose.of_document(page)) == []
    monkeypatch.setattr(prose, "OPENED", [page])
    assert [line for line, _ in prose.of_document(page)] == [3]


def test_a_document_says_whom_it_is_for_and_links_our_own_words(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text("# A page\n\nThe toll is small.\n")
    assert [said.split(":")[0] for _, said in prose.of_document(page)] == [
        "toll",
        "the first paragraph says whom it is for ('For those who ...')",
    ]
    page.write_text(
        "# A page\n\nFor those who ask. The [toll](words.md) is small. A toll is a cost.\n"
    )
    assert list(prose.of_document(page)) == []


def test_comments_and_strings_are_read(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text('int who; /* Who waits sleeps. */\nsay("Whoever waits sleeps, ");\n')
    assert [line for line, _ in prose.found(prose.comments(source))] == [1, 2]
