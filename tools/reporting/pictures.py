"""Pictures of a run. Each function says whether the run has the rows for its picture. Needs Debian's python3-matplotlib."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib import ticker  # noqa: E402
from matplotlib.text import Text  # noqa: E402

from reporting.page import IN_CACHE, IN_MEMORY, SHAPES, TYPES, plain_target, wrong  # noqa: E402
from reporting.rows import (ACCURACY_SHAPE, HOLLOW_TARGETS, NO_VECTORS, ROTARY_ERROR_SHAPE,  # noqa: E402
                            ROTARY_RIVALS, ROTARY_SPEED_SHAPE, main_targets, select, setting, size_label,
                            sort_by_size, unique)

# Okabe and Ito's colours, which colour-blind readers can tell apart; markers differ as well.
STYLES = [("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"),
          ("#56B4E9", "P"), ("#000000", "X")]
PEER_NAMES = {"libmvec": "glibc's libmvec, float", "eigen": "Eigen, float", "sleef_float": "SLEEF, float",
              "sleef_double": "SLEEF, double rounded to float", "pytorch": "PyTorch's recipe",
              "scalar_libm": "scalar sinf and cosf"}


def draw_rates(axes, rows, operation, targets, shapes):
    cells = {(row.shape, row.target): row.gigabytes for row in select(rows, operation, "f32", "")}
    for (colour, marker), target in zip(STYLES, targets):
        points = [(i, cells[shape, target]) for i, shape in enumerate(shapes) if (shape, target) in cells]
        if points:
            axes.plot(*zip(*points), color=colour, marker=marker, label=f"posenc, {plain_target(target)}", linewidth=1.8,
                      markersize=6)


def draw_rivals(axes, rows, shapes):
    """Loops that compute the same table; grey, so that posenc's lines are seen first."""
    cells = {(row.kind, row.shape): row.gigabytes for row in select(rows, "Peer")}
    for kind, dashes in (("eigen", "--"), ("sleef_double", ":"), ("pytorch", "-.")):
        points = [(i, cells[kind, shape]) for i, shape in enumerate(shapes) if (kind, shape) in cells]
        if points:
            axes.plot(*zip(*points), color="#555555", linestyle=dashes, linewidth=1.4, marker=".", label=PEER_NAMES[kind])


def draw_table_add(axes, rows, shapes):
    """Adding a precomputed table: as fast as the rows that it was measured beside say."""
    points = [(i, max(row.gigabytes / row.counters["table_add_ratio"] for row in rows if row.shape == shape))
              for i, shape in enumerate(shapes)]
    if points:
        axes.plot(*zip(*points), color="#555555", linestyle=(0, (6, 2)), linewidth=1.4, marker=".",
                  label="adding a table that was computed before")


def finish_axes(axes):
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def finish_rate_axes(axes, shapes, title):
    axes.set_title(title, fontsize=11)
    axes.set_xticks(range(len(shapes)), [size_label(shape) for shape in shapes], fontsize=8)
    axes.set_xlim(-0.3, len(shapes) - 0.7)  # so that labels of two panels stay apart
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.legend(frameon=False, fontsize=8.5, loc="upper center", bbox_to_anchor=(0.5, -0.1), ncol=2, handlelength=2.6)
    finish_axes(axes)


def draw_speed(context, rows, path):
    wanted = [row for row in rows if row.operation in ("Write", "Add") and row.kind == "f32"
              and row.variant == "" and row.target not in NO_VECTORS]
    if not wanted:
        return False
    targets = main_targets(wanted)
    figure, panels = plt.subplots(1, 2, figsize=(13, 6.4), sharey=True)
    titles = {"Write": "Making a table: posenc beside loops that compute it",
              "Add": "Adding to activations: posenc beside a table in memory"}
    for axes, (operation, title) in zip(panels, titles.items()):
        shapes = [shape for shape in SHAPES if select(wanted, operation) and any(
            row.shape == shape for row in select(wanted, operation))]
        draw_rates(axes, wanted, operation, targets, shapes)
        if operation == "Write":
            draw_rivals(axes, rows, shapes)
        else:
            draw_table_add(axes, select(wanted, "Add"), shapes)
        finish_rate_axes(axes, shapes, title)
    panels[0].set_ylabel("GB/s of float32, one thread")
    save(figure, "How fast tables are made, and added to activations", context, path)
    return True


