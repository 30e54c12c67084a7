"""docs/speed_rotary.md: rotation in the run of docs/speed.json."""

from reporting.page import TYPES, created_rotary, filled, markdown, plain_target, wrapped
from reporting.rows import ROTARY_RIVALS, setting, short

TOKENS = ("1", "48", "512", "16384")
PAIRINGS = ("half_split", "interleaved")
WAYS = {"Rotate/exact": "exact", "RotateByAngles/exact": "exact, angles ready", "Rotate/fast": "fast",
        "RotateByAngles/fast": "fast, angles ready", "RotateCached": "with a cache"}
LIMITS = (("scale", "scaling the elements by 1"), ("memcpy", "copying the elements elsewhere"))
RIVALS = {
    "table": "is the plain loop of inference engines. It reads float32 cosines and sines from a table that was made before.",
    "wide_table": "is the same loop, compiled for the widest vectors of this CPU.",
    "simd_table": "is the same loop, written with AVX-512 or AVX2 intrinsics. It loads cosines and sines once for several heads.",
    "hw_table": "is the loop by hand, but it rounds to bfloat16 by an instruction that this CPU has.",
    "sincos": "has no table. It calls both functions for each token and pair.",
    "torch": "runs `apply_rotary_pos_emb` of transformers by libtorch, with a table that was made before."}
CONTENTS = {"nan": "NaN", "one_nan": "one NaN in each head", "inf": "infinities", "one_inf": "one infinity in each head",
            "subnormal": "subnormal numbers", "overflow": "+- the largest finite number", "wide": "numbers of any magnitude",
            "random": "random bits", "zeros": "zeros", "ones_beside_zeros": "pairs of 1 and 0"}
ANGLES = {"quarter_turns": "quarters and halves of a turn, with a scale of 0.75",
          "eighth_turns": "eighths of a turn, with integers from -9 to 9 without 0 as elements",
          "nearly_twelfths": "the doubles nearest to twelfths of a turn, with a scale of 0.75"}
NORM_TOKENS = ("1", "48", "16384")
NORM_CONTENTS = {"equal": "equal magnitudes", "equal_ties": "equal magnitudes, and 1 + weight is half-way between two floats",
                 "ties": "most results are half-way between two floats", **CONTENTS}
HARD = {"easy": "an ordinary angle", "256_bits": "an angle that takes 256 bits", "1024_bits": "an angle that takes 1,024 bits"}
CACHES = {"": "cosines and sines in one row", "duplicated/": "the two tables of transformers", "pairs/": "the layout of ggml"}


def slash(cells):
    """The cells for half-split pairs and neighbours, with / between them; a missing one is left out."""
    return " / ".join(cell for cell in cells if cell)


def rates(run, kind):
    """A line for each way to rotate, a column for each number of tokens, and for float32 the error."""
    two = run.targets[:2]

    def row(way, pairing, tokens, target):
        return run.by_name.get(f"{way}/{kind}/{pairing}/{tokens}x40x128/{target}")

    def own(way, target):
        cells = [slash(f"{found.gigabytes:.1f}" for pairing in PAIRINGS for found in [row(way, pairing, tokens, target)] if found)
                 for tokens in TOKENS]
        one = row(way, PAIRINGS[0], "1", target)
        return [f"posenc, {WAYS[way]}, {plain_target(target)}", *cells, short(one.counters["error"]) if one and "error" in one.counters else ""]

    def other(name, label):
        """The best rate among the rows that it was measured beside."""
        def best(pairing, tokens):
            beside = [found.gigabytes / found.counters[name + "_ratio"] for way in WAYS for target in two
                      for found in [row(way, pairing, tokens, target)] if found and name + "_ratio" in found.counters]
            return f"{max(beside):.1f}" if beside else ""

        one = row("Rotate/exact", PAIRINGS[0], "1", two[0])
        error = one.counters.get(name + "_error") if one else None
        return [label, *(slash(best(pairing, tokens) for pairing in PAIRINGS) for tokens in TOKENS),
                "" if error is None else short(error)]

    has_rows = {way for way in WAYS if any(row.name.startswith(f"{way}/{kind}/") for row in run.rows)}
    lines = [own(way, target) for target in two for way in WAYS if way in has_rows]
    lines += [other(name, label) for name, label in (*ROTARY_RIVALS, *LIMITS)]
    return filled(["GB/s", "1 token", *(f"{tokens} tokens" for tokens in TOKENS[1:]), "largest error at position 131071"], lines)


def rivals(run):
    """What the loops of others are, for those that the run has."""
    return "\n".join(wrapped(f"- **{label}** {RIVALS[name]}", 126) for name, label in ROTARY_RIVALS
                     if any(name + "_ratio" in row.counters for row in run.rows if row.operation in ("Rotate", "RotateByAngles", "RotateCached")))


def ready_angles(run):
    """What the lines of ready angles are, for runs that have them."""
    return """\
- **posenc, angles ready** computes no cosines and sines in the call: `Rotary::MakeAngles` made them before the timing. A model
  makes them once in each step, for all layers.
""" if any(row.operation == "RotateByAngles" for row in run.rows) else ""


