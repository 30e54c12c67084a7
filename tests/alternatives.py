#!/usr/bin/env python3
"""alternatives.py SOURCE POSENC: the script in docs/alternatives.md prints what the page says.

NumPy computes some sines differently on each machine. So a count may differ by a half or by ten, and an error in its last digit.
If only a few entries are wrong, the largest error is one unit in the last place of one of them, which may be any small number.
Without NumPy the exit status is 77.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
except ImportError:
    print("SKIPPED: python3-numpy is not installed")
    sys.exit(77)


def block(page, language):
    return page.split(f"\n```{language}\n", 1)[1].split("\n```", 1)[0]


def is_near(said, printed):
    if "e" in said and "e" in printed:  # an error
        return max(float(said), float(printed)) < 1e-8 or 0.6 < float(printed) / float(said) < 1.7
    if said.isdigit() and printed.isdigit():
        return abs(int(said) - int(printed)) <= max(10, int(said) / 2)
    return said == printed


def main():
    page = (pathlib.Path(sys.argv[1]) / "docs/alternatives.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "posenc").symlink_to(pathlib.Path(sys.argv[2]).resolve())
        printed = subprocess.run([sys.executable, "-c", block(page, "python")], check=True, stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]}).stdout
    print(printed, end="")
    said, got = block(page, "text").split(), printed.split()
    wrong = [pair for pair in zip(said, got) if not is_near(*pair)]
    print(*(f"the page says {a}, the script printed {b}" for a, b in wrong), sep="\n")
    return 1 if wrong or len(said) != len(got) else 0


if __name__ == "__main__":
    sys.exit(main())
