"""A program that ends when whoever started it does, killed or not: `python -m tests.spark.tied PROGRAM ARGUMENT...`.

Start it in a process group of its own, with a pipe as its stdin; nothing else belongs here.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys


def main() -> None:
    """Run the program until stdin ends, then end it and all that it started."""
    with subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL):
        sys.stdin.buffer.read()
        os.killpg(os.getpgid(0), signal.SIGKILL)


if __name__ == "__main__":
    main()
