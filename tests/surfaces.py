#!/usr/bin/env python3
"""surfaces.py SOURCE: each row of src/spec, and each fact of the headers, is wherever people or tests look for it.

The library, the command, the fuzzer, Python and JavaScript read the rows themselves. Read here is the text of what cannot:
the C headers, which must have all that the rows have and no more, C++ and verify. What one lacks on purpose is listed below,
with the reason.
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
STRUCTS = {"posenc_spec": "SPEC", "posenc_rotary_spec": "ROTARY"}

UNVERIFIED = {"table_rows", "long_factors_f32"}  # which change no entry, or only its list's type

# What only C and C++ have: types of positions, and positions from masks, which the normalizations are for.
WORDLESS = {"POSENC_I32", "POSENC_I64"}
ROWLESS = {"POSENC_NO_NORMALIZATION", "POSENC_NORMALIZE_F32", "POSENC_NORMALIZE_F64"}


def read(globs):
    return "\n".join(file.read_text(errors="replace") for glob in globs.split() for file in sorted(SOURCE.glob(glob)))


def members(text, struct):
    body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (struct, struct), text, re.S).group(1)
    declarations = re.sub(r"//.*", "", body).split(";")
    names = [re.search(r"(\w+)(\[\w+\])?$", d.strip()).group(1) for d in declarations if d.strip()]
    return [name for name in names if name != "struct_size"]


def main():
    headers, rows = read("include/posenc/*_c.h"), read("src/spec/*.inc")
    verify = read("tools/verify/*.cc tools/verify/*.h")
    missing = []
    for struct, macro in STRUCTS.items():
        kinds = {name: kind for kind, name in re.findall(r"^POSENC_%s\((\w+), (\w+)," % macro, rows, re.M)}
        if list(kinds) != members(headers, struct):
            missing.append(f"src/spec/members.inc: {struct} has other members or another order")
        missing += [f"the sentence of POSENC_BAD_FLAG: {name}" for name, kind in kinds.items()
                    if kind in ("Flag", "Presence") and not re.search(r"BAD_FLAG,[^)]*\b%s\b" % name, rows)]
        missing += [f"verify: {struct}.{name}" for name in kinds
                    if name not in UNVERIFIED and not re.search(r"\b%s\b" % name, verify)]
    words = dict(re.findall(r'^POSENC_VALUE\(\w+, (\w+), "(\w+)"\)', rows, re.M))
    statuses = set(re.findall(r"^POSENC_STATUS\((\w+),", rows, re.M))
    constants = {constant for body in re.findall(r"enum POSENC_ENUM\(\w+\) \{(.*?)\};", headers, re.S)
                 for constant in re.findall(r"(POSENC_\w+)\s*=", body)}
    missing += [f"src/spec: {c}" for c in sorted(constants - ROWLESS - set(words) - statuses)]
    cpp = read("include/posenc/types.h include/posenc/posenc.h include/posenc/rotary.h include/posenc/positions.h")
    missing += [f"C++: {c}" for c in sorted(constants - WORDLESS) if not re.search(r"\b%s\b" % c, cpp)]
    print("\n".join(missing) or "Nothing is missing.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
