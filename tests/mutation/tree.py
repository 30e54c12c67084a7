"""What `mutate` and `negative-controls` share: a copy of the tree, and the places in a source where code is."""

import os
import pathlib
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = ("CMakeLists.txt", "cmake", "include", "src", "tests", "tools")
SKIPPED = "Tables.*:*OfManyPositionsAndWideAxes*:*Document"  # slow tests, and tests that read files which are not copied


def blanked(source):
    """The source with spaces for comments, strings, directives and static assertions, where no mutants belong."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^#(?:[^\n]*\\\n)*[^\n]*|static_assert\([^;]*;'
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), source, flags=re.M | re.S)


def copy_changed(source, copy, skipped=()):
    """Copies files that differ, so that a second run builds little and repairs what an interrupted run has left. Leaves the files
    of the copy that are in `skipped` as they are."""
    if source.is_dir():
        copy.mkdir(parents=True, exist_ok=True)
        for name in os.listdir(source):
            copy_changed(source / name, copy / name, skipped)
    elif copy not in skipped and (not copy.exists() or source.read_bytes() != copy.read_bytes()):
        shutil.copy(source, copy)