def draw_types(context, rows, path):
    """Entries a second: a panel where a cache holds the table, one where none does."""
    written = select(rows, "Write", variant="")
    cells = {(row.shape, row.kind, row.target): row.counters["entries_per_second"] / 1e9 for row in written}
    targets = main_targets(written)
    if not any((shape, "bf16", target) in cells for shape in (IN_CACHE, IN_MEMORY) for target in targets):
        return False
    figure, panels = plt.subplots(1, 2, figsize=(11, 5.2), sharey=True)
    for axes, shape in zip(panels, (IN_CACHE, IN_MEMORY)):
        draw_bars(axes, [plain_target(target) for target in targets], [(name, [cells.get((shape, kind, target), 0) for target in targets]) for kind, name in TYPES],
                  "{:.2g}")
        where = {IN_CACHE: "in a cache", IN_MEMORY: "in memory"}[shape]
        axes.set_title(f"a table {where}: " + size_label(shape).replace("\n", ", ") + " in float32", fontsize=11)
    panels[0].set_ylabel("entries a second, in 10^9; one thread")
    panels[0].legend(frameon=False, fontsize=9)
    save(figure, "How many entries a second are written, by type", context, path)
    return True


def draw_memory(context, rows, path):
    """The best target's rates, divided by the rates that memory allows."""
    own = [row for row in rows if row.operation in ("Write", "Add") and row.kind == "f32" and row.variant == ""
           and row.target not in NO_VECTORS]
    if not own or not any(row.operation == "Add" for row in own):
        return False
    cells = {(row.operation, row.shape): row.counters for row in own if row.target == own[0].target}
    shapes = sort_by_size(unique(shape for operation, shape in cells if operation == "Add"))
    figure, axes = plt.subplots(figsize=(10, 5.2))
    draw_bars(axes, [size_label(shape) for shape in shapes],
              [(name, [cells.get((operation, shape), {}).get(counter, 0) for shape in shapes]) for name, operation, counter in (
                  ("Write, compared with filling the memory by memset", "Write", "memset_ratio"),
                  ("Write, compared with filling the memory by streaming stores", "Write", "stream_ratio"),
                  ("Add, compared with adding a table that was computed before", "Add", "table_add_ratio"))], "{:.2f}")
    axes.axhline(1, color="#555555", linestyle="--", linewidth=1.2)
    axes.legend(frameon=False, fontsize=9)
    axes.text(-0.46, 1.02, "equal speed", fontsize=8.5, color="#555555")
    axes.set_ylabel("speed of posenc / speed of the other loop")
    save(figure, f"posenc compared with loops that compute no encodings (float32, {plain_target(own[0].target)}, one thread)",
         context, path)
    return True


def draw_bars(axes, groups, series, form):
    """Series (name, a value a group), side by side."""
    width = 0.8 / len(series)
    for k, (name, values) in enumerate(series):
        at = [g + (k - (len(series) - 1) / 2) * width for g in range(len(groups))]
        bars = axes.bar(at, values, width * 0.92, color=STYLES[k][0], label=name)
        axes.bar_label(bars, [form.format(value) if value else "" for value in values], fontsize=7.5, padding=1)
    axes.set_xticks(range(len(groups)), groups, fontsize=9)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def draw_accuracy(context, rows, path):
    peers = [row for row in select(rows, "Peer") if row.shape == ACCURACY_SHAPE and "_f64" not in row.kind]
    own = [row for row in select(rows, "Write", "f32", "")
           if row.shape == ACCURACY_SHAPE and row.target not in NO_VECTORS]
    if not peers or not own:
        return False
    errors = [row.counters["max_abs_error"] for row in peers]
    none = min(error for error in errors + [1e-8] if error > 0) / 100  # where "no error" is drawn
    figure, axes = plt.subplots(figsize=(10, 6))
    axes.set_xscale("log")
    draw_points(axes, [(none, row.gigabytes, f"posenc, {plain_target(row.target)}", row.target in HOLLOW_TARGETS)
                       for row in own], STYLES[0])
    draw_points(axes, [(max(row.counters["max_abs_error"], none), row.gigabytes, peer_name(row),
                        row.kind.endswith("_sse4")) for row in peers], STYLES[1])
    finish_accuracy_axes(axes, none, max(errors), room=600)
    axes.set_xlabel("largest difference from the correctly rounded value; in brackets: share of entries that are not correctly rounded\n"
                    "(hollow: limited to SSE4; left of the dotted line: every entry is correctly rounded)")
    save(figure, f"Fast and right is top left: a float32 table of {ACCURACY_SHAPE.replace('x', ' x ')}, one thread",
         context, path)
    return True


