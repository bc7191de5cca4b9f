"""Rubini's ladder and Table One (tollgate.show.report.rubini): differences, residues, lines."""

import pytest

from tollgate.show.report import rubini

ARTICLE = {
    "user/read/null": 474.0,
    "trusted/int80/null": 424.0,
    "kernel/sys_read/null": 216.0,
    "kernel/file_read/null": 175.0,
    "kernel/cached/null": 173.0,
}
"""The article's own figures for one kind of file."""


def test_the_articles_differences_are_found() -> None:
    assert rubini.steps(ARTICLE, "null") == [50, 208, 41]
    assert rubini.residue(ARTICLE, "null") == 0


def test_a_rung_that_is_not_there_leaves_no_difference() -> None:
    ring_3 = {"user/read/null": 80.0, "kernel/file_read/null": 6.0}
    assert rubini.steps(ring_3, "null") == [None, None, None]
    assert rubini.residue(ring_3, "null") is None
    assert rubini.steps({}, "null") == [None, None, None]


def test_what_another_kind_costs_beyond_its_own_function_is_the_residue() -> None:
    figures = {**ARTICLE, "user/read/pty": 500.0, "kernel/file_read/pty": 190.0}
    assert rubini.residue(figures, "pty") == 500 - 190 - (50 + 208 + 41)
    assert rubini.residue(figures, "socket") is None


def test_kinds_come_once_in_the_order_of_the_records() -> None:
    rows = ["user/read/zero", "user/read-int/zero", "user/read/null", "kernel/sys_read/hda"]
    assert rubini.kinds(dict.fromkeys(rows, 1.0)) == ["zero", "null"]


def sized(way: str, empty: float, slope: float, start: float = 0) -> dict[str, float]:
    sizes = (0, 1, 64, 256, 1024, 4096)
    return {f"{way}-{n}": empty if n == 0 else empty + start + slope * n for n in sizes}


def test_a_line_is_fitted_from_64_bytes_on() -> None:
    found = rubini.lines({**sized("user/read/zero", 80, 0.125, 30), "user/read/zero-4": 999.0})
    line = found["user/read/zero"]
    assert line.empty == 80
    assert line.slope == pytest.approx(0.125)
    assert line.residual == pytest.approx(0, abs=1e-9)


def test_how_far_the_points_lie_off_the_line_is_told() -> None:
    figures = sized("user/copy/movs", 0, 1)
    figures["user/copy/movs-1024"] += 8
    assert 4 < rubini.lines(figures)["user/copy/movs"].residual < 8


def test_one_size_makes_no_line() -> None:
    assert rubini.lines({"user/copy/fs-0": 1.0, "user/copy/fs-64": 9.0}) == {}


def test_a_saved_crossing_is_worth_so_many_bytes() -> None:
    figures = {**sized("user/read/zero", 80, 0.5), **sized("kernel/sys_read/zero", 30, 0.5)}
    found = rubini.lines(figures)
    assert rubini.break_even(found, rubini.SYS_READ, "zero") == pytest.approx(100)
    assert rubini.break_even(found, rubini.FILE_READ, "zero") is None
    assert rubini.break_even(found, rubini.SYS_READ, "file") is None


def test_every_column_of_table_one_has_a_name_of_ours() -> None:
    assert len({ours for _, ours, _, _ in rubini.TABLE_ONE}) == len(rubini.TABLE_ONE) == 10
    assert all(int(user) > int(kernel) for _, _, user, kernel in rubini.TABLE_ONE)
