#!/usr/bin/env python3
"""excerpts.py SOURCE: each excerpt in a guide is a part of the program that it names, but for its indentation.

An excerpt is a block of code after the line `<!-- excerpt: FILE -->`. A line `...` stands for code left out. FILE is in docs/examples, or a path such as tests/add_test.cc.
Each program of docs/examples is linked by a page.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
EXAMPLES = ROOT / "docs/examples"
EXCERPT = re.compile(r"<!-- excerpt: (\S+) -->\n *```\w+\n(.*?)```", re.S)


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


def has(program, excerpt):
    """Up to a line `...`, then what follows it in the rest of the program."""
    if "..." not in excerpt:
        return any(program[i:i + len(excerpt)] == excerpt for i in range(len(program)))
    end = excerpt.index("...")
    return any(program[i:i + end] == excerpt[:end] and has(program[i + end:], excerpt[end + 1:]) for i in range(len(program)))


def main():
    files = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    wrong, pages = [], {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in files}
    for name, text in pages.items():
        excerpts = EXCERPT.findall(text)
        if len(excerpts) != text.count("<!-- excerpt"):
            wrong.append(f"{name}: no block of code follows an excerpt's name")
        wrong += [f"{name}: {file} does not contain\n{excerpt}" for file, excerpt in excerpts
                  if not has(lines(((ROOT if "/" in file else EXAMPLES) / file).read_text(encoding="utf-8")), lines(excerpt))]
    wrong += [f"docs/examples/{file.name}: no page links to it" for file in sorted(EXAMPLES.glob("[!.]*"))
              if not any(f"(examples/{file.name})" in text for text in pages.values())]
    print("\n".join(wrong) or "All excerpts are parts of their programs.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