def times_normal(run, rows):
    """How many times as long the calls of each row take as with normally distributed elements; one figure if they are equal."""
    times = [1 / run.by_name[name].counters["normal_ratio"] for name in rows if name in run.by_name]
    texts = [f"{time:.2g}" if time < 9.95 else f"{time:.0f}" for time in times]
    return slash(dict.fromkeys(texts))


def contents(run, lines, pairings, operation="Rotate"):
    """A line for each kind of elements, a column for each type and target. Rows of operations without pairings have none."""
    parts = [f"{pairing}/" for pairing in pairings] or [""]
    header = [f"{name}, {plain_target(target)}" for kind, name in TYPES[:3] for target in run.targets[:2]]
    return filled(["", *header], [[label, *(
        times_normal(run, [f"{operation}/exact/{kind}/{part}{content}/48x40x128/{target}" for part in parts])
        for kind, _ in TYPES[:3] for target in run.targets[:2])] for content, label in lines.items()])


def norms(run):
    """A line for each way to normalize and rotate heads of float32, a column for each number of tokens."""
    def cell(operation, arithmetic, tokens, target, rival=None):
        row = run.by_name.get(f"{operation}/{arithmetic}/f32/{tokens}x40x128/{target}")
        if row is None or (rival and rival + "_ratio" not in row.counters):
            return ""
        return f"{row.gigabytes / (row.counters[rival + '_ratio'] if rival else 1):.1f}"

    lines = []
    for target in run.targets[:2]:
        for arithmetic in ("exact", "fast"):
            for operation, ready in (("RotateNormed", ""), ("RotateNormedByAngles", ", angles ready")):
                lines.append([f"one call, {arithmetic}{ready}, {plain_target(target)}",
                              *(cell(operation, arithmetic, tokens, target) for tokens in NORM_TOKENS)])
            for rival, label in (("norm_passes", f"loop that normalizes, then `posenc_rotate`, {arithmetic}"),
                                 ("rotate", f"`posenc_rotate` without a norm, {arithmetic}")):
                lines.append([f"{label}, {plain_target(target)}",
                              *(cell("RotateNormed", arithmetic, tokens, target, rival) for tokens in NORM_TOKENS)])
        lines.append([f"loop that does both, {plain_target(target)}",
                      *(cell("RotateNormed", "fast", tokens, target, "avx2_fused") or cell("RotateNormed", "fast", tokens, target, "fused")
                        for tokens in NORM_TOKENS)])
    return filled(["GB/s", "1 token", *(f"{tokens} tokens" for tokens in NORM_TOKENS[1:])], lines)


def sums(run):
    return filled(["embeddings", *(name for _, name in TYPES[:3])],
                  [[CONTENTS[content], *(times_normal(run, [f"Embed/{kind}/{content}/512x512/{run.targets[0]}"]) for kind, _ in TYPES[:3])]
                   for content in ("nan", "inf", "subnormal", "overflow", "random")])


def hard(run):
    def cell(name):
        name = f"Hard/f64/{name}/{run.targets[0]}"
        return run.microseconds(name) if name in run.by_name else ""

    return filled(["microseconds", "frequency in a list", "frequency is a power of the base"],
                  [[label, cell(name), cell(name + "_of_base")] for name, label in HARD.items()])


def caches(run):
    def cell(kind, layout):
        row = run.by_name.get(f"RotaryCache/{kind}/4096x128/{layout}{run.targets[0]}")
        return f"{row.gigabytes:.1f} ({row.counters['write_ratio']:.2f})" if row else ""

    return filled(["GB/s", "float32", "bfloat16"], [[label, cell("f32", layout), cell("bf16", layout)] for layout, label in CACHES.items()])


