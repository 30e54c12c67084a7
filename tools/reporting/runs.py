"""Makes the records of docs/ that pages have their figures from: one program each, on this machine, as HEAD is."""

import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

from reporting.rows import MOST_BUSY, main_targets_of, unique

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
BENCH = ROOT / "build/release/bench/posenc_bench"
RECORDS = {"bench": "speed.json", "python": "speed_python.json", "npm": "speed_npm.json", "onnxruntime": "speed_onnxruntime.json",
           "ggml": "speed_ggml.json"}
# Family and models of x86 cores whose CPUs have names that do not tell.
CORES = {"AuthenticAMD": [(25, range(0x10, 0x20), "Zen 4"), (25, range(0x60, 0x80), "Zen 4"), (25, range(0xA0, 0xB0), "Zen 4"),
                          (25, range(0x100), "Zen 3"), (26, range(0x100), "Zen 5")],
         "GenuineIntel": [(6, [143], "Sapphire Rapids"), (6, [207], "Emerald Rapids"), (6, [173, 174], "Granite Rapids")]}


def cpu_name():
    """The kernel's name, with the core's if it is known, and whether the machine is a virtual one."""
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0]
    info = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}
    family, model = int(info.get("cpu family", 0)), int(info.get("model", 0))
    core = [name for of, models, name in CORES.get(info.get("vendor_id"), ()) if of == family and model in models][:1]
    virtual = ["virtual machine"] if "hypervisor" in info.get("flags", "").split() else []
    more = f" ({', '.join(core + virtual)})" if core or virtual else ""
    return info.get("model name", "unknown CPU") + more


def busy(seconds=3.0):
    """How many processors are in use now."""
    def ticks():
        fields = [int(field) for field in pathlib.Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
        return sum(fields), fields[3] + fields[4]

    before = ticks()
    time.sleep(seconds)
    spent, idle = (after - first for after, first in zip(ticks(), before))
    return round(os.cpu_count() * (1 - idle / spent), 2)


def head():
    return subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=7"], check=False,
                          capture_output=True, text=True).stdout.strip()


def context(used, commit):
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "commit": commit,
            "cpu": cpu_name(), "num_cpus": os.cpu_count(), "busy": used}


def rows_filter(names):
    """Which of posenc_bench's rows the pages need, as a regular expression."""
    targets = main_targets_of(unique(name.split("/")[-1] for name in names if name.startswith("Write/f32/")))
    best, every, two = targets[0], "(" + "|".join(targets) + ")", "(" + "|".join(targets[:2]) + ")"
    return "^(" + "|".join([
        f"(Write|Add)/[a-z0-9]*/[0-9x]*/{every}",
        "Limit/.*",
        "Peer/.*",
        f"Write/f32/(512x512/threads:2|4096x128/base500000)/{best}",
        f"Timesteps/f32/64x320/{best}",
        f"(Create/.*|MemorySize/1024)/{every}",
        f"Rotate/(exact|fast)/f32/half_split/(1|512)x40x128/{every}",
        "Rotate/exact/f32/half_split/1x40x128/.*",
        f"Rotate(/exact|/fast|Cached)/[a-z0-9]*/[a-z_]*/[0-9x]*/{two}",
        f"Rotate/exact/[a-z0-9]*/[a-z_]*/[a-z_]*/48x40x128/{two}",
        f"RotateNormed(ByAngles)?/(exact|fast)/f32/[0-9]*x40x128/{two}",
        f"RotateNormed/exact/[a-z0-9]*/[a-z_]*/48x40x128/{two}",
        f"RotaryCache/.*/{best}",
        f"Embed/[a-z0-9]*/[a-z]*/512x512/{best}",
        f"Hard/.*/{best}"]) + ")$"


def wanted_rows():
    names = subprocess.run([BENCH, "--benchmark_list_tests"], check=True, capture_output=True, text=True).stdout.split()
    return rows_filter(names)


class Failed(Exception):
    """A sentence that says why nothing was measured."""


