"""hostile_configs.py POSENC WORK [SANITIZED]: gives posenc config files that nobody should give it. It must end soon and in little
memory. Each refusal is one line that is safe to print on a terminal, and says where the fault is. Prints time and memory."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

posenc, work = sys.argv[1], pathlib.Path(sys.argv[2])
sanitized = len(sys.argv) > 3 and sys.argv[3] != ""
SECONDS, MIB = 120, 1500  # generous, because a busy machine takes ten times as long as an idle one
SIZES = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2, "num_hidden_layers": 2}
LLAMA = json.dumps(SIZES)[:-1]  # without the closing brace
WITHOUT_LAYERS = LLAMA.replace(', "num_hidden_layers": 2', "")
failures = 0


def with_keys(text):
    return f"{LLAMA}, {text}}}".encode()


def run(path, *options):
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([posenc, "config", path, *options], stdout=out, stderr=err)
        killer = threading.Timer(SECONDS, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        out.seek(0)
        err.seek(0)
        return process.returncode, out.read(), err.read(), seconds, usage.ru_maxrss / 1024


def check(name, status, said, *run_arguments):
    """Checks that the command ends with this status, and that its output matches the pattern."""
    global failures
    got, out, err, seconds, mib = run(*run_arguments)
    text = (err if got == 2 else out).decode("utf-8", "replace")
    wrong = []
    if got != status:
        wrong.append(f"status {got}, expected {status}: {text[-300:]} {err[:300]!r}")
    if not re.search(said, text):
        wrong.append(f"it says {text!r:.600}, expected {said!r}")
    if got == 2 and (out or not re.fullmatch("posenc: [^\n]{1,900}\n", text)):
        wrong.append(f"a refusal is one line: {out[:300]!r} {text!r:.600}")
    if re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufffd]", text):
        wrong.append(f"it is not safe for a terminal: {text!r:.600}")
    if seconds > SECONDS or (mib > MIB and not sanitized):
        wrong.append("too long, or in too much memory")
    print(f"{name:34} {seconds:6.2f} s {mib:6.0f} MiB  {text.strip().splitlines()[0] if text.strip() else '':.150}", flush=True)
    for sentence in wrong:
        failures += 1
        print(f"FAILED: {name}: {sentence}", flush=True)


def write(*parts):
    """Writes a file. Each part is bytes, or bytes and a count. Large parts are never in memory at once, because a child's peak includes ours."""
    path = work / "config.json"
    with open(path, "wb") as file:
        for part in parts:
            piece, count = part if isinstance(part, tuple) else (part, 1)
            at_once = max(1, min(count, 100_000 // len(piece))) if piece else 1
            for _ in range(count // at_once):
                file.write(piece * at_once)
            file.write(piece * (count % at_once))
    return path


def case(name, status, said, parts, *options):
    path = write(*([parts] if isinstance(parts, bytes) else parts))
    check(name, status, said, path, *options)
    path.unlink()


def many(key, piece, count, end=b""):
    """The parts of a Llama configuration with one more key. Its value repeats a piece `count` times."""
    return [f"{LLAMA}, {key}".encode(), (piece, count), end + b"}"]


RIGHT = "layers 0-1: head_dim 32, all elements rotate"


def try_levels():
    for kind, opened, closed in (("objects", b'{"a":', b"}"), ("lists", b"[", b"]")):
        for levels in (63, 64, 30000, 1_000_000):  # levels inside the outermost one
            said = RIGHT if levels == 63 else r"config\.json:1:\d+: more than 64 levels of objects and lists"
            case(f"{levels + 1} levels of {kind}", 0 if levels == 63 else 2, said,
                 [f'{LLAMA}, "a": '.encode(), (opened, levels), b"1", (closed, levels), b"}"])
        case(f"30000 {kind} that stay open", 2, "more than 64 levels", [(opened, 30000)])


def numbered(pattern, count):
    """The pattern `count` times, each with its number, in pieces of 1,000."""
    return [",".join(pattern % i for i in range(first, first + 1000)).encode() + b"," for first in range(0, count, 1000)]


def try_sizes():
    case("100000 keys", 0, RIGHT, [LLAMA.encode() + b","] + numbered('"key_%d":1', 100_000) + [b'"a":1}'])
    for order in (1, -1):
        pieces = numbered('"%d":{"head_dim":32}', 50_000)[::order]
        types = [b'"layer_types":[', (b'"full_attention",', 30_000), b'"full_attention"],"num_hidden_layers":30001,']
        case(f"a dictionary for 50000 layers, {order}", 0, "layers of the type full_attention: head_dim 32",
             [WITHOUT_LAYERS.encode() + b","] + types + [b'"per_layer_config":{'] + pieces + [b'"x":{"head_dim":32}}}'], "--layer-type", "full_attention")
    case("a key of 18 MB", 0, RIGHT, many('"', b"k", 18_000_000, b'":1'))
    case("a key of 18 MB about positions", 2, r"rope_k{50,75}\.\.\. is 1", many('"rope_', b"k", 18_000_000, b'":1'))
    case("a string of 18 MB", 2, r'rope_theta is "s{80}\.\.\.", but must be a number', many('"rope_theta":"', b"s", 18_000_000, b'"'))
    case("a number of 18 MB", 2, r"config\.json:1:\d+: .*too big", many('"rope_theta":', b"9", 18_000_000))
    case("100 MB of numbers", 2, "not a file of at most 64 MiB", many('"a":[', b"1, ", 33_000_000, b"1]"))
    case("60 MB of numbers", 0, RIGHT, many('"a":[', b"1,", 30_000_000, b"1]"))
    case("60 MB of lists of numbers", 0, RIGHT, many('"a":[', b"[" + b"1," * 29_999 + b"1],", 1000, b"1]"))
    case("60 MB of short strings", 0, RIGHT, many('"layer_names":[', b'"",', 20_000_000, b'""]'))
    case("60 MB of keys", 2, "more than 1000000 keys", [b"{"] + numbered('"%d":1', 5_000_000) + [b'"a":1}'])
    deep = [piece for _ in range(60) for piece in (b'{"', (b"k", 1_000_000), b'":')]
    case("60 levels of keys of 1 MB", 2, "128 MiB of them", deep + [b"1", (b"}", 60)])
    deep = [(b'{"' + b"k" * 10_000 + b'":', 60), b"{"]
    case("500000 keys in 60 levels", 2, "128 MiB of them", deep + numbered('"%d":1', 500_000) + [b'"a":1}', (b"}", 60)])
    case("a key 300000 times", 2, "the key a is given twice: give it once",
         [LLAMA.encode() + b","] + numbered('"a":{"b%d":1}', 300_000) + [b'"a":1}'])
    case("a billion layers", 2, "has 1000000000 layers, which are too many", f'{WITHOUT_LAYERS}, "num_hidden_layers": 1000000000}}'.encode())
    case("1e300 layers", 2, "num_hidden_layers is 1e300, but must be a whole number, 1 to 2\\^53",
         f'{WITHOUT_LAYERS}, "num_hidden_layers": 1e300}}'.encode())


def try_texts():
    case("an empty file", 2, r"config\.json:1:1: .*empty", b"")
    case("white space", 2, r"config\.json:3:2: .*empty", b" \n \n ")
    case("a list at the top", 2, r"config\.json:2:1: a configuration is an object", b"\n[1]")
    case("a string at the top", 2, r"config\.json:1:1: a configuration is an object", b'"llama"')
    case("truncated", 2, r"config\.json:2:27: ", b'{"model_type": "llama",\n "rope_scaling": {"factor"')
    case("truncated in a string", 2, r"config\.json:1:20: .*quotation", b'{"model_type": "lla')
    case("two objects", 2, r"config\.json:1:\d+: .*root", with_keys('"a": 1') + b"{}")
    case("a comma too many", 2, r"config\.json:3:1: ", b'{"a": 1,\n"b": 2,\n}')
    case("a comment", 2, r"config\.json:1:3: ", b'{ // "a": 1\n}')
    case("columns are characters", 2, r"config\.json:1:13: ", '{"\u00e4\u20ac\U0001f600": "a" 1}'.encode())
    case("single quotes", 2, r"config\.json:1:2: ", b"{'a': 1}")
    case("a newline in a string", 2, r"config\.json:1:\d+: ", b'{"a": "x\ny"}')
    case("UTF-8 with a byte order mark", 0, RIGHT, b"\xef\xbb\xbf" + with_keys('"a": 1'))
    case("an error after the mark", 2, r"config\.json:1:2: ", b"\xef\xbb\xbf{x}")
    case("UTF-16", 2, "is in UTF-16, and must be in UTF-8", with_keys('"a": 1').decode().encode("utf-16"))
    case("UTF-16 without a mark", 2, r"config\.json:1:2: a NUL byte", with_keys('"a": 1').decode().encode("utf-16-le"))
    case("no UTF-8", 2, r"config\.json:1:\d+: .*encoding", with_keys('"a": "?"').replace(b"?", b"\xff"))
    case("Latin-1 in a key", 2, r"config\.json:1:\d+: .*encoding", with_keys('"rope_\u00e4": 1').decode().encode("latin-1"))
    case("half a surrogate", 2, r"config\.json:1:\d+: .*surrogate", with_keys(r'"a": "\ud800"'))
    case("a GGUF file", 2, r"config\.json is a GGUF file: write its metadata to a JSON file", b"GGUF\3\0\0\0" + bytes(40))
    case("a NUL at the end", 2, r"config\.json:1:\d+: a NUL byte", with_keys('"a": 1') + b"\0")
    case("a NUL in a key", 2, r"rope_theta\\u0000x is 7, and posenc does not know", with_keys(r'"rope_theta\u0000x": 7'))
    case("a NUL in a string", 2, r'model type "llama\\u0000x"', rb'{"model_type": "llama\u0000x"}')
    for name, escaped, shown in (("ESC", r"\u001b[31m", r"\\x1b\[31m"), ("a newline", r"\n", r"\\x0a"), ("CSI", r"\u009b31m", r"\\xc2\\x9b31m"),
                                 ("another direction", r"\u202e", r"\\xe2\\x80\\xae"), ("DEL", r"\u007f", r"\\x7f")):
        case(f"{name} in a key", 2, f"rope_{shown} is 1", with_keys(f'"rope_{escaped}": 1'))
        case(f"{name} in a string", 2, f'"{shown}"', with_keys(f'"rope_theta": "{escaped}"'))
        case(f"{name} as a model", 2, shown, f'{{"model_type": "{escaped}"}}'.encode())
        types = f'"layer_types": ["{escaped}", "{escaped}"], "rope_parameters": {{"{escaped}": {{"rope_theta": 7}}}}'
        gemma = f'{{"model_type": "gemma3_text", "head_dim": 32, "num_hidden_layers": 2, {types}}}'
        case(f"{name} as a type of layers", 2, f'layer_types.0 is "{shown}", but a layer of this model is', gemma.encode())
    case("a dot in a key", 2, r"rope_scaling\\u002efactor is 4, and posenc does not know", with_keys('"rope_scaling.factor": 4'))
    name = work / "na\033[31mme\u202e\n.json"
    name.write_bytes(b"{}")
    check("a hostile name of a file", 2, r"na\\x1b\[31mme\\xe2\\x80\\xae\\x0a\.json", name)
    name.unlink()


def try_values():
    for word, shown in (("NaN", "NaN"), ("Infinity", "infinity"), ("-Infinity", "-infinity"), ("-1e300", "-1e300")):
        case(f"{word}, about something else", 0, RIGHT, with_keys(f'"initializer_range": {word}'))
        case(f"rope_theta {word}", 2, f"rope_theta is {shown}, but must be finite and above 0", with_keys(f'"rope_theta": {word}'))
    case("1e400", 2, r"config\.json:1:\d+: .*too big", with_keys('"rope_theta": 1e400'))
    case("rope_theta 1e41", 2, r"config\.json: its keys make .*base=1e\+41, which cannot be: each frequency times position_scale must be .*; keys read: .*rope_theta", with_keys('"rope_theta": 1e41'))
    longrope = '"rope_scaling": {{"rope_type": "longrope", "short_factor": {0}, "long_factor": {0}, "factor": 2, ' \
               '"original_max_position_embeddings": 64}}'
    numbers = ["1.0"] * 16
    case("a list of numbers", 0, RIGHT, with_keys(longrope.format("[" + ", ".join(numbers) + "]")))
    for name, item, said in (("a flag", "true", "mixed kinds"), ("a string", '"1"', "mixed kinds"), ("null", "null", "mixed kinds"),
                             ("a list", "[1]", "mixed kinds"), ("an object", '{"a": 1}', r"short_factor\[\]\.a is 1"), ("NaN", "NaN", "short_factor is .*NaN|finite")):
        for place in (0, 7, 15):
            items = numbers[:place] + [item] + numbers[place + 1:]
            case(f"{name} as item {place}", 2, f"rope_scaling.short_factor.*{said}|{said}", with_keys(longrope.format("[" + ", ".join(items) + "]")))
    case("only flags in a list", 2, "must be a list of numbers", with_keys(longrope.format("[" + ", ".join(["true"] * 16) + "]")))
    case("rope_scaling is a string", 2, 'rope_scaling is "linear", but must be a dictionary', with_keys('"rope_scaling": "linear"'))
    case("a list of too many numbers", 2, "rope_theta is a list of more than 32768 items, but must be a number",
         many('"rope_theta":[', b"1,", 65535, b"1]"))
    said = r"config\.json:1:\d+: the key {} is given twice: give it once"
    case("a key twice", 2, said.format("rope_theta"), with_keys('"rope_theta": 5, "rope_theta": 7'))
    twice = '"rope_scaling": {"rope_type": "linear", "factor": 4}, "rope_scaling": '
    case("a dictionary twice", 2, said.format("rope_scaling"), with_keys(twice + '{"factor": 4, "rope_type": "linear"}'))
    case("a dictionary, then null", 2, said.format("rope_scaling"), with_keys(twice + "null"))
    case("a key and an escaped one", 2, said.format("rope_theta"), with_keys(r'"rope_theta": 5, "rope_th\u0065ta": 7'))
    case("a key twice in a dictionary", 2, said.format(r"rope_scaling\.factor"), with_keys('"rope_scaling": {"factor": 4, "factor": 4}'))
    case("a key twice in GGUF", 2, "llama.block_count is 2, but the key is given twice",
         b'{"general.architecture": "llama", "llama.block_count": 2, "llama": {"block_count": 2}}')
    case("objects in a list", 0, RIGHT, with_keys('"layers": [{"a": 1}, {"a": 2}]'))
    empty = r"{} is an empty dictionary, but must be a dictionary with keys, or null"
    for key in ("rope_scaling", "rope_parameters"):
        case(f"an empty {key}", 2, empty.format(key), with_keys(f'"{key}": {{}}'))
    case("an empty dictionary for a number", 2, "rope_theta is an empty dictionary, but must be a number", with_keys('"rope_theta": {}'))
    case("an empty dictionary that is not read", 0, RIGHT, with_keys('"pruned_heads": {}, "vision_config": {}, "a": [{}]'))


def try_files():
    check("a folder", 2, "not a file that can be read: Is a directory", work)
    check("no file", 2, "not a file that can be read: No such file", work / "nowhere")
    check("an empty name", 2, "not a file that can be read", "")
    if os.path.exists("/dev/zero"):
        check("/dev/zero", 2, "not a file of at most 64 MiB", "/dev/zero")
        check("/dev/null", 2, "empty", "/dev/null")
    pipe = work / "pipe"
    if hasattr(os, "mkfifo"):
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: pipe.write_bytes(with_keys('"a": 1')))
        writer.start()
        check("a pipe", 0, RIGHT, pipe)
        writer.join()
        pipe.unlink()


work.mkdir(parents=True, exist_ok=True)
for room in (try_files, try_texts, try_values, try_levels, try_sizes):
    room()
sys.exit(f"{failures} failures" if failures else 0)
