"""Keys and values as bytes, as text, and as a function of the user's has them."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from assets.extraction.deserialisers import deserialiser
from parsers.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

CODEC = """
import datetime
def decode(content):
    if content == b"bad":
        raise KeyError("no such schema")
    if content == b"endless":
        return float("nan")
    return {"size": len(content), "raw": content, "day": datetime.date(2026, 11, 20)}
number = 5
"""


@pytest.fixture
def codec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module in the working directory."""
    (tmp_path / "codec_of_orders.py").write_text(CODEC)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "codec_of_orders", raising=False)
    return "codec_of_orders"


def read(form: str, *values: bytes | None) -> list[list[object]]:
    """The columns that come of values."""
    reader = deserialiser(form)
    columns = reader.columns(pa.array(values, pa.binary()))
    assert [column.type for column in columns] == [field.type for field in reader.fields("value")]
    return [column.to_pylist() for column in columns]


def test_bytes_stay_as_they_are() -> None:
    """There is nothing that can fail."""
    assert read("bytes", b"\xff", b"", None) == [[b"\xff", b"", None]]


def test_text_that_is_none_stays_beside_its_error() -> None:
    """The other values are text; NULL is no error."""
    texts, errors, undecoded = read("text", "größe".encode(), b"\xff\x00", None, b"")
    assert texts == ["größe", None, None, ""]
    assert [error is not None for error in errors] == [False, True, False, False]
    assert undecoded == [None, b"\xff\x00", None, None]


def test_what_a_function_returns_is_json_and_what_it_raises_costs_one_record(codec: str) -> None:
    """Bytes become base64, other objects text; what JSON can't say is an error of the record."""
    texts, errors, undecoded = read(f"{codec}:decode", b"abc", b"bad", None, b"endless")
    assert json.loads(str(texts[0])) == {"size": 3, "raw": "YWJj", "day": "2026-11-20"}
    assert texts[1:] == [None, None, None]
    assert errors[:3] == [None, "KeyError: 'no such schema'", None]
    assert "ValueError" in str(errors[3])
    assert undecoded == [None, b"bad", None, b"endless"]


@pytest.mark.parametrize(
    "form", ["codec_of_orders:nothing", "no_such_module:decode", "words", "codec_of_orders:number"]
)
def test_a_function_that_is_none_is_refused_before_anything_is_read(codec: str, form: str) -> None:
    """The sentence names what was asked for."""
    assert codec
    with pytest.raises(SourceError, match=form.partition(":")[0]):
        deserialiser(form)
