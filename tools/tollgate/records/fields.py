"""The shape of records: the fields of each type, and a JSON reader for untrusted input."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

VERSION = 1

Kind = type | tuple[type, ...]
NUMBER: Kind = (int, float)

FIELDS: Mapping[str, Mapping[str, Kind]] = {
    "run": {
        "arch": str,
        "platform": str,
        "cpu_model": str,
        "unit": str,
        "deterministic": bool,
        "firmware": str,
        "cpu": dict,
        "hypervisor": str,
        "cmdline": str,
        "fence": str,
        "version": str,
        "tools": dict,
        "tsc_hz": int,
        "readable": bool,
    },
    "result": {
        "suite": str,
        "id": str,
        "label": str,
        "n": int,
        "min": NUMBER,
        "median": NUMBER,
        "p90": NUMBER,
        "p99": NUMBER,
        "max": NUMBER,
        "mean": NUMBER,
    },
    "skip": {"suite": str, "id": str, "reason": str},
    "noisy": {"suite": str, "id": str, "reason": str},
    "check": {"name": str, "ok": bool, "detail": str},
    "end": {"records": int, "failed": int},
    "outcome": {
        "suite": str,
        "id": str,
        "ended": str,
        "expected": str,
        "chain": str,
        "reason": str,
        "records": int,
    },
    "missing": {"boots": list},
}
"""The required fields of each type of record; more may follow."""

GUEST = ("run", "result", "skip", "noisy", "check")
"""The types that a guest sends before its `end` record, which counts them."""
HOST = ("outcome", "missing")
"""The types that the host writes."""

SCANNED = "scanned"
"""A field of a run record: the number of codes it was read from, which leave histograms out."""
PART = "part"
"""A field of a scanned run record: the only suite with records in the codes."""

OPTIONAL: Mapping[str, Mapping[str, Kind]] = {
    "run": {
        SCANNED: int,
        PART: str,
        "image": dict,
        "clock": dict,
        "state": dict,
        "insisted": bool,
        "offset": int,
        "quiet": int,
    },
    "end": {"unimplemented": list, "smis": int, "unquiet": int},
    "result": {
        "histogram": list,
        "sections": list,
        "probe": NUMBER,
        "residue": NUMBER,
        "low": int,
        "high": int,
        "batch": NUMBER,
        "plain": NUMBER,
        "condition": str,
        "spared": str,
        "bytes": int,
        "calls": int,
        "client": int,
        "server": int,
        "kernel": int,
        "entry": int,
        "count": int,
        "rows": int,
        "checksum": int,
        "windows": int,
        "pages": int,
        "ticks": int,
        "disturbed": int,
        "repeated": int,
        "core": int,
        "reference": int,
        "smis": int,
        "retired": NUMBER,
        "places": list,
        "best": dict,
        "worst": dict,
    },
}
"""Optional fields, and their types."""

LONGEST_NUMBER = 32
"""Most characters of a number: 64 bits with two decimals need fewer."""

END = ("at", "median", "low", "high")
"""The fields of a row's best and worst place."""
_SECTION: Mapping[str, Kind] = {"from": str, "to": str, "min": NUMBER, "median": NUMBER}
_PROCESSOR: Mapping[str, Kind] = {"vendor": str, "brand": str, "family": int, "model": int}
_NAMES = {str: "text", int: "a whole number", bool: "true or false", list: "a list"}


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _number(kind: type) -> Callable[[str], Any]:
    """A parser for numbers: bounded, so that no reader chokes on its digits."""

    def read(text: str) -> Any:
        if len(text) > LONGEST_NUMBER:
            raise ValueError(f"a number of {len(text)} characters")
        return kind(text)

    return read


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object with unique keys: a second `type` must not override the first."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key stands twice")
    return value


def parse_json(text: bytes) -> dict[str, Any]:
    """Return the JSON object in `text`; ValueError for all else, also NaN and lone surrogates."""
    try:
        value = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_int=_number(int),
            parse_float=_number(float),
            object_pairs_hook=_unique,
        )
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def _is(value: object, kind: Kind) -> bool:
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, kind)


def _kind_name(kind: Kind) -> str:
    return "a number" if isinstance(kind, tuple) else _NAMES.get(kind, "an object")


def _check_fields(data: Mapping[str, Any], fields: Mapping[str, Kind], what: str) -> None:
    for name, kind in fields.items():
        if name not in data:
            raise ValueError(f'{what} has no "{name}"')
        if not _is(data[name], kind):
            raise ValueError(f'"{name}" of {what} is not {_kind_name(kind)}')


def _check_result(data: Mapping[str, Any]) -> None:
    for pair in data.get("histogram", []):
        whole = isinstance(pair, list) and len(pair) == 2
        if not (whole and all(_is(item, NUMBER) for item in pair)):
            raise ValueError('"histogram" of a result record is not a list of [value, count]')
    for section in data.get("sections", []):
        if not isinstance(section, dict):
            raise ValueError('"sections" of a result record is not a list of objects')
        _check_fields(section, _SECTION, "a section")
    if not all(_is(place, int) for place in data.get("places", [])):
        raise ValueError('"places" of a result record is not a list of whole numbers')
    for end in {"best", "worst"} & data.keys():
        _check_fields(data[end], dict.fromkeys(END, int), f'"{end}" of a result record')


def name_of(kind: str) -> str:
    """The name of a record type in a sentence."""
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} record"


def check_shape(data: Mapping[str, Any]) -> None:
    """Raise ValueError with the fault unless `data` is a record of a known type."""
    version = data.get("v")
    if version != VERSION or isinstance(version, bool):
        raise ValueError(f"record version {version!r}; this tool reads version {VERSION}")
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise ValueError(f"unknown record type {kind!r}")
    what = name_of(kind)
    _check_fields(data, FIELDS[kind], what)
    optional = OPTIONAL.get(kind, {})
    _check_fields(data, {name: of for name, of in optional.items() if name in data}, what)
    if kind == "run":
        _check_fields(data["cpu"], _PROCESSOR, "the processor")
    if kind == "result":
        _check_result(data)
    if kind == "missing" and not all(isinstance(boot, str) for boot in data["boots"]):
        raise ValueError('"boots" of a missing record is not a list of names')
