"""The last lines of a bench."""

from collections.abc import Callable

from tollgate.records.format import MachineRun
from tollgate.show.summary import lines

from ..records.sample import as_run, make_plain, make_run_record

MakeRun = Callable[..., MachineRun]


def test_a_machine_answers_in_a_line_for_each_origin(make_run: MakeRun) -> None:
    medians = {
        "user/int/standard": 46.0,
        "user/int/bare": 2.0,
        "user/syscall/standard": 52.0,
        "compat/int/standard": 51.0,
        "trusted/call/standard": 28.0,
    }
    assert lines(make_run(medians)) == [
        "amd64 EPYC (qemu-icount): a system call from ring 3: int 46, syscall 52 instructions",
        "    a system call from 32-bit code: int 51 instructions",
        "    a system call from ring 0: call 28 instructions",
    ]


def test_a_machine_without_toll_rows_says_what_it_has() -> None:
    rows = [make_plain("switch", f"user/ipc/{name}", 9.0) for name in ("pipe", "hand")]
    assert lines(as_run(make_run_record(), *rows)) == ["amd64 EPYC (qemu-icount): 2 rows of switch"]
    assert lines(as_run(make_run_record())) == []
