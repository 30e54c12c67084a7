"""A run of posenc_bench, as its JSON has it."""

import json
import math

MOST_BUSY = 0.2  # processors that other programs may use
HOLLOW_TARGETS = ("SSE4",)
NO_VECTORS = ("SCALAR", "REFERENCE")
ALIKE = {"AVX3": ("AVX3_DL", "AVX3_ZEN4", "AVX3_SPR"), "SSSE3": ("SSE4",), "SSE2": ("SSE4", "SSSE3")}
LIMITS = [("memset", "memset", "--"), ("stores", "ordinary stores", ":"), ("stream", "streaming stores", "-.")]
ACCURACY_SHAPE = "5000x512"
ROTARY_SPEED_SHAPE, ROTARY_ERROR_SHAPE = "512x40x128", "1x40x128"
ROTARY_RIVALS = [("table", "loop over a table"), ("wide_table", "loop over a table, widest vectors"),
                 ("simd_table", "loop over a table, vectors by hand"), ("hw_table", "loop over a table, AVX512_BF16"),
                 ("sincos", "loop with sinf and cosf"), ("torch", "PyTorch (libtorch)")]
ROTATIONS = {"Rotate": 3, "RotateByAngles": 3, "RotateCached": 2, "RotateIntoSlots": 2,
             "RotateNormed": 2, "RotateNormedByAngles": 2}  # the parts of their type


CONTEXT = ("date", "commit", "num_cpus", "mhz_per_cpu", "load_avg", "best_target", "limits_target", "cpu", "compiler", "flags", "libc",
           "targets_this_cpu_lacks", "busy")
# Google Benchmark's words.
REPETITIONS = ("family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index",
               "threads", "iterations", "cpu_time")


class Row:
    """One line of the benchmark: OPERATION/TYPE/SHAPE[/VARIANT]/TARGET, Limit/NAME/SHAPE or Peer/NAME/SHAPE.

    The type of Rotate and RotateByAngles is ARITHMETIC/TYPE/PAIRING. The type of RotateCached is TYPE/PAIRING, and the type of
    RotateIntoSlots ARITHMETIC/TYPES. The type of RotateNormed and RotateNormedByAngles is ARITHMETIC/TYPE.
    """

    def __init__(self, entry):
        self.counters = entry
        self.name = entry["name"]
        parts = self.name.split("/")
        type_end = 1 + ROTATIONS.get(parts[0], 1)
        parts[1:type_end] = ["/".join(parts[1:type_end])]
        self.operation, self.kind, self.shape = parts[:3]
        self.target = parts[-1] if len(parts) > 3 else None
        self.variant = "/".join(parts[3:-1])
        self.label = entry.get("label", "")

    @property
    def case(self):
        return self.shape + ("/" + self.variant if self.variant else "")

    @property
    def gigabytes(self):
        return self.counters["bytes_per_second"] / 1e9


def load(path, commit=None):
    """The context and the rows of a run, and a shorter text of both. The context names the commit if it is given or recorded."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    entries = [{name: value for name, value in entry.items() if name not in REPETITIONS}
               for entry in data["benchmarks"]
               if entry.get("run_type", "iteration") == "iteration" and not entry.get("error_occurred")]
    context = {name: value for name, value in data["context"].items() if name in CONTEXT}
    if commit:
        context.setdefault("commit", commit)
    lines = ",\n".join(map(json.dumps, entries))
    return context, list(map(Row, entries)), f'{{"context": {json.dumps(context)},\n"benchmarks": [\n{lines}\n]}}\n'


def select(rows, operation, kind=None, variant=None):
    return [row for row in rows if row.operation == operation and kind in (None, row.kind)
            and variant in (None, row.variant)]


def unique(values):
    return list(dict.fromkeys(values))


def main_targets(rows):
    """The targets with vectors, best first. Of targets that hardly differ only the best is kept."""
    return main_targets_of(unique(row.target for row in rows))


def main_targets_of(names):
    targets = [target for target in names if target not in NO_VECTORS]
    return [target for target in targets if not any(like in targets for like in ALIKE.get(target, ()))]


def number(value):
    return f"{value:.3g}" if 1e-3 <= abs(value) < 1e4 or value == 0 else f"{value:.1e}"


def short(error):
    """1.2e-7, or 0."""
    return f"{error:.1e}".replace("e-0", "e-") if error else "0"


def sort_by_size(shapes):
    return sorted(shapes, key=lambda shape: math.prod(int(side) for side in shape.split("x")))


def setting(context):
    return (f"{context.get('cpu', 'unknown CPU')}, {context['num_cpus']} x {context['mhz_per_cpu']} MHz, "
            f"{context.get('compiler', '?')} {context.get('flags', '')}, {context.get('libc', '?')}, {day(context)}")


def day(context):
    """The date, the commit, and how many processors other programs used when the run began."""
    others = context.get("busy", 0)
    return (context["date"][:10] + (f", commit {context['commit']}" if "commit" in context else "")
            + (f"; when the run began, other programs kept {others} of {context['num_cpus']} processors busy" if others >= 0.1 else "")
            + (", so the figures are rough" if others > MOST_BUSY else ""))


def size_label(shape):
    rows, dim = (int(side) for side in shape.split("x"))
    size = f"{rows * dim / 2**18:.3g} MiB" if rows * dim >= 2**18 else f"{rows * dim / 2**8:.3g} KiB"
    return f"{rows} x {dim}\n{size}"
