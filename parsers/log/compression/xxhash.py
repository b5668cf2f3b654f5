"""The checksum of lz4's frame headers: xxHash-32 of a few bytes.

Only the short form of the hash belongs here; who compares it is `parsers.log.compression.codecs` and
`parsers.log.compression.lz4`.
"""

from __future__ import annotations

import struct
from typing import Final

_WORD: Final = 0xFFFFFFFF
_PRIMES: Final = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1)


def xxh32(data: bytes) -> int:
    """Give the xxHash-32 (seed 0) of fewer than 16 bytes."""
    first, second, third, fourth, fifth = _PRIMES
    value = fifth + len(data)
    words = len(data) // 4
    for word in struct.unpack_from(f"<{words}I", data):
        value = _rotate(value + word * third, 17) * fourth
    for byte in data[4 * words :]:
        value = _rotate(value + byte * fifth, 11) * first
    value = _mix(_mix(value & _WORD, 15, second), 13, third)
    return value ^ value >> 16


def _rotate(value: int, bits: int) -> int:
    value &= _WORD
    return (value << bits | value >> 32 - bits) & _WORD


def _mix(value: int, bits: int, prime: int) -> int:
    return (value ^ value >> bits) * prime & _WORD
