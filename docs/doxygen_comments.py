#!/usr/bin/env python3
"""doxygen_comments.py HEADER: prints a public header with Doxygen's comments instead of plain ones.

What a comment is about:
- The first comment is about the file.
- A comment above a declaration is about this declaration, and about all declarations below it that follow without a blank
  line or another comment.
- A comment at the end of a line, with the lines that continue it, is about the declaration in this line. Functions have
  the comment above their group, too. Other declarations need no second text.
- A comment above an enum in one line is about each of its values.
- A constructor without a comment has the comment of its class.
- A comment between two blank lines is a remark. It is added to the text about the class or the file around it.
- Comments in bodies of functions, in front of #if and of linters are not for these pages.

Indented lines become code. A table that begins with "to do this" becomes a table of Markdown, whose names are links.
"""
import re
import sys

SCOPE = re.compile(r"(?:typedef )?(struct|class|enum|union) (?:POSENC_ENUM\()?(\w+).*\{$")
CONDITION = re.compile(r"(?<=\w), class\b.*>$")
# A name that can become a link: in no call, and not before a member.
NAME = re.compile(r"(?<![\w.:])(?<!\w\()(?=(?:posenc|POSENC(?!_BUILD))_\w+(?!\w*[(.]\w))")
VALUE = re.compile(r"POSENC_\w+ = \d+,?")
NO_STRING = re.compile(r'"(?:\\.|[^"\\])*"')


class Declaration:
    """The lines of a declaration, or the first line of a class, with the comments that are about it."""

    def __init__(self, indent, above, scope):
        self.indent, self.above, self.scope = indent, above, scope
        self.code, self.behind, self.remarks = [], [], []

    def text(self):
        code = " ".join(self.code).strip()
        if code.startswith("static_assert"):
            return []
        is_function = "(" in code and not self.scope.is_enum and not code.startswith("#") and not SCOPE.match(code)
        parts = [self.behind] if self.behind else []
        if self.above and (is_function or self.above[1] is self or not self.behind):
            parts.append(self.above[0])
        if not parts and is_function and re.search(rf"(?<![~\w]){self.scope.name}\(", code):
            parts = [self.scope.declaration.above[0]] if self.scope.declaration.above else []
        return [line for part in parts + self.remarks for line in [""] + part][1:]

    def lines(self):
        yield from (f"{' ' * self.indent}/// {line}".rstrip() for line in formatted(self.text()))
        if self.above and re.match("enum .*};$", self.code[0]):
            yield VALUE.sub(lambda value: f"{value[0]} /**< {' '.join(formatted(self.above[0]))} */", self.code[0])
        else:
            yield from self.code


class Scope:
    """The inside of a class, or of the file: where its declarations begin, and the group that goes on after its end."""

    def __init__(self, declaration, indent, name=" ", is_enum=False, group=None):
        self.declaration, self.indent, self.name, self.is_enum, self.group = declaration, indent, name, is_enum, group


def formatted(text):
    """The lines of a comment in Doxygen's Markdown."""
    lines, in_list = [], False
    at = 0
    while at < len(text):
        in_list = text[at].startswith("- ") or (in_list and text[at] != "")
        if in_list or not text[at].startswith("  "):
            lines.append(NAME.sub("::", text[at]))
            at += 1
            continue
        end = at + 1  # blank lines are inside a block, but not at its end
        while end < len(text) and (text[end].startswith("  ") or text[end] == ""):
            end += 1
        while text[end - 1] == "":
            end -= 1
        block = [line[2:] for line in text[at:end]]
        if block[0].startswith("to do this"):
            rows = [re.split(r" {3,}", NAME.sub("::", row)) for row in block]
            columns = max(map(len, rows))
            rows.insert(1, ["---"] * columns)
            lines += ["| " + " | ".join(row + [" "] * (columns - len(row))) + " |" for row in rows]
        else:
            is_program = any(line.endswith(";") for line in block)
            lines += ["@code{.cpp}" if is_program else "@code{.unparsed}", *block, "@endcode"]
        at = end
    return lines


def split(line):
    """The code of a line, and the comment at its end."""
    hidden = NO_STRING.sub(lambda string: "_" * len(string[0]), line)
    at = hidden.find("//")
    if at < 0:
        return line.rstrip(), ""
    comment = line[at + 2:].removeprefix(" ")
    return line[:at].rstrip(), "" if comment.startswith("NOLINT") else comment


def depth(code):
    """How many brackets a line opens and does not close."""
    code = NO_STRING.sub("", code)
    return sum(code.count(c) for c in "({") - sum(code.count(c) for c in ")}")


def converted(source):
    """The lines of a header, and its declarations with their comments."""
    file = Declaration(0, None, Scope(None, 0))
    scopes = [Scope(file, 0)]
    out = [file]
    comment = []  # whole lines, above what comes next
    group = None  # the comment that is about what comes next, and the first declaration that has it
    last = None   # whose comment the next line may continue
    rest = iter(source)
    for line in rest:
        code = line.strip()
        scope = scopes[-1]
        indent = len(line) - len(line.lstrip())
        if code.startswith("//"):
            text = code[2:].removeprefix(" ")
            if re.match("NOLINT|clang-format", text):
                continue
            if last and last.behind and indent > scope.indent:
                last.behind.append(text)
            else:
                comment.append(text)
                group = last = None
            continue
        above, comment = comment, []
        last = None
        if above and file.behind == []:  # the first comment
            file.behind, above = above, []
        if code == "":
            if above:
                scope.declaration.remarks.append(above)
            group = None
            out.append(line)
        elif code.startswith("}"):
            if len(scopes) > 1 and indent == scope.indent - 2:
                group = scopes.pop().group
            out.append(split(line)[0])
        elif re.match("#(?!define)|namespace|extern|(public|private|protected):", code):
            group = None
            out.append(split(line)[0])
        else:
            last = Declaration(indent, group, scope)
            if above:
                last.above = group = (above, last)
            out.append(last)
            open_brackets = 0
            while True:
                code, behind = split(CONDITION.sub(">", line))
                last.code.append(code)
                begins = open_brackets == 0
                open_brackets += depth(code)
                found = SCOPE.match(code.strip()) if begins else None
                if found:
                    scopes.append(Scope(last, indent + 2, found[2], found[1] == "enum", group))
                    group = None
                    break
                is_whole = code.endswith((";", "}")) or scope.is_enum
                is_whole = not code.endswith("\\") if last.code[0].startswith("#") else is_whole
                ends = open_brackets == 0 and is_whole
                if behind and (ends or begins):
                    last.behind.append(behind)
                if ends:
                    break
                line = next(rest)
    file.behind.insert(0, "@file")
    return out


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        for part in converted(file.read().splitlines()):
            print(part if isinstance(part, str) else "\n".join(part.lines()))


if __name__ == "__main__":
    main()
