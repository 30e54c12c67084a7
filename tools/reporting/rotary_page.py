"""docs/speed_rotary.md: rotation in the run of docs/speed.json."""

from reporting.page import TYPES, filled, markdown, plain_target
from reporting.rows import ROTARY_RIVALS, setting, short

TOKENS = ("1", "48", "512", "16384")
PAIRINGS = ("half_split", "interleaved")
WAYS = {"Rotate/exact": "exact", "Rotate/fast": "fast", "RotateCached": "with a cache"}
LIMITS = (("scale", "scaling the elements by 1"), ("memcpy", "copying the elements elsewhere"))
CONTENTS = {"nan": "NaN", "one_nan": "one NaN in each head", "inf": "infinities", "one_inf": "one infinity in each head",
            "subnormal": "subnormal", "overflow": "+- the largest finite number", "wide": "of any magnitude",
            "random": "random bits", "zeros": "zeros", "ones_beside_zeros": "pairs of 1 and 0"}
ANGLES = {"quarter_turns": "quarters and halves of a turn, scale 0.75", "eighth_turns": "eighths of a turn, elements +-1 to +-9",
          "nearly_twelfths": "the doubles nearest to twelfths of a turn, scale 0.75"}
HARD = {"easy": "an ordinary angle", "256_bits": "256 bits decide", "1024_bits": "1,024 bits decide"}
CACHES = {"": "cosines and sines in one row", "duplicated/": "the two tables of transformers", "pairs/": "the layout of ggml"}


def slash(cells):
    """The cells for halves and neighbours, with / between them; a missing one is left out."""
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
    by_type = "\n\n".join(f"### {name}\n\n{rates(run, kind)}" for kind, name in TYPES[:3])
    return f"""\
# How fast is rotation?

{setting(run.context)}.

All figures are from one run of `posenc_bench` with one thread. `tools/report` makes this page from the run's record,
[speed.json](speed.json). [bench/README.md](../bench/README.md) says what each row measures. [speed.md](speed.md) is about
tables of encodings.

posenc rotates q (32 heads) and k (8 heads) in place, [tokens, heads, 128], with normally distributed elements. A rate is the
bytes of the elements divided by the best time. If a cell has two rates, the first is for pairs in halves (elements i and
i + 64), and the second for pairs of neighbours (elements 2i and 2i + 1). A single token is at position 131071. Several tokens
begin at position 0.

- **exact** rounds each element once. **fast** computes in float, and rounds each product and sum. Both compute cosines and
  sines in each call.
- **with a cache** is the fast arithmetic, with cosines and sines from a cache. posenc wrote the cache before, in the type of
  the elements.
- **A loop over a table** is what inference engines do. "Vectors by hand" is the fastest loop that they have. It uses
  intrinsics for the widest vectors of this CPU, and loads cosines and sines once for several heads.
- **Scaling and copying** do not rotate. They show what memory and caches allow.
- **The largest error** is the largest difference from the correctly rounded elements, divided by the length of the pair,
  hypot(a, b).

## How fast by type

{by_type}

![Speed against error for one token and for 512: posenc exact at error 0, posenc fast near 1e-7, tables and loops in float32 near 4e-3](rotary.png)

## What an input can cost

Exact rotation has a quick loop, which rounds nearly all elements. If this loop cannot tell how to round an element, a slower
loop computes it again. Unusual elements need the slower loop more often. The table says how many times as long a call takes
with them as with normally distributed elements. It is for 48 tokens, which the caches hold. A range covers both pairings.

{contents(run, CONTENTS, PAIRINGS)}

Some angles also cost time, because many results lie exactly between two numbers of the type, or because the two products
cancel. The next table says how many times as long a call takes at such angles as with normally distributed elements at usual
angles. It is for pairs in halves.

{contents(run, ANGLES, PAIRINGS[:1])}

The next table is for `posenc_embed`, which adds encodings to embeddings: 512 rows of 512 columns, with {best}. It says how many
times as long a call takes as with normally distributed embeddings, if all elements are of the kind in the first column.

{sums(run)}

## Wide arithmetic

If vectors and doubles cannot decide how a result is rounded, posenc computes it with 256 bits. If these cannot decide it
either, posenc computes it with 1,024 bits. The table has the time of a call that writes one pair as doubles. The angles were
constructed to need so many bits.

{hard(run)}

1,024 bits take longer if the formula of the scaling has more logarithms (`POSENC_MIXED_NTK`).

## Caches of cosines and sines

The table has the rate at which posenc writes a cache for 4096 positions and head dim 128, with {best}. In brackets is this
rate divided by the rate at which `posenc_write` writes a table with the same number of rows and columns.

{caches(run)}

[speed.md](speed.md#creation) says how long the creation of a rotary takes.
"""
