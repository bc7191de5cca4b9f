"""`tollgate contribute`: an archive of what is a machine's, and of nothing else."""

from __future__ import annotations

import builtins
import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from tollgate.cli import main
from tollgate.contribute import QUESTIONS, contribute
from tollgate.contribution import found
from tollgate.errors import TollgateError
from tollgate.records import compact, encode, load, save

from .pictures import drawn
from .test_contribution import measured

NAME = "intel-core-i7-8550u-"
ANSWERS = {"Machine": "Acme Book 3", "Memory": "8 GiB | DDR4", "Turbo": "off"}


def person(answers: dict[str, str], heard: list[str]) -> Callable[[str], str]:
    """A person who answers these questions, and presses Return at all others."""

    def ask(prompt: str) -> str:
        heard.append(prompt)
        return answers.get(prompt.partition(" (")[0], "")

    return ask


def quiet() -> Console:
    return Console(file=io.StringIO(), width=200)


def test_a_capture_becomes_an_archive(tmp_path: Path) -> None:
    save([measured()], tmp_path / "results.jsonl")
    (tmp_path / "serial.log").write_bytes(b"as it came")
    heard: list[str] = []
    archive = contribute([tmp_path], str(tmp_path / "out"), person(ANSWERS, heard), quiet())
    assert archive.name.startswith(NAME)
    assert len(heard) == len(QUESTIONS)
    assert any("[Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz, family 6" in line for line in heard)
    with tarfile.open(archive) as tar:
        names = {Path(name).name for name in tar.getnames()}
        tar.extractall(tmp_path / "unpacked", filter="data")
    assert names == {"machine.md", "results.jsonl", "serial.log"}
    (folder,) = (tmp_path / "unpacked").iterdir()
    (run,) = load(folder).runs
    assert found(run) == []
    about = (folder / "machine.md").read_text()
    assert "| Machine | Acme Book 3 |" in about
    assert "| Memory | 8 GiB / DDR4 |" in about
    assert "| Firmware | BIOS |" in about
    assert "| Hyper-threading | not said |" in about
    with pytest.raises(TollgateError, match="is there already"):
        contribute([tmp_path], str(tmp_path / "out"), person(ANSWERS, heard), quiet())


def test_two_damaged_sendings_of_a_log_are_one_boot(tmp_path: Path) -> None:
    data = b"".join(encode(record) for record in measured().lines()) + b"tollgate: passed\n"
    hurt = data.replace(b'"id":"user/int3/standard"', b'"id":"user/ixt3/standard"')
    worse = data.replace(b'"id":"user/int4/standard"', b'"id":"user/ixt4/standard"')
    log = tmp_path / "machine.txt"
    log.write_bytes(b"Tollgate 0.0.9, amd64.\n" + hurt + worse)
    archive = contribute([log], str(tmp_path / "out"), person(ANSWERS, []), quiet())
    assert archive.exists()


def test_photos_become_an_archive(tmp_path: Path) -> None:
    texts = [compact(record) for record in measured().lines()]
    paths = []
    for number, image in enumerate(drawn(texts, (240, 256))):
        paths.append(tmp_path / f"{number}.png")
        image.save(paths[-1])
    archive = contribute(paths, str(tmp_path / "out"), person(ANSWERS, []), quiet())
    assert archive.name.startswith(NAME)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"hypervisor": "KVMKVMKVM"}, "It is not whole and honest"),
        ({"unit": "instructions"}, "It is not whole and honest"),
    ],
)
def test_what_is_no_machines_is_refused_before_a_question(
    changed: dict[str, str], sentence: str, tmp_path: Path
) -> None:
    save([measured(**changed)], tmp_path / "results.jsonl")
    heard: list[str] = []
    with pytest.raises(TollgateError, match=sentence):
        contribute([tmp_path], str(tmp_path / "out"), person(ANSWERS, heard), quiet())
    assert not heard
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("unit", ["host ticks"])
def test_what_counts_no_cycles_is_refused(tmp_path: Path, unit: str) -> None:
    amd = {"vendor": "AuthenticAMD", "brand": "AMD EPYC Processor", "family": 23}
    tcg = {"platform": "qemu-tcg", "hypervisor": "TCGTCGTCGTCG", "emulator": "qemu-7.2"}
    run = measured(unit=unit, cpu=amd, **tcg)
    save([run], tmp_path / "results.jsonl")
    with pytest.raises(TollgateError, match="in host ticks: only a processor's cycles"):
        contribute([tmp_path], str(tmp_path / "out"), person(ANSWERS, []), quiet())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere"], "nowhere does not exist."),
        ([".", "."], "contribute takes one folder, one file, or photos"),
        (["."], "has no results.jsonl: name the folder of a capture or a scan."),
    ],
)
def test_what_is_no_source(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = [str(tmp_path / word) for word in words]
    assert main(["contribute", *sources]) == 2
    assert told in capsys.readouterr().err


def test_no_answer_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save([measured()], tmp_path / "results.jsonl")

    def closed(prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr(builtins, "input", closed)
    assert main(["contribute", str(tmp_path), f"--out={tmp_path / 'out'}"]) == 2
    assert "The questions are not answered" in capsys.readouterr().err