def draw_rotary(context, rows, path):
    """A panel for a single token, and one for many. Both have the errors of a single token at the end of a long context."""
    def own(arithmetic, shape):
        found = [row for row in select(rows, "Rotate", arithmetic + "/f32/half_split", "")
                 if row.shape == shape and row.target not in NO_VECTORS]
        return {row.target: row for row in found if row.target in main_targets(found)}

    errors = {arithmetic: own(arithmetic, ROTARY_ERROR_SHAPE) for arithmetic in ("exact", "fast")}
    shapes = [shape for shape in (ROTARY_ERROR_SHAPE, ROTARY_SPEED_SHAPE)
              if any(own(arithmetic, shape).keys() & errors[arithmetic].keys() for arithmetic in errors)]
    if ROTARY_SPEED_SHAPE not in shapes:
        return False
    figure, panels = plt.subplots(1, len(shapes), figsize=(13, 6), sharey=True, squeeze=False)
    for axes, shape in zip(panels[0], shapes):
        points, rivals = [], {}
        for arithmetic in errors:
            for target, row in own(arithmetic, shape).items():
                if target not in errors[arithmetic]:
                    continue
                counters = errors[arithmetic][target].counters
                points.append((counters["error"], row.gigabytes, f"posenc {arithmetic}, {plain_target(target)}",
                               target in HOLLOW_TARGETS))
                for name, label in ROTARY_RIVALS:
                    if name + "_ratio" in row.counters:
                        rate = row.gigabytes / row.counters[name + "_ratio"]
                        error = counters[name + "_error"]
                        rivals[label] = max(rivals.get(label, (error, 0.0, label, False)), (error, rate, label, False))
        known = [point[0] for point in points + list(rivals.values())]
        none = min([error for error in known if error > 0] + [1e-6]) / 100  # where "no error" is drawn
        axes.set_xscale("log")
        draw_points(axes, [(max(x, none), *rest) for x, *rest in points], STYLES[0])
        draw_points(axes, [(max(x, none), *rest) for x, *rest in rivals.values()], STYLES[1])
        tokens = shape.split("x")[0]
        axes.set_title("1 token, as when decoding" if tokens == "1" else f"{tokens} tokens, as in a prompt", fontsize=11)
        finish_accuracy_axes(axes, none, max(known), room=3e4)
        axes.set_xlabel("largest error at position 131071, divided by the length of the pair, hypot(a, b)\n"
                        "(hollow: limited to SSE4; left of the dotted line: every element is correctly rounded)")
    panels[0][-1].set_ylabel("")
    save(figure, "Rotating q and k: speed, and error at position 131071 (float32, 40 heads of 128, one thread)", context, path)
    return True


def peer_name(row):
    kind, sse4 = (row.kind[:-5], ", SSE4") if row.kind.endswith("_sse4") else (row.kind, "")
    share = row.counters["misrounded"]
    return f"{PEER_NAMES.get(kind, kind)}{sse4} ({wrong(share)})"


def draw_points(axes, points, style):
    """Points (x, y, name, hollow), which name_points gives their names."""
    colour, marker = style
    for x, y, name, hollow in points:
        axes.plot([x], [y], marker=marker, color=colour, markersize=8, linestyle="none", gid=name,
                  markerfacecolor="white" if hollow else colour)


def name_points(figure):
    """Writes names right of their points. A name that would touch a point or another name is moved up or down in the frame."""
    renderer = figure.canvas.get_renderer()
    for axes in figure.axes:
        points = sorted((line for line in axes.get_lines() if line.get_gid()), key=lambda line: -line.get_ydata()[0])
        taken = [line.get_window_extent(renderer) for line in points]
        frame = axes.get_window_extent(renderer)
        for line in points:
            at = line.get_xydata()[0]
            for height in sorted(range(-200, 200, 2), key=lambda height: abs(height + 3)):
                away = abs(height + 3) > 12
                line_to_it = {"arrowstyle": "-", "color": "#999999", "linewidth": 0.7, "relpos": (0, 0.5)} if away else None
                name = axes.annotate(line.get_gid(), at, xytext=(24 if away else 9, height), textcoords="offset points",
                                     fontsize=8.5, arrowprops=line_to_it)
                name.update_positions(renderer)
                box = Text.get_window_extent(name, renderer)  # without the line
                inside = frame.y0 < box.y0 and box.y1 < frame.y1
                if inside and not any(box.overlaps(other) for other in taken):
                    break
                name.remove()
            taken.append(box)


def finish_accuracy_axes(axes, none, worst, room=200):
    axes.set_xlim(none / 4, worst * room)
    axes.axvline(none * 30, color="#999999", linewidth=0.8, linestyle=":")
    powers = [k for k in range(-14, 1) if none * 40 < 10.0**k < worst * 20]
    axes.set_xticks([none] + [10.0**k for k in powers], ["no error"] + [f"$10^{{{k}}}$" for k in powers])
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_ylabel("GB/s, one thread")
    axes.grid(color="#dddddd", linewidth=0.6)
    finish_axes(axes)


def save(figure, title, context, path, bottom=0.0):
    figure.suptitle(title, fontsize=13)
    figure.text(0.5, 0.925, setting(context), ha="center", fontsize=8.5, color="#444444")
    figure.tight_layout(rect=(0, bottom, 1, 0.95))
    name_points(figure)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def draw_all(context, rows, folder):
    """Returns the names of pictures whose rows the run has not."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {"speed.png": draw_speed, "speed_types.png": draw_types, "speed_memory.png": draw_memory,
                "accuracy.png": draw_accuracy, "rotary.png": draw_rotary}
    return [name for name, draw in pictures.items() if not draw(context, rows, folder / name)]