def page(run):
    best = plain_target(run.targets[0])
    created = ("[speed.md](speed.md#creation) says how long it takes to create a rotary." if created_rotary(run) in run.by_name else
               "This run has no row for the creation of a rotary.")
    by_type = "\n\n".join(f"### {name}\n\n{rates(run, kind)}" for kind, name in TYPES[:3])
    return f"""\
# How fast is rotation?

{setting(run.context)}.

All figures are from one run of `posenc_bench` with one thread. Rates and ratios come from the best of nine rounds or more.
`tools/report` makes this page from the run's record, [speed.json](speed.json). [bench/README.md](../bench/README.md) says how
rotation is measured. [speed.md](speed.md) is about tables of encodings.

## How fast by type

Each call rotates the queries q (32 heads) and the keys k (8 heads) of some tokens in place. A head has 128 elements, which are
normally distributed. A single token is at position 131071. Several tokens begin at position 0. A rate is the bytes of all
elements divided by the best time. If a cell has two rates, the first is for half-split pairs (elements i and i + 64), and the
second for pairs of neighbours (elements 2i and 2i + 1).

The lines of the tables are loops:

- **posenc, exact** rounds each rotated element correctly. It computes the cosines and sines in each call.
- **posenc, fast** computes in float, and rounds each product and sum. It computes the cosines and sines in each call, too.
{ready_angles(run)}- **posenc, with a cache** multiplies and adds like **posenc, fast**, but it reads the cosines and sines from a cache. posenc wrote
  this cache before the timing, in the type of the elements.
{rivals(run)}
- **scaling the elements by 1** does not rotate. It reads and writes the elements in place, as rotation does, so it shows what
  memory and caches allow.
- **copying the elements elsewhere** does not rotate either. It touches twice as much memory, so it can be slower than
  rotation in place.

The last column of the first table has the largest error at position 131071. This is the largest difference between a
rotated element and the correctly rounded one, divided by the length hypot(a, b) of the pair (a, b).

{by_type}

![Speed against error for one token and for 512: posenc exact at error 0, posenc fast near 1e-7, tables and loops in float32 near 4e-3](rotary.png)

## What an input can cost

Exact rotation has a quick loop, which rounds nearly all elements. If this loop cannot tell how to round an element, a slower loop
computes it again. Rarely, the slower loop cannot tell either. Then there are two cases. If the angle is special, such as a
quarter turn, posenc has code for it. Otherwise posenc uses [wide arithmetic](#wide-arithmetic).

Unusual elements need the slower loop more often. In the next table, the first column names a kind of elements. The figures are
the time of a call with elements of this kind, divided by the time with normally distributed elements. So 2 means twice as long.
The calls rotate 48 tokens from position 1000 on. Their elements fit into the caches. If a cell has two figures, the first is for
half-split pairs, and the second for pairs of neighbours. One figure stands for both.

{contents(run, CONTENTS, PAIRINGS)}

Some angles also cost time. At these angles many results lie exactly between two numbers of the type, or the two products of
a rotated element cancel. The figures in the next table are the time of a call at the angles in the first column, divided by the
time at usual angles. The elements are normally distributed, except in the line for eighths of a turn. "With a scale of 0.75"
means that the call also multiplies the rotated elements by 0.75 (`scale` of the tensor). The calls rotate half-split pairs.

{contents(run, ANGLES, PAIRINGS[:1])}

The next table is about sums and not about rotation. `posenc_embed` adds encodings to embeddings, here to 512 rows of 512
columns, with {best}. The figures are the time with embeddings of the kind in the first column, divided by the time with
normally distributed embeddings.

{sums(run)}

## Wide arithmetic

Wide arithmetic is the last resort, for rotation and for tables. All faster code computes with a small error. If this error leaves
open to which of two numbers a result must be rounded, posenc computes the result with 256 bits. If 256 bits leave it open, too,
posenc computes with 1,024 bits.

The table has the mean time of a call of `posenc_write_at` that writes one row of doubles. The row has a pair with the angle in the
first column. The angles that take 256 and 1,024 bits were constructed. It matters how the spec gives the frequency of this pair,
because arithmetic with 1,024 bits needs the frequency in 1,024 bits, too. There are two cases:

- **frequency in a list:** the caller gave the frequency. The row has no other pair.
- **frequency is a power of the base:** posenc computes the frequency. The row has one more pair, which is at an ordinary angle.

{hard(run)}

A rotary can need more time for 1,024 bits than this table shows. An example is the scaling `POSENC_MIXED_NTK`, whose formula
for frequencies has more logarithms.

## Norms

A call can normalize the heads before it rotates them ([how](rotary.md#norm-and-rotation-in-one-pass)). The table is about
float32, half-split pairs, and heads of 128 elements. Each head has its own mean. A rate is the bytes of all elements divided by
the best time. The lines of the table are ways to normalize and rotate:

- **one call** is `posenc_rotate` with a norm. With "angles ready" it is `posenc_rotate_by_angles` with a norm, which reads cosines
  and sines that `posenc_angles_make` computed before the timing.
- **loop that normalizes, then `posenc_rotate`** goes through the elements twice. The loop is written with AVX-512 or AVX2
  intrinsics. It does not round correctly.
- **`posenc_rotate` without a norm** shows what the rotation alone takes.
- **loop that does both** is written with intrinsics, too. It normalizes each head and rotates it by a table of cosines and sines
  that was made before.

{norms(run)}

Unusual elements make an exact norm slower, too. It also takes longer if its results are half-way between two floats, or almost. The
figures in the next table are the time of an exact call with the elements in the first column, divided by the time of a call with
the same norm and normally distributed elements.

{contents(run, NORM_CONTENTS, (), "RotateNormed")}

## Caches of cosines and sines

The table has the rate at which `posenc_write_cache` writes a cache for 4096 positions and head dim 128, with {best}. The figure in
brackets compares this with a table of encodings: it is the rate of the cache divided by the rate at which `posenc_write` writes a
table with as many entries. This table has 4096 rows. For the two tables of transformers its rows have 256 columns, and otherwise
128 columns.

{caches(run)}

{created}
"""
