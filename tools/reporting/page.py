"""What readers see of a run: docs/speed.md, a picture a question, and the table of README.md."""

import math
import textwrap

from reporting.blocks import replace
from reporting.rows import ACCURACY_SHAPE, main_targets, number, select, setting, size_label, sort_by_size, unique

TYPES = (("f32", "float32"), ("bf16", "bfloat16"), ("f16", "float16"), ("f64", "double"))
IN_CACHE, IN_MEMORY = "512x512", "65536x1024"
SHAPES = ("1x1024", IN_CACHE, ACCURACY_SHAPE, IN_MEMORY)  # of the table of figures
PEERS = {"libmvec": "libmvec, float, {widest}", "eigen": "Eigen, float", "sleef_float": "SLEEF float u10, {widest}",
         "sleef_double": "SLEEF double, rounded to float, {widest}", "pytorch": "the PyTorch recipe, {version}",
         "scalar_libm": "scalar `expf`, `sinf`, `cosf`"}
FLOAT_PEERS = ("eigen", "libmvec", "sleef_float")
DOUBLE_PEERS = {"sleef_f64": "SLEEF u10, {widest}", "sleef_f64_avx2": "SLEEF u10, AVX2",
                "scalar_libm_f64": "scalar `exp`, `sin`, `cos`"}


def plain_target(target):
    """The name that everybody else has for it; main_targets leaves one of those that have the same."""
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


def wrapped(text):
    """Each line by itself, lists with what follows indented."""
    return "\n".join(textwrap.fill(line, 120, subsequent_indent="  " if line.startswith("- ") else "",
                                   break_long_words=False, break_on_hyphens=False) for line in text.split("\n"))


def wrong(share):
    """70 %, or 1 in 850,000."""
    if share >= 0.01:
        return f"{100 * share:.0f} %"
    return f"1 in {round(1 / share, 1 - int(math.log10(1 / share))):,.0f}" if share else "none"


def figures(run):
    """A table in GB/s: posenc beside other libraries."""
    widest = plain_target(run.context["limits_target"])

    def line(name, label, target=None):
        return [label, *(run.rate("/".join([name, shape, *([target] if target else [])])) for shape in SHAPES)]

    def peers(names, prefix, first):
        for name, label in names.items():
            if f"Peer/{name}/{ACCURACY_SHAPE}" not in run.by_name:
                continue
            row = run.row(f"Peer/{name}/{ACCURACY_SHAPE}")
            share = wrong(row.counters["misrounded"])
            said = f"{share} of entries not correctly rounded" if first else share
            first = False
            label = label.format(widest=widest, version=" ".join(row.label.split()[:2]))
            yield line(f"Peer/{name}", f"{prefix}{label} ({said})")

    def own(kind, prefix):
        return [line(f"Write/{kind}", f"{prefix}posenc, {plain_target(target)}", target) for target in run.targets]

    return markdown(["", *(shape.replace("x", " x ") for shape in SHAPES)],
                    own("f32", "") + [line("Limit/stream", "streaming stores")] + list(peers(PEERS, "", True))
                    + own("f64", "*doubles:* ") + list(peers(DOUBLE_PEERS, "*doubles:* ", False)))


def also(run):
    """Other figures: of the best target, where none is named."""
    best, last = run.targets[0], run.targets[-1]
    add, table = f"Add/{{}}/{IN_MEMORY}/{best}", f"Write/{{}}/{IN_MEMORY}/{{}}"
    others = "".join(f" ({plain_target(target)}: {run.ratio(table.format('bf16', target), 'f32_ratio')})"
                     for target in run.targets[1:2])
    sums = [run.entries(add.format(kind)) / run.entries(add.format("f32")) for kind in ("bf16", "f16")]
    steps = f"Timesteps/f32/64x320/{best}"
    create = {dim: run.microseconds(f"Create/f32/{dim}/{best}") for dim in (128, 1024)}
    lists = {dim: run.microseconds(f"Create/f32/{dim}/lists_only/{best}") for dim in (128, 1024)}
    return wrapped(f"""\
- `Add` to a table of 256 MiB: {run.ratio(add.format("f32"), "table_add_ratio")} times the rate of adding a precomputed \
table; of 1 MiB, which a cache holds, {run.ratio(f"Add/f32/{IN_CACHE}/{best}", "table_add_ratio")} times.
- 16 bits, 256 MiB: bfloat16 {run.ratio(table.format("bf16", best), "f32_ratio")} times float32's entries a second{others}, \
float16 {run.ratio(table.format("f16", best), "f32_ratio")}; sums with bfloat16 {sums[0]:.2f}, with float16 {sums[1]:.2f}.
- Two threads: {run.ratio(f"Write/f32/{IN_CACHE}/threads:2/{best}", "speedup")} times one ({IN_CACHE.replace("x", " x ")}). \
Base 500000, of many small values: {run.ratio(f"Write/f32/4096x128/base500000/{best}", "base10000_ratio")} times base 10000.
- 64 timesteps of 320 columns: {run.microseconds(steps)} microseconds, {run.ratio(steps, "ggml_ratio", 0)} times as fast as \
ggml's loop.
- `Create`: {create[128]} microseconds at dim 128, {create[1024]} at 1024 ({plain_target(last)}: \
{run.microseconds(f"Create/f32/1024/{last}")}), for lists of positions only {lists[128]} and {lists[1024]}; `MemorySize` \
{run.microseconds(f"MemorySize/1024/{best}")}.""")