def build(name):
    """What the program measures, as the sources are now."""
    cmake = ["cmake --preset release", "cmake --build --preset release --parallel 2 --target "]
    commands = {"bench": [cmake[0], cmake[1] + "posenc_bench"],
                "python": [cmake[0], "bindings/python/get-packages", "ctest --preset release -R ^python.wheel$"],
                "npm": ["bindings/web/build"],
                "onnxruntime": [], "ggml": []}  # build by themselves
    for command in commands[name]:
        made = subprocess.run(command.split(), cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if made.returncode:
            raise Failed(f"{command} failed:\n{made.stdout}")


def program(name, out):
    """The command that measures, and writes JSON to the file out."""
    if name == "bench":
        return [BENCH, "--benchmark_filter=" + wanted_rows(), f"--benchmark_out={out}"]
    if name == "python":
        python = ROOT / "build/release/bindings/python/tests/venv/bin/python"
        return [python, "bindings/python/tests/bench.py", "--json", out]
    if name == "npm":
        return ["node", "bindings/web/bench.mjs", out]
    if name == "ggml":
        return ["tests/cross/run-ggml", "--times"]  # prints tables: ggml_record
    return ["tests/cross/run-onnxruntime", "bench.py", "--json", pathlib.Path("/source", out.relative_to(ROOT))]


def ggml_record(text):
    """What tests/cross/run-ggml prints: the largest errors, and how long the nodes of ggml and of posenc take."""
    errors, seconds = {}, {}
    for name, *cells in (line.strip("| ").split(" |") for line in text.splitlines() if line.startswith("| ")):
        cells = [cell.strip() for cell in cells]
        if name.endswith(", float32") and len(cells) == 6:
            for way, pair in (("ggml", cells[:2]), ("fast", cells[2:4]), ("exact", cells[4:])):
                for where, error in zip(("near position 100", "near position 131071"), pair):
                    of = errors.setdefault(where, {})
                    of[way] = max(of.get(way, 0.0), float(error or 0))
        elif ", n = " in name and len(cells) == 5:
            node, size = name.rsplit(", ", 1)
            times = (float(cell.split()[0]) for cell in cells[:3])  # in microseconds
            seconds.setdefault(node, {})[size] = {way: float(f"{time}e-6") for way, time in zip(("ggml", "exact", "fast"), times)}
    version = next(line for line in text.splitlines() if line.startswith("ggml "))
    return {"versions": version, "errors": errors, "seconds": seconds}


def measure(name, commit, anyway):
    """Returns the path of what the program wrote, with the machine and the commit."""
    build(name)
    used = busy()
    if used > MOST_BUSY and not anyway:
        raise Failed(f"other programs use {used} of this machine's {os.cpu_count()} processors; run it when they have ended (or --anyway)")
    out = ROOT / "build" / RECORDS[name]
    out.unlink(missing_ok=True)
    started, known = time.monotonic(), context(used, commit)
    command = list(map(str, program(name, out)))
    ended = subprocess.run(command, cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE if name == "ggml" else None)
    if name == "ggml" and ended.returncode == 0:
        out.write_text(json.dumps(ggml_record(ended.stdout)), encoding="utf-8")
    if ended.returncode or not out.exists():
        said = "\n" + ended.stdout[-2000:] if ended.stdout else ""
        raise Failed(f"{command[0]} ended with status {ended.returncode}{said}")
    data = json.loads(out.read_text(encoding="utf-8"))
    data["context"] = {**data.get("context", {}), **known}
    out.write_text(json.dumps(data), encoding="utf-8")
    print(f"report: {name} took {time.monotonic() - started:.0f} s", file=sys.stderr)
    return out


def run(names, anyway):
    """Yields each name and its new record. A name that fails leaves the others alone; at the end the program exits with status 1.

    Refuses uncommitted changes and a busy machine, unless it is to go on anyway.
    """
    commit = head()  # of all, because publishing changes pages
    if commit.endswith("-dirty") and not anyway:
        sys.exit("report: commit your changes first: the pages name the commit that was measured (or --anyway)")
    failed = False
    for name in names:
        try:
            yield name, measure(name, commit, anyway)
        except Failed as why:
            failed = True
            print(f"report: {name} is not published: {why}", file=sys.stderr)
    if failed:
        sys.exit(1)
