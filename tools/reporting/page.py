"""What pages say about a run: docs/speed.md, and blocks of README.md, docs/alternatives.md and docs/performance.md."""

import math
import textwrap

from reporting.blocks import replace
from reporting.rows import (ACCURACY_SHAPE, ROTARY_RIVALS, day, main_targets, number, select, setting, size_label, sort_by_size,
                            unique)

TYPES = (("f32", "float32"), ("bf16", "bfloat16"), ("f16", "float16"), ("f64", "double"))
IN_CACHE, IN_MEMORY = "512x512", "65536x1024"
SHAPES = ("1x1024", IN_CACHE, ACCURACY_SHAPE, IN_MEMORY)  # of the table of figures
PEERS = {"libmvec": "libmvec, float, {widest}", "eigen": "Eigen, float", "sleef_float": "SLEEF float u10, {widest}",
         "sleef_double": "SLEEF double, rounded to float, {widest}", "pytorch": "the PyTorch recipe, {version}",
         "scalar_libm": "scalar `expf`, `sinf`, `cosf`"}
CREATED = (128, 512, 1024)  # dims
FLOAT_PEERS = ("eigen", "libmvec", "sleef_float")
DOUBLE_PEERS = {"sleef_f64": "SLEEF u10, {widest}", "sleef_f64_avx2": "SLEEF u10, AVX2",
                "scalar_libm_f64": "scalar `exp`, `sin`, `cos`"}


def plain_target(target):
    """The usual name of an instruction set. Several of Highway's have the same; main_targets leaves one of them."""
    return "AVX-512" if target.startswith("AVX3") else target


class Run:
    def __init__(self, context, rows):
        self.context, self.rows = context, rows
        self.by_name = {row.name: row for row in rows}
        self.targets = main_targets(select(rows, "Write", "f32", ""))

    def row(self, name):
        """KeyError says which row is missing."""
        return self.by_name[name]

    def rate(self, name):
        return f"{self.row(name).gigabytes:.1f}" if name in self.by_name else ""

    def ratio(self, name, counter, digits=2):
        return f"{self.row(name).counters[counter]:.{digits}f}"

    def microseconds(self, name):
        return number(float(f"{self.row(name).counters['real_time']:.2g}"))

    def entries(self, name):
        return self.row(name).counters["entries_per_second"]


def markdown(header, rows):
    lines = ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in (header, *rows)]
    return "\n".join([lines[0], "|---" * len(header) + "|", *lines[1:]])


def filled(header, rows):
    """A table without the columns and rows that the run has nothing for; the first column names the rows."""
    rows = [row for row in rows if any(row[1:])]
    if not rows:
        return "This run has no rows for this table."
    kept = [0] + [k for k in range(1, len(header)) if any(row[k] for row in rows)]
    return markdown([header[k] for k in kept], [[row[k] for k in kept] for row in rows])


def wrapped(text, width=120):
    """Each line by itself, lists with what follows indented."""
    return "\n".join(textwrap.fill(line, width, subsequent_indent="  " if line.startswith("- ") else "",
                                   break_long_words=False, break_on_hyphens=False) for line in text.split("\n"))


def wrong(share):
    """70 %, or 1 in 850,000."""
    if share >= 0.01:
        return f"{100 * share:.0f} %"
    return f"1 in {round(1 / share, 1 - int(math.log10(1 / share))):,.0f}" if share else "none"


def figures(run):
    """A table in GB/s: posenc, then other libraries."""
    widest = plain_target(run.context["limits_target"])

    def line(name, label, target=None):
        return [label, *(run.rate("/".join([name, shape, *([target] if target else [])])) for shape in SHAPES)]

    def peers(names, prefix, first):
        for name, label in names.items():
            if f"Peer/{name}/{ACCURACY_SHAPE}" not in run.by_name:
                continue
            row = run.row(f"Peer/{name}/{ACCURACY_SHAPE}")
            share = wrong(row.counters["misrounded"])
            said = f"{share} of entries are not correctly rounded" if first else share
            first = False
            label = label.format(widest=widest, version=" ".join(row.label.split()[:2]))
            yield line(f"Peer/{name}", f"{prefix}{label} ({said})")

    def own(kind, prefix):
        return [line(f"Write/{kind}", f"{prefix}posenc, {plain_target(target)}", target) for target in run.targets]

    return markdown(["", *(shape.replace("x", " x ") for shape in SHAPES)],
                    own("f32", "") + [line("Limit/stream", "streaming stores")] + list(peers(PEERS, "", True))
                    + own("f64", "*doubles:* ") + list(peers(DOUBLE_PEERS, "*doubles:* ", False)))


