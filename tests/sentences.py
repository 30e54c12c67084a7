#!/usr/bin/env python3
"""sentences.py SOURCE: if a sentence for users names a limit, it must be the constant in the code.

It reads the sentences of statuses, the comments in the C headers, the help and the refusals of the command, and some documents.
LIMITS says which constant each number is. If a phrase outside documents looks like a limit and is not in LIMITS, this is an error.
So each new sentence gets its row.
"""

import ast
import math
import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])

# Where people read a limit, and in which words. A name in braces is a constant, and {2^NAME} is a power of two with this
# value.
LIMITS = {
    "src/spec/rules.inc": [
        "and rotary_dim is above {2 kMaxPiece}",
        "must be 0 or {2^kMinFrequency} .. {2^POSENC_MAX_POSITION} radians",
        "must be -{2^POSENC_MAX_POSITION} .. {2^POSENC_MAX_POSITION}",
        "in -{2^POSENC_MAX_POSITION} .. {2^POSENC_MAX_POSITION}",
        "padding_id must be at least -{2^POSENC_MAX_POSITION}",
        "must be at most {2^POSENC_MAX_POSITION}",
        "must be {2^kLeastGain} .. {2^kLargestGain}",
        "epsilon of a norm must be 0, or {2^kMinEpsilon} .. 1",
        "factor must be {2^kMinRatio} .. {2^kMaxRatio} with POSENC_YARN and POSENC_LLAMA3, and at least {2^kMinRatio} with",
        "must be at most {2^kMaxRatio} times low_freq_factor",
    ],
    "include/posenc/posenc_c.h": [
        "D, -{2^kMaxExponentDim} .. {2^kMaxExponentDim}",
        "must be 0 or {2^kMinFrequency} .. {2^POSENC_MAX_POSITION} radians",
    ],
    "include/posenc/rotary_c.h": [
        "D in w_i = base^(-2i / D), -{2^kMaxExponentDim} .. {2^kMaxExponentDim}",
        "f; {2^kMinRatio} .. {2^kMaxRatio} with YARN and LLAMA3, at least {2^kMinRatio} with DYNAMIC_NTK",
        "LLAMA3; at most {2^kMaxRatio} low_freq_factor",
        "in place, rotary_dim must be at most {2 kMaxPiece}",
        "A, {2^kLeastGain} .. {2^kLargestGain}",
        "A times scale times factor must be {2^kLeastGain} .. {2^kLargestGain}, too",
        "must be 0 or {2^kMinFrequency} .. {2^POSENC_MAX_POSITION} radians",
        "{2^kLeastGain} .. {2^kLargestGain}, or 0, which means 1",
        "NULL, or [tokens], {2^kLeastGain} .. {2^kLargestGain}: each multiplies",
        "The error is below {kMaxFastUlp} ulp of hypot(a, b) if S is 1, else below {kMaxScaledFastUlp} ulp",
    ],
    "include/posenc/rotary_norm_c.h": [
        "0, or {2^kMinEpsilon} .. 1. POSENC_EXACT does not round it",
        "the sum of squares below {2^kLargestFastNormSum}. A larger sum may overflow",
        "mean + epsilon {2^kLeastFastNormMean} or more",
    ],
    "include/posenc/models_c.h": [
        "at least -{2^POSENC_MAX_POSITION}",
        "must be at most {2^POSENC_MAX_POSITION} and fit the type",
        "be in -{2^POSENC_MAX_POSITION} .. {2^POSENC_MAX_POSITION}",
        "at most {2^POSENC_MAX_POSITION}",
    ],
    "src/spec/members.inc": [
        "Columns of a row (d_model), 1 .. {2^POSENC_MAX_DIM}",
        "of the base, -{2^kMaxExponentDim} .. {2^kMaxExponentDim}",
        "before S; -{2^POSENC_MAX_POSITION} .. {2^POSENC_MAX_POSITION}",
        "the context is; {2^kMinRatio} .. {2^kMaxRatio} with yarn and llama3",
        "at most {2^kMaxRatio} times --low-freq-factor",
        "cosines and sines, {2^kLeastGain} .. {2^kLargestGain}",
    ],
    "tools/command/specs.cc": [
        "Position of the first row, in steps, |P| <= {2^POSENC_MAX_POSITION}",
    ],
    "tools/command/table.cc": [
        "a number from -{2^POSENC_MAX_POSITION} to {2^POSENC_MAX_POSITION}",
    ],
    "tools/command/plot.cc": [
        "With more than {kMaxCells} rows or columns",
    ],
    "tools/command/options.cc": [],
    "tools/command/verify.cc": [
        "Number of threads, 1 .. {kMaxThreads} [",
    ],
    "tools/command/diff.cc": [
        "at most {2^diff.kMaxEntries} entries are compared",
    ],
    "tools/command/identify.cc": [],
    "tools/command/lists.cc": [],
    "tools/command/npy.cc": [
        "at least 1 row and 1 .. {npy.kMaxColumns} columns",
    ],
    "tools/README.md": [
        "in {words kCacheShapes} forms",
        "Of a large table it compares at most {2^identify.kMaxEntries} entries and at most {thousands identify.kMaxRows} rows",
        "Up to {words kMostOthers} rows before a table",
    ],
    "src/README.md": [
        "at most {2 kMaxAddedPairs} elements of each head rotate",
    ],
    "bindings/web/package/index.js": [
        "MAX_SWAP_IN_PLACE = {2 kMaxPiece};",
        "a number from {2^kLeastGain} to {2^kLargestGain} is wanted",
        "a factor must be {2^kLeastGain} .. {2^kLargestGain}, not",
        "`factor * scale * amplitude must be {2^kLeastGain} .. {2^kLargestGain}, not",
        "`scale * amplitude must be {2^kLeastGain} .. {2^kLargestGain}, not",
    ],
    "docs/conventions.md": [
        "posenc has {presets} of them as presets",
        "must be {2^kMinFrequency} .. {2^POSENC_MAX_POSITION} radians before it is multiplied",
    ],
    "docs/embedding.md": [
        "the {words other_headers} C headers beside it",
        "They are in [posenc_c.h](../include/posenc/posenc_c.h) and {words other_headers} headers beside it",
        "{presets} conventions of frameworks and papers are presets",
        "(`POSENC_F32_POW_DIV` and {words phase_roundings - 1} others)",
        "at every integer and every double |p| <= {2^POSENC_MAX_POSITION}",
    ],
    "docs/rotary.md": [
        "posenc has {words scalings} such scalings ([",
    ],
    "README.md": [
        "{presets} sinusoidal and {rotary_presets} rotary presets",
        "at any position up to {2^POSENC_MAX_POSITION}",
    ],
    "CHANGELOG.md": [
        "{rotary_presets} presets by model family, {words scalings} scalings",
        "{words axis_orders} orders of axes, and caches in {words cache_layouts} layouts",
        "{presets} conventions of frameworks and papers as presets",
        "{words phase_roundings} ways to round phases",
    ],
}

