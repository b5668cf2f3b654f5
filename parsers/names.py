"""Names as this machine gives them, typed or found on a disk: bytes that Python takes for text, whatever they are.

Put here what must be known of one before anything else takes it. Which names matter is said where they are read.
"""

from __future__ import annotations


def is_text(name: str) -> bool:
    """Whether it is UTF-8; Python gives other bytes as halves of characters, which nothing else takes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