def also(run):
    """Other figures; for the best target, unless a sentence names one."""
    best = run.targets[0]
    add, table, memory = f"Add/{{}}/{IN_MEMORY}/{best}", f"Write/{{}}/{IN_MEMORY}/{{}}", IN_MEMORY.replace("x", " x ")
    others = "".join(f" ({plain_target(target)}: {run.ratio(table.format('bf16', target), 'f32_ratio')})"
                     for target in run.targets[1:2])
    sums = [run.entries(add.format(kind)) / run.entries(add.format("f32")) for kind in ("bf16", "f16")]
    steps = f"Timesteps/f32/64x320/{best}"
    return wrapped(f"""\
- `Write` of {memory} makes {run.ratio(table.format("bf16", best), "f32_ratio")} times as many entries a second in bfloat16 as in \
float32{others}, and {run.ratio(table.format("f16", best), "f32_ratio")} times as many in float16. For these ratios calls of both \
types took turns. The table in [What do 16 bits cost?](#what-do-16-bits-cost) measured one type after the other. So a quotient of \
two of its rates is less reliable, and can be far from the ratio given here if the machine was busy.
- `Add` to {memory} adds {sums[0]:.2f} times as many entries a second in bfloat16 as in float32, and {sums[1]:.2f} times as many \
in float16. Both figures are quotients of rates that were measured one after the other, so they are less reliable, too.
- Two threads write {IN_CACHE.replace("x", " x ")} at \
{run.ratio(f"Write/f32/{IN_CACHE}/threads:2/{best}", "speedup")} times the rate of one thread. This compares the best round with two threads to the best round with one.
- A table of 4096 x 128 with base 500000 has many small entries. It is written at \
{run.ratio(f"Write/f32/4096x128/base500000/{best}", "base10000_ratio")} times the rate of the same table with base 10000.
- 64 timesteps of diffusion models, with 320 columns each, take {run.microseconds(steps)} microseconds. A \
[reimplementation](../bench/README.md#columns) of ggml's loop takes {run.ratio(steps, "ggml_ratio", 0)} times as long.
- `posenc_encoder_memory_size` takes {run.microseconds(f"MemorySize/1024/{best}")} microseconds for dim 1024.""")


def created_rotary(run):
    """The row for the creation of a rotary, which old runs have not."""
    return f"Create/llama3/128/{run.targets[0]}"


def creation(run):
    """Microseconds; in brackets, of a call after other work has emptied the caches."""
    def cell(name):
        if name not in run.by_name:
            return ""
        cold = run.row(name).counters.get("cold_us")
        return run.microseconds(name) + (f" ({number(float(f'{cold:.2g}'))})" if cold else "")

    lines = [[f"`posenc_encoder_create`, {plain_target(target)}", *(cell(f"Create/f32/{dim}/{target}") for dim in CREATED)]
             for target in run.targets]
    lines.append([f"`posenc_encoder_create` with `lists_only`, {plain_target(run.targets[0])}",
                  *(cell(f"Create/f32/{dim}/lists_only/{run.targets[0]}") for dim in CREATED)])
    lines.append([f"`posenc_rotary_create`, scaling of Llama 3.1, {plain_target(run.targets[0])}", cell(created_rotary(run)), "", ""])
    return filled(["microseconds", *(f"dim {dim}" for dim in CREATED)], lines)