# Phrases that look like limits: "above 1024", "between 2 and 1024", "1 .. 2^24", "at most 256".
NUMBER = r"-?\d+(?:\.\d+)?(?:\^-?\d+)?"
LIMIT = re.compile(r"(?:(?:above|below|at most|at least|up to|between|more than|fewer than|exceeds?|beyond|outside|over|under|<=?|>=?)"
                   rf" (?:{NUMBER} and )?{NUMBER}(?! *%)|(?:{NUMBER} \.\.|(?<!\d)1 to) {NUMBER})(?![\w^(])")
ONLY_ROWS = (".md", ".js")  # these have many other numbers
WORDS = ("no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen").split()


def read(name):
    return (SOURCE / name).read_text(encoding="utf-8")


def constants():
    """The constants in headers and sources, by name and also as file.name."""
    found = {}
    files = [*SOURCE.glob("include/posenc/*.h"), *SOURCE.glob("src/*/*"), *SOURCE.glob("tools/command/*")]
    for file in sorted(files):
        for name, text in re.findall(r"(?:#define (?=POSENC_MAX)|constexpr [\w: ]+ (?=k))(\w+)(?: =)? (.+?);?(?: +//.*)?$",
                                     file.read_text(encoding="utf-8"), re.M):
            if re.fullmatch(r"0x1p-?\d+|\d\.0", text):
                found[name] = float.fromhex(text) if "x" in text else int(float(text))
            plain = re.sub(r"\w[\w:]*[({](\d+)[)}]", r"\1", text)  # std::size_t{4}, INT64_C(2147483648)
            if re.fullmatch(r"[\d<+* ]+", plain):
                value = eval(compile(ast.parse(plain, mode="eval"), file.name, "eval"))  # numbers and operators only
                found[name] = found[file.stem + "." + name] = int(value)
    values = re.findall(r"^POSENC_VALUE\((\w+),", read("src/spec/values.inc"), re.M)
    found |= {
        "presets": len(re.findall(r'^POSENC_PRESET\("', read("src/models/presets.inc"), re.M)),
        "rotary_presets": len(re.findall(r'^POSENC_\w*PRESET\("', read("src/models/rotary_presets.inc"), re.M)),
        "other_headers": len([*SOURCE.glob("include/posenc/*_c.h")]) - 1,
        "phase_roundings": values.count("phase_rounding") - 1,
        "scalings": values.count("scaling") - 1,
        "axis_orders": values.count("axis_order"),
        "cache_layouts": values.count("cache_layout"),
        "kCacheShapes": len(re.findall(r'"[cs]+", \d', read("tools/command/table_settings.h"))),
    }
    return found


