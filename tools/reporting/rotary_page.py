"""docs/speed_rotary.md: rotation in the run of docs/speed.json."""

from reporting.page import TYPES, created_rotary, filled, markdown, plain_target, wrapped
from reporting.rows import ROTARY_RIVALS, setting, short

TOKENS = ("1", "48", "512", "16384")
PAIRINGS = ("half_split", "interleaved")
WAYS = {"Rotate/exact": "exact", "Rotate/fast": "fast", "RotateCached": "with a cache"}
LIMITS = (("scale", "scaling the elements by 1"), ("memcpy", "copying the elements elsewhere"))
RIVALS = {
    "table": "is the plain loop of inference engines. It reads float32 cosines and sines from a table that was made before.",
    "wide_table": "is the same loop, compiled for the widest vectors of this CPU.",
    "simd_table": "is written with AVX-512 or AVX2 intrinsics. It loads cosines and sines once for several heads. It is the fastest "
                  "loop that engines have.",
    "hw_table": "is the loop by hand with the CPU's own conversion to bfloat16.",
    "sincos": "has no table. It calls both functions for each token and pair.",
    "torch": "runs `apply_rotary_pos_emb` of transformers by libtorch, with a table that was made before."}
CONTENTS = {"nan": "NaN", "one_nan": "one NaN in each head", "inf": "infinities", "one_inf": "one infinity in each head",
            "subnormal": "subnormal numbers", "overflow": "+- the largest finite number", "wide": "numbers of any magnitude",
            "random": "random bits", "zeros": "zeros", "ones_beside_zeros": "pairs of 1 and 0"}
ANGLES = {"quarter_turns": "quarters and halves of a turn, elements scaled by 0.75",
          "eighth_turns": "eighths of a turn, elements are integers from -9 to 9",
          "nearly_twelfths": "the doubles nearest to twelfths of a turn, elements scaled by 0.75"}
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

    lines = [own(way, target) for target in two for way in WAYS]
    lines += [other(name, label) for name, label in (*ROTARY_RIVALS, *LIMITS)]
    return filled(["GB/s", "1 token", *(f"{tokens} tokens" for tokens in TOKENS[1:]), "largest error at position 131071"], lines)


def rivals(run):
    """What the loops of others are, for those that the run has."""
    return "\n".join(wrapped(f"- **{label}** {RIVALS[name]}", 126) for name, label in ROTARY_RIVALS
                     if any(name + "_ratio" in row.counters for row in run.rows if row.operation in ("Rotate", "RotateCached")))


def times_normal(run, rows):
    """How many times as long the calls take as with normally distributed elements; a range over the rows."""
    times = [1 / run.by_name[name].counters["normal_ratio"] for name in rows if name in run.by_name]
    texts = [f"{time:.2g}" if time < 9.95 else f"{time:.0f}" for time in (min(times), max(times))] if times else []
    return "-".join(dict.fromkeys(texts))


def contents(run, lines, pairings):
    header = [f"{name}, {plain_target(target)}" for kind, name in TYPES[:3] for target in run.targets[:2]]
    return filled(["", *header], [[label, *(
        times_normal(run, [f"Rotate/exact/{kind}/{pairing}/{content}/48x40x128/{target}" for pairing in pairings])
        for kind, _ in TYPES[:3] for target in run.targets[:2])] for content, label in lines.items()])


def sums(run):
    return filled(["elements", *(name for _, name in TYPES[:3])],
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
    created = ("[speed.md](speed.md#creation) says how long the creation of a rotary takes." if created_rotary(run) in run.by_name else
               "This run has no row for the creation of a rotary.")
    by_type = "\n\n".join(f"### {name}\n\n{rates(run, kind)}" for kind, name in TYPES[:3])
    return f"""\
# How fast is rotation?

{setting(run.context)}.

All figures are from one run of `posenc_bench` with one thread. Rates and ratios come from the best of nine rounds or more.
`tools/report` makes this page from the run's record, [speed.json](speed.json). [bench/README.md](../bench/README.md) says
what each row measures. [speed.md](speed.md) is about tables of encodings.

posenc rotates q (32 heads) and k (8 heads) in place, [tokens, heads, 128], with normally distributed elements. A rate is the
bytes of the elements divided by the best time. If a cell has two rates, the first is for half-split pairs (elements i and
i + 64), and the second for pairs of neighbours (elements 2i and 2i + 1). A single token is at position 131071. Several tokens
begin at position 0.

The lines and the last column of the tables are:

- **exact** rounds each element once. **fast** computes in float, and rounds each product and sum. Both compute cosines and
  sines in each call.
- **with a cache** is the fast arithmetic, with cosines and sines from a cache. posenc wrote this cache before the timing, in
  the type of the elements.
{rivals(run)}
- **scaling the elements by 1** does not rotate. It reads and writes the elements in place, as rotation does, so it shows what
  memory and caches allow.
- **copying the elements elsewhere** does not rotate either. It touches twice as much memory, so it can be slower than posenc
  if no cache holds the memory.
- **largest error** is the largest difference from the correctly rounded elements, divided by the length of the pair,
  hypot(a, b).

## How fast by type

{by_type}

![Speed against error for one token and for 512: posenc exact at error 0, posenc fast near 1e-7, tables and loops in float32 near 4e-3](rotary.png)

## What an input can cost

Exact rotation has a quick loop, which rounds nearly all elements. If this loop cannot tell how to round an element, a slower
loop computes it again. If the slower loop cannot tell either, which is rare, a special case for the angle decides (as for
quarter turns), or [wide arithmetic](#wide-arithmetic).

Unusual elements need the slower loop more often. The first column names a kind of elements. The figures are the time of a
call with elements of this kind, divided by the time with normally distributed elements. So 2 means twice as long. The calls
are for 48 tokens, which the caches hold. If a cell has two figures, the two pairings differ.

{contents(run, CONTENTS, PAIRINGS)}

Some angles also cost time. At these angles many results lie exactly between two numbers of the type, or the two products
cancel. Elements are normally distributed unless the first column says otherwise. The figures are the time of a call at such
angles, divided by the time with normally distributed elements at usual angles. The calls are for half-split pairs.

{contents(run, ANGLES, PAIRINGS[:1])}

The next table is for `posenc_embed`, which adds encodings to embeddings. The calls are for 512 rows of 512 columns, with
{best}. The figures are the time with embeddings of the kind in the first column, divided by the time with normally
distributed embeddings.

{sums(run)}

## Wide arithmetic

Wide arithmetic is the last resort, for rotation and for tables. If the error bounds of all faster steps leave two ways to
round a result, posenc computes this result with 256 bits. If these leave two ways as well, it computes with 1,024 bits.

The table has the time of a call of `posenc_write_at` that writes one row of doubles. Except in the first line, one pair of
the row has an angle that was constructed to take so many bits. In the first column of times, the caller gave the frequency of
this pair in a list, and the row has no other pair. In the second one, the frequency is a power of the base, and the row has
one more pair at an ordinary angle.

{hard(run)}

With 1,024 bits a rotary takes longer if the formula of its scaling has more logarithms, as for `POSENC_MIXED_NTK`.

## Caches of cosines and sines

The table has the rate at which `posenc_write_cache` writes a cache for 4096 positions and head dim 128, with {best}. In
brackets is this rate divided by the rate at which `posenc_write` writes a table with the same number of rows and columns.

{caches(run)}

{created}
"""