def compared(run):
    """README's table: the speed of the best target, divided by the speed of what it replaces; also where it loses."""
    best = run.targets[0]

    def ratio(name, counter):
        return f"{run.row(name).counters[counter]:.2g}" if name in run.by_name else ""

    def fastest(shape):
        return f"{min(run.row(f'Peer/{name}/{shape}').counters['posenc_speedup'] for name in FLOAT_PEERS):.2g}"

    def peer(name):
        return [ratio(f"Peer/{name}/{shape}", "posenc_speedup") for shape in SHAPES[:3]]

    def add(kind):
        return [ratio(f"Add/{kind}/{shape}/{best}", "table_add_ratio") for shape in (SHAPES[0], IN_CACHE, IN_MEMORY)]

    def rotate(arithmetic):
        return [ratio(f"Rotate/{arithmetic}/f32/half_split/{tokens}x40x128/{best}", "wide_table_ratio") for tokens in (1, 512)] + ["not measured"]

    return markdown(
        ["what posenc does", "compared with", "one row or token", "512 rows or tokens", "large"],
        [["makes a float32 table", "the fastest of Eigen, libmvec and SLEEF in float32", *map(fastest, SHAPES[:3])],
         ["", "SLEEF in double, rounded to float32", *peer("sleef_double")],
         ["", "[the PyTorch recipe](bench/README.md#peers), eager", *peer("pytorch")],
         ["adds to float32 activations", "adding a table that was made before", *add("f32")],
         ["adds to bfloat16 activations", "adding a bfloat16 table that was made before", *add("bf16")],
         ["rotates float32, exactly", "a loop over a table, widest vectors", *rotate("exact")],
         ["rotates float32 in the fast arithmetic", "a loop over a table, widest vectors", *rotate("fast")]])


def readme(run, text):
    return replace(text, "report", "compared", compared(run))


def page(run):
    best, cache = run.targets[0], size_label(IN_CACHE).split("\n")[1]
    shapes = sort_by_size(unique(row.shape for row in select(run.rows, "Write", "f32", "")))
    rates = markdown(["GB/s", *(plain_target(target) for target in run.targets)],
                     [[shape, *(run.rate(f"Write/f32/{shape}/{target}") for target in run.targets)] for shape in shapes])
    entries = markdown(["10^9 entries a second", *(f"{plain_target(target)}, {where}" for target in run.targets
                                                   for where in (cache, "256 MiB"))],
                       [[name, *(f"{run.entries(f'Write/{kind}/{shape}/{target}') / 1e9:.2g}" for target in run.targets
                                 for shape in (IN_CACHE, IN_MEMORY))] for kind, name in TYPES])
    return f"""\
# How fast?

{setting(run.context)}.

One thread. All figures but the last ones are from one run of `posenc_bench` ([speed.json](speed.json)), from which `tools/report`
makes this page and the table of [README.md](../README.md). Each figure is the best of nine rounds or more. AVX-512 is the target
that `posenc targets` calls {best}. `tools/quickstart` measures your machine. [bench/README.md](../bench/README.md) says what is
measured, and [what bounds each loop](../bench/README.md#what-bounds-the-loops).

## How fast is my instruction set?

![GB/s of each instruction set by the size of the table, beside loops that compute it and beside a table in memory](speed.png)

{rates}

## How fast are other libraries?

GB/s written. In brackets is the share of entries of 5000 x 512 that are not correctly rounded.

{figures(run)}

![Speed against accuracy: posenc at error 0, others up to 4e-4 wrong](accuracy.png)

## What do 16 bits cost?

![Entries a second by type, of each instruction set, in a cache and in memory](speed_types.png)

{entries}

What they cost in accuracy: [accuracy.md](accuracy.md).

## What do I lose against memory?

![The rate as a share of memset's, of streaming stores' and of adding a precomputed table](speed_memory.png)

With {plain_target(best)}. A share of 1 means that computing the entries takes no time. Adding a precomputed table has to read
it from memory as well: `Add` of {IN_MEMORY.replace("x", " x ")} has \
{run.ratio(f"Add/f32/{IN_MEMORY}/{best}", "table_add_ratio")} times that rate, `Add` of one row \
{run.ratio(f"Add/f32/{SHAPES[0]}/{best}", "table_add_ratio")} times.

## Also

{also(run)}

Rotation of q and k: [rotary-figures.md](rotary-figures.md#how-fast).

## The machines

The Xeon of 2026-11-23 is a virtual machine with AVX-512, FP16 and AMX, of 2.6 GHz nominal, 3.5 GHz in that run.

On an AMD EPYC 9005 (Zen 5, 4.1 GHz, AVX-512) posenc wrote the four tables of [other libraries](#how-fast-are-other-libraries)
at 12.9, 39.5, 40.0 and 38.6 GB/s on 2026-11-22, and streaming stores reached 44.3 to 45.0 GB/s. There `Add` to a table of
256 MiB has 1.3 times the rate of adding a precomputed table.
"""