def compared(run, *wanted):
    """The speed of the best target, divided by the speed of another way; also where it is slower. wanted: how
    the names of the lines begin."""
    best = run.targets[0]

    def ratio(name, counter):
        return f"{run.row(name).counters[counter]:.2g}" if name in run.by_name else ""

    def fastest(shape):
        rows = [run.by_name[name] for name in (f"Peer/{peer}/{shape}" for peer in FLOAT_PEERS) if name in run.by_name]
        return f"{min(row.counters['posenc_speedup'] for row in rows):.2g}" if rows else ""

    def peer(name):
        return [ratio(f"Peer/{name}/{shape}", "posenc_speedup") for shape in SHAPES[:3]]

    def add(kind):
        return [ratio(f"Add/{kind}/{shape}/{best}", "table_add_ratio") for shape in (SHAPES[0], IN_CACHE, IN_MEMORY)]

    def rotate(arithmetic, kind):
        """Beside the fastest of the loops over a table."""
        def cell(tokens):
            row = run.by_name.get(f"Rotate/{arithmetic}/{kind}/half_split/{tokens}x40x128/{best}")
            ratios = [row.counters[name + "_ratio"] for name, _ in ROTARY_RIVALS if name + "_ratio" in row.counters] if row else []
            return f"{min(ratios):.2g}" if ratios else ""

        return [cell(tokens) for tokens in (1, 512, 16384)]

    lines = [["makes a float32 table", "the fastest of Eigen, libmvec and SLEEF in float32", *map(fastest, SHAPES[:3])],
             ["makes a float32 table", "SLEEF in double, rounded to float32", *peer("sleef_double")],
             ["makes a float32 table", "[the PyTorch recipe](bench/README.md#peers), eager", *peer("pytorch")],
             ["adds to float32 activations", "adding a table that was made before", *add("f32")],
             ["adds to bfloat16 activations", "adding a bfloat16 table that was made before", *add("bf16")],
             *([f"rotates {name}, {way}", "the fastest loop over a table of cosines and sines", *rotate(arithmetic, kind)]
               for kind, name in TYPES[:2] for arithmetic, way in (("exact", "exactly"), ("fast", "in the fast arithmetic")))]
    lines = [line for line in lines if line[0].startswith(wanted) and any(line[2:])]
    return markdown(["what posenc does", "compared with", "one row or token", "512 rows or tokens", "large"], lines)


def measured(run):
    """Names the run."""
    return f"{run.context['cpu']}, {plain_target(run.targets[0])}, one thread, {day(run.context)}"


# Instruction sets of recorded runs for which posenc is not compiled any more (src/kernel/highway_settings.h).
FORMER = ("SSSE3", "SSE2")

SIZES = """A single row has 1,024 elements, and so has each of the 65,536 rows. All other rows have 512 elements. \
A token has 40 heads of 128 elements."""


def rotated(run):
    """The end of the sentence about large sizes."""
    large = any(row.name.startswith("Rotate/") and "/half_split/16384x40x128/" in row.name for row in run.rows)
    return "and 16,384 tokens for rotating." if large else "and 16,384 tokens for rotating, which this run did not measure."


def readme(run, text):
    said = wrapped("The table has the speed of posenc divided by the speed of another way. Where a figure is above 1, posenc is faster. All figures "
                   f"are from [one run](docs/speed.md): {measured(run)}. \"Large\" is 5,000 rows for making a table, 65,536 rows for "
                   f"adding, {rotated(run)} {SIZES} [More about rotation](docs/speed_rotary.md).", 140)
    return replace(text, "report", "compared", f"{said}\n\n{compared(run, 'makes', 'adds', 'rotates float32')}")


def alternatives(run, text):
    said = wrapped(f"The next table has the speed of posenc divided by the speed of a table that was made before. Where a figure is above 1, posenc is "
                   f"faster. All figures are from [one run](speed.md): {measured(run)}. \"Large\" is 65,536 rows for adding, {rotated(run)} {SIZES}")
    return replace(text, "report", "tables", f"{said}\n\n{compared(run, 'adds', 'rotates')}")


def performance(run, text):
    """The decode step of docs/performance.md by each instruction set, in microseconds."""
    rows = [row for row in run.rows if row.name.startswith("Rotate/exact/f32/half_split/1x40x128/")]
    times = [1e6 * 40 * 128 / row.counters["entries_per_second"] for row in rows]
    said = wrapped("The benchmark times the same call: exact rotation of 40 heads with 128 float32 elements each. These are the "
                   f"benchmark's times in microseconds, from [one run](speed.md): {measured(run)}."
                   + "".join(f" {row.target} was an instruction set of posenc at that commit, and is none any more."
                             for row in rows if row.target in FORMER))
    cells = [f"{time:,.3g}" if time < 100 else f"{time:,.0f}" for time in times]
    return replace(text, "report", "targets", f"{said}\n\n{markdown([row.target for row in rows], [cells])}")


