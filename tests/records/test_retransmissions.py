"""Several transmissions of a boot's records over a noisy line: the best one is kept."""

import pytest

from tollgate.records.capture import Line
from tollgate.records.format import MachineRun, compact, encode

from ..show.machines import machine
from .sample import make_run

BANNER = b"Tollgate 0.1.0, amd64.\r\n"
LAST = b"tollgate: passed\r\n"


def boot() -> MachineRun:
    """A machine with a menu after its run."""
    return machine("amd64", "a processor", platform="hardware", cmdline="suite=toll")


def sent(run: MachineRun) -> bytes:
    """The bytes that the menu's `x` sends."""
    return b"".join(encode(data) for data in run.lines()).replace(b"\n", b"\r\n") + LAST


def taken(*sendings: bytes) -> Line:
    """The state of capture after these transmissions."""
    line = Line()
    for one in sendings:
        line.feed(one)
    line.close()
    return line


def texts(run: MachineRun) -> list[bytes]:
    return [compact(data) for data in run.lines()]


def hit(data: bytes, word: bytes, to: bytes = b"") -> bytes:
    assert data.count(word) == 1
    return data.replace(word, to or bytes([word[0] ^ 1]) + word[1:])


@pytest.mark.parametrize(
    "word", [b'@{"v":1,"type":"run"', b'"type":"end"', b"\r\ntollgate: passed"]
)
def test_first_and_last_may_be_hit(word: bytes) -> None:
    run = boot()
    data = sent(run)
    line = taken(BANNER + hit(data, word), data)
    assert line.over
    (got,) = line.runs
    assert texts(got) == texts(run)


def test_it_asks_for_another_sending_and_for_no_more_than_it_needs() -> None:
    data = sent(boot())
    line = Line()
    line.feed(BANNER + hit(data, b'"id":"user/int/bare"'))
    assert (line.asked, line.over) == (True, False)
    line.feed(data)
    assert line.over
    whole = taken(BANNER + data)
    assert (whole.asked, whole.over) == (False, True)
    stops = sent(machine("amd64", "a", platform="hardware", cmdline="then=stop"))
    stopped = taken(BANNER + hit(stops, b'"id":"user/int/bare"'))
    assert (stopped.asked, stopped.over) == (False, True)


@pytest.mark.parametrize("banner", [BANNER, b""])
def test_two_boots_are_never_mixed(banner: bytes) -> None:
    """They are kept apart even if the second one's first words are lost."""
    medians = {"user/int/standard": 40.0, "user/int/bare": 2.0}
    label = {"platform": "hardware", "unit": "cycles", "cmdline": ""}
    first = make_run(medians, **label)
    second = make_run({**medians, "user/int/standard": 41.0}, **label)
    line = taken(BANNER + hit(sent(first), b'"id":"user/int/bare"'), banner + sent(second))
    hurt, whole = line.runs
    assert texts(whole) == texts(second)
    assert len(hurt.records) == len(first.records) - 1
