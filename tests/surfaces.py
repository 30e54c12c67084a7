#!/usr/bin/env python3
"""surfaces.py SOURCE: each row of src/spec, and each fact of the headers, is wherever people or tests look for it.

The library, the command, the fuzzer, Python and JavaScript read the rows themselves. Read here is the text of what cannot:
the C headers, which must have all that the rows have and no more, C++, verify, the formulas written in Python and the
frameworks' roundings; and the names of the functions. What one lacks on purpose is listed below, with the reason. It also
keeps the headers short: so many lines, and so many parameters of a function.
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
STRUCTS = {"posenc_spec": "SPEC", "posenc_rotary_spec": "ROTARY"}

# What changes no entry, or only its list's type; and what would be a case more in the digest.
UNVERIFIED = {"table_rows", "long_factors_f32", "f32_list", "amplitude_factor"}

# What changes no real number, or is what a formula does by itself.
FORMULALESS = {"target", "nan_rows", "lists_only", "table_rows", "arithmetic", "cache_layout", "type",
               "POSENC_NO_SCALING", "POSENC_NO_PHASE_ROUNDING"}

# What every value of such a member must be, by itself.
RULES_OF_KINDS = {"Flag": ["flag"], "Presence": ["flag"], "Choice": ["value", "pairing"]}

# What only C and C++ have: positions from masks, which the normalizations are for, and entries of configurations.
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
        missing += [f"verify: {struct}.{name}" for name in kinds
                    if name not in UNVERIFIED and not has(verify, name)]
        missing += [f"formulas.py: {struct}.{name}" for name, kind in kinds.items()
                    if kind != "Part" and name not in FORMULALESS and not has(formulas, name)]
    values = re.findall(r'^POSENC_VALUE\((\w+), (\w+), "(\w+)"\)', rows, re.M)
    for of, c, word in values:
        name = c.removeprefix("POSENC_")
        short = name.lower() if of == "type" else word
        if word not in UNVERIFIED and not has(verify, short):
            missing.append(f"verify: {of}={short}")
        if of == "type" and not has(cpp, c):
            missing.append(f"C++: {c}")
        if not {of, c} & FORMULALESS and not has(formulas, name):
            missing.append(f"formulas.py: {name}")
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
