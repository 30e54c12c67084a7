#!/usr/bin/env python3
"""links.py SOURCE: every link in every page leads to an existing file and heading, and README is short."""

import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1]).resolve()
MOST_LINES = 120  # of README
ASIDE = ("build", ".git", "node_modules")


def pages():
    return [page for page in SOURCE.rglob("*.md") if not set(ASIDE) & set(page.relative_to(SOURCE).parts)]


def text_of(page):
    """The page without its code blocks."""
    return re.sub(r"^( *)```.*?^\1```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def anchors(page):
    """The anchors that GitHub makes from headings."""
    titles = re.findall(r"^#+ +(.+?) *$", text_of(page), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in titles)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in plain}


def faults(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            yield f"{link}: there is no such file"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{link}: that page has no such heading"


def main():
    wrong = [f"{page.relative_to(SOURCE)}: {fault}" for page in sorted(pages()) for fault in faults(page)]
    lines = len((SOURCE / "README.md").read_text(encoding="utf-8").splitlines())
    if lines > MOST_LINES:
        wrong.append(f"README.md: it has {lines} lines, {MOST_LINES} at most are allowed")
    print("\n".join(wrong) or "Every link leads somewhere.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