def page(run):
    best, cache = run.targets[0], size_label(IN_CACHE).split("\n")[1]
    shapes = sort_by_size(unique(row.shape for row in select(run.rows, "Write", "f32", "")))
    rates = markdown(["GB/s", *(plain_target(target) for target in run.targets)],
                     [[shape, *(run.rate(f"Write/f32/{shape}/{target}") for target in run.targets)] for shape in shapes])
    entries = markdown(["10^9 entries a second", *(f"{plain_target(target)}, {where}" for target in run.targets
                                                   for where in (cache, "256 MiB"))],
                       [[name, *(f"{run.entries(f'Write/{kind}/{shape}/{target}') / 1e9:.2g}" for target in run.targets
                                 for shape in (IN_CACHE, IN_MEMORY))] for kind, name in TYPES])
    name = "" if plain_target(best) == best else f" The instruction set that this page calls {plain_target(best)} is the one that `posenc targets` calls {best}."
    said = wrapped("This page says how fast posenc makes tables of encodings (`Write`, in C `posenc_write`) and adds encodings to "
                   "activations (`Add`, in C `posenc_add`). "
                   "[speed_rotary.md](speed_rotary.md) is about rotation. [bench/README.md](../bench/README.md) says how posenc is measured, "
                   "and [src/SPEED.md](../src/SPEED.md) says what limits the speed of its loops. To measure your own machine, run "
                   "`tools/quickstart`.")
    how = wrapped("All figures are from one run of `posenc_bench`, with one thread unless a line says two. Rates and ratios come from "
                  "the best of nine rounds or more. Microseconds are the mean time of a call. Sizes are rows x "
                  "columns." + name + " `tools/report` makes this page from the run's record, [speed.json](speed.json).")
    add = wrapped(f"The picture compares posenc with loops that compute no encodings. It has the speed of posenc with {plain_target(best)}, "
                  "divided by the speed of such a loop. Where a figure is above 1, posenc is faster. `Write` is compared with two loops that fill the table "
                  "with one number: `memset`, and streaming stores, which bypass the caches. `Add` is compared with a loop that adds a "
                  "table that was made before. If no cache holds this table, the loop reads it from memory.\n\n"
                  f"`Add` to {IN_MEMORY.replace('x', ' x ')} runs at "
                  f"{run.ratio(f'Add/f32/{IN_MEMORY}/{best}', 'table_add_ratio')} times the speed of adding a table. `Add` to "
                  f"{IN_CACHE.replace('x', ' x ')}, which a cache holds, runs at {run.ratio(f'Add/f32/{IN_CACHE}/{best}', 'table_add_ratio')} "
                  f"times that speed. `Add` to one row runs at {run.ratio(f'Add/f32/{SHAPES[0]}/{best}', 'table_add_ratio')} times that speed.")
    return f"""\
# How fast?

{said}

{setting(run.context)}.

{how}

## How fast is my instruction set?

![GB/s by instruction set and size. Left: making a table, beside loops of other libraries. Right: adding to activations, beside adding a table that was made before](speed.png)

The table says how fast `Write` makes a float32 table.

{rates}

## How fast are other libraries?

The table says how many GB a second each way writes. Behind the name of another library, brackets have the share of its
entries that are not correctly rounded, in the table of 5000 x 512. posenc rounds all entries correctly. Empty cells were not
measured.

The line "streaming stores" is a loop that computes nothing. It fills the table with one number, by stores that bypass the
caches. So it shows what memory allows. It is no upper limit for tables that fit in a cache.

{figures(run)}

![Speed against accuracy: posenc at error 0, others up to 4e-4 wrong](accuracy.png)

## What do 16 bits cost?

![Entries a second by instruction set and type, in a cache and in memory](speed_types.png)

Two sizes were measured. {IN_CACHE.replace("x", " x ")} entries take {cache} in float32, and {IN_MEMORY.replace("x", " x ")} entries take 256 MiB.
In 16 bits they take half of that, and in double twice as much. The columns are named by the size in float32.

{entries}

[accuracy.md](accuracy.md) says what 16 bits cost in accuracy.

## How near is posenc to the speed of memory?

![The speed of posenc divided by the speed of memset, of streaming stores, and of adding a table that was made before](speed_memory.png)

{add}

## Also

{also(run)}

## Creation

The table has the mean time of a call. In brackets is the median time of nine calls, each after other work had emptied the
caches. Nine calls are few, so the figures in brackets are rough.

With `lists_only` an encoder prepares nothing for consecutive positions. So it is created faster, but its `Write` and `Add`,
which take consecutive positions, are slower.

{creation(run)}
"""
