#!/usr/bin/env python3
"""surfaces.py SOURCE: checks that each row of src/spec, and each fact in the headers, is everywhere where people or tests look.

The library, the command, the fuzzer, Python and JavaScript read the rows themselves. This script reads the text of what cannot:
the C headers, which must have exactly what the rows have, the C++ headers, verify, the formulas in Python, and the roundings of
frameworks. It compares the names of functions too. The lists below say what is missing on purpose, and why. The script also keeps
the headers short: it limits their lines, and the parameters of functions.
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
STRUCTS = {"posenc_spec": "SPEC", "posenc_rotary_spec": "ROTARY"}

# Members that change no entry, or only the type of a list.
UNVERIFIED = {"table_rows", "long_factors_f32"}

# Members and values that change no real number, or that a formula computes by itself.
FORMULALESS = {"target", "nan_rows", "lists_only", "table_rows", "arithmetic", "cache_layout", "type",
               "POSENC_NO_SCALING", "POSENC_NO_PHASE_ROUNDING"}

# The rules that members of these kinds may have.
RULES_OF_KINDS = {"Flag": ["flag"], "Presence": ["flag"], "Choice": ["value", "pairing"]}

# Constants that only C and C++ have: normalizations for positions from masks, and kinds of configuration entries.
ROWLESS = {"POSENC_NO_NORMALIZATION", "POSENC_NORMALIZE_F32", "POSENC_NORMALIZE_F64",
           "POSENC_CONFIG_NUMBER", "POSENC_CONFIG_FLAG", "POSENC_CONFIG_STRING",
           "POSENC_CONFIG_NUMBERS", "POSENC_CONFIG_NULL", "POSENC_CONFIG_FLAGS"}

MOST_PARAMETERS = 7
MOST_LINES = {"posenc_c.h": 300, "rotary_c.h": 250}


def read(globs):
    return "\n".join(file.read_text(errors="replace") for glob in globs.split() for file in sorted(SOURCE.glob(glob)))


def has(text, *names):
    return any(re.search(r"\b%s\b" % name, text) for name in names)


def members(text, struct):
    body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (struct, struct), text, re.S).group(1)
    declarations = re.sub(r"//.*", "", body).split(";")
    names = [re.search(r"(\w+)(\[\w+\])?$", d.strip()).group(1) for d in declarations if d.strip()]
    return [name for name in names if name != "struct_size"]


def main():
    headers, rows = read("include/posenc/*_c.h"), read("src/spec/*.inc")
    verify = read("tools/verify/*.cc tools/verify/*.h")
    formulas = read("tests/golden/formulas.py")
    cpp = read("include/posenc/types.h include/posenc/posenc.h include/posenc/rotary.h include/posenc/models.h")
    missing = []
    for struct, macro in STRUCTS.items():
        fields = re.findall(r"^POSENC_%s\((\w+), (\w+), [^,]+, \w+, (\w+)" % macro, rows, re.M)
        kinds = {name: kind for kind, name, _ in fields}
        if list(kinds) != members(headers, struct):
            missing.append(f"src/spec/members.inc: {struct} has other members or another order")
        missing += [f"src/spec/members.inc: the rule of {name}" for kind, name, must in fields
                    if must not in RULES_OF_KINDS.get(kind, [must])]
        missing += [f"verify: {struct}.{name}" for name, kind in kinds.items()  # a Presence is said by its Optional
                    if kind != "Presence" and name not in UNVERIFIED and not has(verify, name)]
        missing += [f"formulas.py: {struct}.{name}" for name, kind in kinds.items()
                    if kind not in ("Part", "Presence") and name not in FORMULALESS and not has(formulas, name)]
    values = re.findall(r'^POSENC_VALUE\((\w+), (\w+), "(\w+)"\)', rows, re.M)
    for of, c, word in values:
        name = c.removeprefix("POSENC_")
        short = name.lower() if of == "type" else word
        if word not in UNVERIFIED and not has(verify, short):
            missing.append(f"verify: {of}={short}")
        if of == "type" and not has(cpp, c):
            missing.append(f"C++: {c}")
        if not {of, c} & FORMULALESS and not re.search(r'[="]%s\b' % word, formulas):
            missing.append(f"formulas.py: {of}={word}")
        missing += [f"{file}: {name}" for file in ("tests/hosts/conventions.py", "tools/conventions")
                    if of == "phase_rounding" and not has(read(file), name, word)]
    numbers = dict(re.findall(r"(POSENC_\w+)\s*=\s*(\d+)", "".join(re.findall(r"\{(.*?)\};", headers, re.S))))
    kinds = set(re.findall(r"^POSENC_RULE\(\w+, (\w+),", rows, re.M)) | {"POSENC_OK", "POSENC_BAD_MEMBER"}
    missing += [f"src/spec: {c}" for c in sorted(set(numbers) - ROWLESS - kinds - {c for _, c, _ in values})]
    missing += [f"C++ repeats {c}" for c in numbers if re.search(r"\bk\w+\s*=\s*%s\b" % c, cpp)]
    declared = re.findall(r"^POSENC_(?:API|CALL)\b[^;]*?\b(posenc_\w+)\(([^;]*)\);", headers, re.M)
    functions = [name for name, _ in declared]
    missing += [f"{name} has more than {MOST_PARAMETERS} parameters" for name, parameters in declared
                if parameters.count(",") >= MOST_PARAMETERS]
    missing += [f"{name} has more than {most} lines" for name, most in MOST_LINES.items()
                if len(read(f"include/posenc/{name}").splitlines()) > most]
    symbols = read("tests/install/symbols.txt tests/install/models_symbols.txt").split()
    missing += [f"tests/install/*symbols.txt: {f}" for f in sorted(set(functions) ^ set(symbols))]
    if f" {len(functions)} C functions" not in read("docs/embedding.md"):
        missing.append(f"docs/embedding.md: {len(functions)} C functions")
    print("\n".join(missing) or "Nothing is missing.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
