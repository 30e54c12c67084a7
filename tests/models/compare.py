#!/usr/bin/env python3
"""compare.py POSENC RECORDS.jsonl...: compares `posenc config` with what was measured in the models' own code.

Each line of a file has a configuration ("config"), its source if it was published, and what was measured (measure.py). If
transformers has no code for the model, nothing was measured, and posenc must refuse the configuration. "expected" says what posenc
makes of it: "right", or "refused: " and the beginning of the sentence, which names the culprit. "why" then says whether posenc
should refuse it:

    rightly    no rotary is known, or posenc cannot describe it, or the code fails, too, or its versions differ
    falsely    posenc could have known

If posenc differs for a reason, "differs" names what differs and the reason. Then it must differ.

The comparison fails if anything is wrong, if posenc now refuses what it accepted before or accepts what it refused, or if it
refuses for another culprit. `compare.py --record POSENC RECORDS.jsonl...` writes "expected" anew, unless something is wrong.
Look at the change: you must add a "why" wherever posenc did not refuse before.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

# Frequencies were measured in float32, and are recorded with six significant digits.
TOLERANCE = 2e-5
PAIRINGS = {"halves": "half_split", "neighbours": "neighbours"}  # the names in rotations.py, and in the command

def ask(posenc, config):
    """What posenc says: (groups, ""), or (None, the first clause of the sentence with which it refuses)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "config.json")
        with open(path, "w") as file:
            json.dump(config, file)
        run = subprocess.run([posenc, "config", path, "--format", "json"], capture_output=True, text=True, timeout=60)
    if run.returncode == 0:
        return json.loads(run.stdout)["groups"], ""
    start = f"posenc: {path}: "
    if run.returncode != 2 or not run.stderr.startswith(start):
        sys.exit(f"posenc config: status {run.returncode}: {run.stderr}")
    return None, re.split("[,:(]", run.stderr[len(start):])[0].strip()


def layers_in(ranges):
    """The indices in a text such as "0-4,6"."""
    for item in ranges.split(","):
        first, _, last = item.partition("-")
        yield from range(int(first), int(last or first) + 1)


def axes_of(group):
    """The axis of each pair, as measure.py writes it; "" if there is only one axis."""
    sections, count = group["sections"], group["axes"]
    if count < 2:
        return ""
    pairs = range(group["rotary_dim"] // 2)
    consecutive = "".join(str(axis) * pairs_of_axis for axis, pairs_of_axis in enumerate(sections))
    interleaved = "".join(str(i % count if i < count * sections[i % count] else 0) for i in pairs)
    alternating = "".join(str(1 + i % (count - 1)) if i < len(pairs) - sections[0] else "0" for i in pairs)
    return {"consecutive": consecutive, "interleaved": interleaved, "alternating": alternating}[group["axis_order"]]


def close(a, b):
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def differences_of_layer(ours, measured, axes):
    """Yields (what differs, posenc's value, the measured value)."""
    if ours["rotates"] != measured["rotates"]:
        yield "rotates", ours["rotates"], measured["rotates"]
    if not (ours["rotates"] and measured["rotates"]):
        return
    measured = {"output": measured["pairing"]} | measured
    measured |= {name: PAIRINGS[measured[name]] for name in ("pairing", "output")}
    for name, key in (("pairing", "pairing"), ("output", "output_pairing"), ("direction", "direction"), ("head_dim", "head_dim"),
                      ("rotary_dim", "rotary_dim"), ("offset", "rotary_offset")):
        if ours[key] != measured[name]:
            yield name, ours[key], measured[name]
    if not close(ours["amplitude"], measured["amplitude"]):
        yield "amplitude", ours["amplitude"], measured["amplitude"]
    if axes_of(ours) != axes:
        yield "axes", axes_of(ours), axes
    if ours["rotary_dim"] == measured["rotary_dim"]:
        found = [abs(ours["radians"][i]) for i in measured["pairs"]]  # the direction is recorded as their sign
        for i, a, b in zip(measured["pairs"], found, measured["frequencies"]):
            if not close(a, b):
                yield f"frequency {i}", a, b
                return


def differences(groups, record):
    """Yields a sentence for each difference."""
    by_layer = {layer: group for group in groups for layer in group["layers"] or ["all"]}
    excused = record.get("differs", {})
    seen, used = {"all"}, set()
    for measured in record["layers"]:
        indices = list(layers_in(measured["layers"]))
        seen.update(indices)
        for layer in indices if measured["rotates"] is not None else ():
            ours = by_layer.get(layer) or by_layer.get("all")
            if ours is None:
                yield f"layer {layer}: posenc does not have this layer"
                continue
            for what, a, b in differences_of_layer(ours, measured, record.get("axes", "")):
                what = f"{measured['stack']}: {what}" if "stack" in measured else what
                if what in excused:
                    used.add(what)
                else:
                    yield f"layer {layer}: {what} is {a} in posenc, {b} in transformers"
    if set(excused) - used:
        yield f"{min(set(excused) - used)} does not differ, but the record says so"
    if "measured" not in record and set(by_layer) - seen:
        yield f"layer {min(set(by_layer) - seen)}: transformers has no such layer"


def judge(posenc, record):
    """Returns "right", "refused: SENTENCE" or "wrong", and sentences about what is wrong."""
    groups, refusal = ask(posenc, record["config"])
    if groups is None:
        return f"refused: {refusal}", []
    wrong = list(differences(groups, record)) if "layers" in record else ["posenc accepts it, and nothing was measured"]
    return "wrong" if wrong else "right", wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="write what posenc says now into the files")
    parser.add_argument("posenc", help="the command")
    parser.add_argument("records", nargs="+", metavar="RECORDS")
    options = parser.parse_args()
    counts, bad = collections.Counter(), 0
    for path in options.records:
        with open(path) as file:
            records = [json.loads(line) for line in file]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            judgements = list(pool.map(lambda record: judge(options.posenc, record), records))
        for number, (record, (found, wrong)) in enumerate(zip(records, judgements), 1):
            name = f"{os.path.basename(path)}:{number}: {record['config'].get('model_type')}" + (
                f" ({record['name']})" if "name" in record else "")
            why = record.get("why", "").partition(":")[0]
            if found == "wrong":
                counts["wrong"] += 1
                bad += 1
                print(f"{name}: wrong: {wrong[0]}" + (f" (and {len(wrong) - 1} more)" if wrong[1:] else ""))
            elif options.record:
                record["expected"] = found
                if found == "right":
                    record.pop("why", None)
                elif "why" not in record:
                    record["why"] = ""
            elif found != record["expected"]:
                bad += 1
                print(f"{name}: was {record['expected']!r}, and is now {found!r}")
            if found.startswith("refused") and why not in ("rightly", "falsely"):
                bad += 1
                print(f"{name}: {found}\n    \"why\" must begin with rightly: or falsely:")
            if found != "wrong":
                counts["right" if found == "right" else why] += 1
        if options.record:
            with open(path + ".new", "w") as file:
                file.writelines(json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n" for record in records)
            os.replace(path + ".new", path)
    print(f"accepted and right {counts['right']}, rightly refused {counts['rightly']}, falsely refused {counts['falsely']}, "
          f"wrong {counts['wrong']}")
    return 1 if bad else 0


sys.exit(main())