def said(expression, known):
    """A number as sentences write it: 1024, 2^31, 4 MiB, eleven, 65,536."""
    unit, power, name, less = re.fullmatch(r"(?:(\w+) )?(2\^)?([\w.]+)(?: - (\d+))?", expression).groups()
    value = known[name] - int(less or 0)
    if power or unit == "MiB":
        fraction, exponent = math.frexp(value)
        if fraction != 0.5:
            return f"{name}, which is not a power of two"
        return f"2^{exponent - 1}" if power else f"{value >> 20} MiB"
    if unit in ("words", "Words"):
        return WORDS[value].capitalize() if unit == "Words" else WORDS[value]
    return f"{value:,}" if unit == "thousands" else str(value * int(unit or 1))


def prose(name):
    text = read(name)
    if name.endswith(".h"):
        text = " ".join(re.findall(r"//(.*)", text))
    elif not name.endswith(ONLY_ROWS):
        code = re.sub(r"^ *//.*|^#.*|'\\?[\"']'", "", text, flags=re.M)
        literals = re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r'"\s*\n\s*"', "", code))
        text = " ".join(literals).replace("\\n", " ")
    return re.sub(r"\s+", " ", text)


def main():
    known, wrong = constants(), []
    for name, rows in LIMITS.items():
        text = prose(name)
        spans = []
        for row in rows:
            phrase = re.sub(r"\{(.*?)\}", lambda match: said(match[1], known), row)
            found = [match.span() for match in re.finditer(re.escape(phrase), text)]
            if not found:
                wrong.append(f"{name} does not say '{phrase}' ({row})")
            spans += found
        for match in [] if name.endswith(ONLY_ROWS) else LIMIT.finditer(text):
            is_small = all(abs(float(number)) < 3 for number in re.findall(NUMBER, match[0]) if "^" not in number)
            is_small = is_small and "^" not in match[0]  # 0 .. 1, above 1: mathematics, not limits
            if not is_small and not any(begin <= match.start() and match.end() <= end for begin, end in spans):
                wrong.append(f"{name}: '{text[max(0, match.start() - 40):match.end() + 20]}' has no row in tests/sentences.py")
    print("\n".join(wrong) or "All sentences have the numbers of the code.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
