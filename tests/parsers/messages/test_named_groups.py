"""The groups that an erasure finds in keys of MirrorMaker's and Connect's topics."""

from __future__ import annotations

import numpy as np
import pytest

from parsers.messages.named_groups import checkpoint_groups, source_offset_groups

MIRRORED = b'["MirrorCheckpointConnector",{"partition":0,"topic":"a.orders","group":"billing"}]'
CHECKPOINT = b"\0\x07billing\0\x01t\0\0\0\0"


def column(*keys: bytes | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A buffer of keys, and where each begins and ends; a null one begins at -1."""
    ends = np.cumsum([len(key or b"") for key in keys])
    starts = np.array([-1 if key is None else end - len(key) for key, end in zip(keys, ends, strict=True)])
    return np.frombuffer(b"".join(key or b"" for key in keys), np.uint8), starts, ends


def test_a_checkpoint_names_its_group() -> None:
    """A key that is cut short, or null, names none."""
    groups = checkpoint_groups(*column(CHECKPOINT, CHECKPOINT[:5], None, CHECKPOINT))
    assert groups.to_pylist() == ["billing", None, None, "billing"]


def test_a_source_offset_of_mirror_maker_names_its_group() -> None:
    """Those of other connectors name none."""
    groups = source_offset_groups(*column(MIRRORED, b'["lines",{"filename":"x"}]', None))
    assert groups.to_pylist() == ["billing", None, None]


@pytest.mark.parametrize(
    "key",
    [b'"group"', b'["group"]', b'["x",["group"]]', b'["x",{"group":7}]', b"[" * 100_000 + b'"group"', b'\xff"group"'],
)
def test_a_key_of_another_form_names_no_group(key: bytes) -> None:
    """Whatever it is: nothing is raised."""
    assert source_offset_groups(*column(key)).to_pylist() == [None]


def test_half_of_a_character_is_a_name_all_the_same() -> None:
    """As JSON can have it, and UTF-8 can't."""
    assert source_offset_groups(*column(b'["x",{"group":"\\ud800"}]')).to_pylist() == ["?"]
