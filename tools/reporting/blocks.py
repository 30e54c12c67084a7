"""Parts of pages that a tool writes: between <!-- tools/NAME: BLOCK --> and <!-- end -->."""

import difflib
import re
import sys


def replace(page, tool, block, made):
    """The page with what is made as that block."""
    pattern = re.compile(rf"(<!-- tools/{tool}: {block} -->\n).*?(<!-- end -->)", re.DOTALL)
    page, count = pattern.subn(lambda found: f"{found[1]}\n{made}\n\n{found[2]}", page)
    assert count == 1, f"there is no block {block} of tools/{tool}"
    return page


def write(path, made, check):
    """Writes the page. With `check` it only shows how the page differs, and returns whether it is as it should be."""
    if not check:
        path.write_text(made, encoding="utf-8")
        return True
    page = path.read_text(encoding="utf-8")
    sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), made.splitlines(True), str(path), "made anew"))
    return page == made
