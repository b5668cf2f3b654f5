"""Something that is done in a thread while a run goes on.

Put here the thread's life alone; what disturbs or watches a run belongs to its campaign.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def meanwhile(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Do some work beside what stands within; it learns by the event that this is over, and is waited for."""
    is_over = threading.Event()
    thread = threading.Thread(target=work, args=(is_over,))
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
