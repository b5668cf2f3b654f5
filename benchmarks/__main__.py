"""`python -m benchmarks`, which `make bench` runs: every benchmark with its standard work.

Only the call belongs here.
"""

from benchmarks.decode import main

if __name__ == "__main__":
    main()
