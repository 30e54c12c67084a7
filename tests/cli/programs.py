"""programs.py POSENC WORK: output for other programs. JSON says the same as the text. '--out -' writes what the file would have, and prints the same message."""

import json
import pathlib
import subprocess
import sys

posenc, work = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    return subprocess.run([posenc, *arguments], capture_output=True, check=True)


def rows(*arguments):
    return [line.split("\t") for line in run(*arguments).stdout.decode().splitlines()]


def same(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r:.999}, expected {wanted!r:.999}")


def check_json():
    asked = subprocess.run([posenc, "targets", "--format", "json"], capture_output=True, check=False)
    if b"RapidJSON" in asked.stderr:
        print("left out: JSON, without which this posenc was built")
        return
    same("targets", json.loads(asked.stdout),
         [{"name": name, "runnable": runs == "yes", "best": best == ["best"]} for name, runs, *best in rows("targets")])
    presets = json.loads(run("presets", "--format", "json").stdout)
    lines = rows("presets")
    end = next(i for i, line in enumerate(lines) if line[0].startswith("# rot"))
    same("encodings", [list(preset.values()) for preset in presets["encodings"]], lines[1:end])
    same("rotaries", [list(preset.values()) for preset in presets["rotary_embeddings"]], lines[end + 1:])
    same("members", [list(group[0]) for group in presets.values()],
         [["name", "frequencies", "source", "phase_rounding"], ["name", "frequencies", "source"]])
    same("text", run("targets", "--format", "text").stdout, run("targets").stdout)


def check_stdout(command, *arguments):
    path = work / ("plot.png" if command == "plot" else "table.npy")
    to_file = run(command, *arguments, "--out", path)
    to_stdout = run(command, *arguments, "--out", "-")
    same(f"{command} --out -", to_stdout.stdout, path.read_bytes())
    same(f"{command} --out -: messages", to_stdout.stderr, to_file.stderr)
    same(f"{command} --out FILE", to_file.stdout, b"")
    with open(path, "ab") as appended:
        subprocess.run([posenc, command, *arguments, "--out", "-"], stdout=appended, stderr=subprocess.DEVNULL, check=True)
    same(f"{command} --out - >>", path.read_bytes(), 2 * to_stdout.stdout)
    path.unlink()


check_json()
check_stdout("table", "--dim", "512", "--rows", "5000", "--dtype", "bfloat16")
check_stdout("table", "--rotary", "llama3", "--dim", "8", "--rows", "3")
if b"libgd" not in subprocess.run([posenc, "plot"], capture_output=True, check=False).stderr:
    check_stdout("plot", "--dim", "2048", "--rows", "3")
