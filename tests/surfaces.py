#!/usr/bin/env python3
"""surfaces.py SOURCE: every member of the specs and every value of the enums is wherever people or tests look for them.

Read are the C headers and the text of each surface. What one lacks on purpose is listed below, with the reason.
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])

# Lists of the bindings are one argument, whose type and length say the rest; so is the command's, a file.
LISTS = {"frequencies_f32", "frequency_count", "factors_f32", "factor_count", "long_factors_f32"}
PADDING = {"has_padding"}  # padding_position is None, null or absent
SURFACES = {  # its text, what a member is called there, members that it need not have
    "C++": ("include/posenc/posenc.h include/posenc/rotary.h", "c.{snake} |c.{snake}[", {"sections"}),
    "Python": ("bindings/python/src/{noun}.cc", '{{"{snake}"', LISTS | PADDING | {"dim", "head_dim"}),
    "Python's fuzzer": ("bindings/python/tests/fuzz.py", "{snake}", LISTS | PADDING),
    "JavaScript": ("bindings/web/wasm/members.cc", "{struct}, {snake})", set()),
    "TypeScript": ("bindings/web/package/index.d.ts", "{camel}?:", LISTS | PADDING | {"unit", "dim", "head_dim"}),
    # It writes whole tables of good positions, and calls the unit of both nouns --unit.
    "the command": ("tools/command/*.cc", "{snake}",
                    LISTS | PADDING | {"nan_rows", "lists_only", "table_rows", "frequency_unit"}),
    "the fuzzers": ("tests/fuzz/*.cc", ".{snake}|->{snake}|::{snake}", set()),
    # Its encoders have lists in all units by Spec's name for it; Llama 3 is a preset.
    "verify": ("tools/verify/*.cc tools/verify/*.h", "{snake}",
               {"frequency_unit", "table_rows", "long_factors_f32", "high_freq_factor"}),
}
STRUCTS = {"posenc_spec": "encoder", "posenc_rotary_spec": "rotary"}

# Of which bindings and command make words. Types go by those of arrays; only C and C++ make
# positions from masks, which the normalizations are for.
WORDS = {
    "Python": "bindings/python/src/*.cc bindings/python/posenc/*.py",
    "JavaScript": "bindings/web/package/index.js",
    "the command": "tools/command/*.cc",
}
WORDLESS = {"POSENC_" + name for name in "F32 BF16 F16 F64 I32 I64 NO_NORMALIZATION NORMALIZE_F32 NORMALIZE_F64".split()}


def read(globs):
    return "\n".join(file.read_text(errors="replace") for glob in globs.split() for file in sorted(SOURCE.glob(glob)))


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def members(text, struct):
    body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (struct, struct), text, re.S).group(1)
    declarations = re.sub(r"//.*", "", body).split(";")
    names = [re.search(r"(\w+)(\[\w+\])?$", d.strip()).group(1) for d in declarations if d.strip()]
    return [name for name in names if name != "struct_size"]


def has_word(text, constant):
    """Whether the text quotes the word of a constant: "sin_cos" of POSENC_SIN_COS."""
    word = re.sub(r"^posenc_(odd_|cache_)?|_(axes|pairing)$", "", constant.lower())
    word = re.sub("^no_.*", "none", word)
    return re.search(r"""["'](%s|%s)["']""" % (word, word.replace("_", "-")), text) is not None


def main():
    headers = read("include/posenc/*_c.h")
    missing = []
    for struct, noun in STRUCTS.items():
        for surface, (globs, form, spared) in SURFACES.items():
            text = read(globs.format(noun=noun))
            for name in members(headers, struct):
                forms = form.format(snake=name, camel=camel(name), struct=struct).split("|")
                if name not in spared and not any(re.search(re.escape(f) + r"(?![a-z0-9_])", text) for f in forms):
                    missing.append(f"{surface}: {struct}.{name}")
    enums = [re.findall(r"(POSENC_\w+)\s*=", body) for body in re.findall(r"enum \{(.*?)\};", headers, re.S)]
    statuses = next(enum for enum in enums if "POSENC_OK" in enum)
    constants = {constant for enum in enums for constant in enum}
    cpp = read("include/posenc/posenc.h include/posenc/rotary.h include/posenc/grid.h include/posenc/positions.h")
    missing += [f"C++: {c}" for c in sorted(constants - WORDLESS) if not re.search(r"\b%s\b" % c, cpp)]
    missing += [f"sentences of statuses: {c}" for c in statuses if c not in read("src/api/status.cc")]
    for surface, globs in WORDS.items():
        text = read(globs)
        missing += [f"{surface}: {c}" for c in sorted(constants - set(statuses) - WORDLESS) if not has_word(text, c)]
    print("\n".join(missing) or "Nothing is missing.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
