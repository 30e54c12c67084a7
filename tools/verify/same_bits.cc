// The bits of two builds of the shared library beside each other, over the encodings of `posenc verify
// --full` (encoding_areas.cc), in doubles too: same_bits OLD.so NEW.so, by tools/same-bits.
#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "libraries.h"
#include "posenc/posenc_c.h"

namespace {

struct Library {
  decltype(&posenc_spec_init) init;
  decltype(&posenc_encoder_create) create;
  decltype(&posenc_encoder_destroy) destroy;
  decltype(&posenc_write) write;
  decltype(&posenc_write_at) write_at;
  decltype(&posenc_targets) targets;
};

Library Load(const char* path) {
  void* const handle = posenc::LoadLibrary(path);
  Library library;
  posenc::Find(handle, "posenc_spec_init", &library.init);
  posenc::Find(handle, "posenc_encoder_create", &library.create);
  posenc::Find(handle, "posenc_encoder_destroy", &library.destroy);
  posenc::Find(handle, "posenc_write", &library.write);
  posenc::Find(handle, "posenc_write_at", &library.write_at);
  posenc::Find(handle, "posenc_targets", &library.targets);
  return library;
}

// The rows of an encoding from `first` on.
struct Run {
  std::size_t dim;
  double base;
  posenc_layout layout;
  std::int64_t first, rows;
};

std::vector<Run> Runs() {
  constexpr std::int64_t kMillion = 1 << 20, kEnd = POSENC_MAX_POSITION + 1;
  std::vector<Run> runs = {{1024, 10000.0, 0, 0, kMillion}, {768, 10000.0, 0, 0, kMillion}};
  for (const double base : {10000.0, 500000.0, 1e6}) runs.push_back({128, base, 0, 0, 16 * kMillion});
  for (const double base : {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0}) {
    runs.push_back({64, base, 0, kEnd - kMillion, kMillion});
    if (base != 10000.0 && base != 500000.0) runs.push_back({128, base, 0, 0, kMillion});
  }
  std::mt19937_64 random(20260101);
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  for (const std::int64_t middle :
       {std::int64_t{0}, std::int64_t{1} << 24, -(std::int64_t{1} << 24), kEnd, -kEnd}) {
    for (int k = 0; k < 512; ++k) {
      const std::int64_t first = middle - kMillion + below(2 * kMillion);
      const double base = std::exp2(1.0 + std::ldexp(static_cast<double>(below(23 << 20)), -20));
      runs.push_back({static_cast<std::size_t>(2 + below(255)), base, static_cast<posenc_layout>(below(3)),
                      std::clamp(first, 1 - kEnd, kEnd - 1024), 1024});
    }
  }
  return runs;
}

// One way to write them all.
struct Way {
  const char* target;
  posenc_type type;
  bool as_list;
  std::uint64_t entries = 0, differ = 0;
};

posenc_encoder* Create(const Library& library, const Run& run, const char* target) {
  posenc_spec spec;
  posenc_encoder* encoder = nullptr;
  library.init(&spec, sizeof(spec));
  spec.dim = run.dim;
  spec.base = run.base;
  spec.layout = run.layout;
  spec.target = target;
  if (library.create(&spec, &encoder) == POSENC_OK) return encoder;
  std::fprintf(stderr, "same_bits: dim %zu, base %g, %s: no encoder\n", run.dim, run.base, target);
  std::exit(2);
}

constexpr std::int64_t kRows = 4096;

void Write(const Library& library, const posenc_encoder* encoder, const Way& way, const Run& run,
           std::int64_t first, std::size_t rows, std::vector<unsigned char>* out) {
  posenc_status status;
  if (way.as_list) {
    std::int64_t positions[kRows];
    for (std::size_t r = 0; r < rows; ++r) positions[r] = first + static_cast<std::int64_t>(r);
    status = library.write_at(encoder, POSENC_I64, positions, rows, way.type, out->data(), run.dim, nullptr);
  } else {
    status = library.write(encoder, first, rows, way.type, out->data(), run.dim);
  }
  if (status == POSENC_OK) return;
  std::fprintf(stderr, "same_bits: dim %zu, position %" PRId64 ": status %d\n", run.dim, first,
               static_cast<int>(status));
  std::exit(2);
}

void Compare(const Library& old_one, const Library& new_one, const std::vector<Run>& runs, Way* way) {
  const std::size_t size = way->type == POSENC_F64 ? 8 : way->type == POSENC_F32 ? 4 : 2;
  std::vector<unsigned char> expected(kRows * 1024 * size), got(expected.size());
  // The scalar path and doubles, up to ten times as slow, take one piece in eight.
  const std::int64_t every = std::strcmp(way->target, "SCALAR") == 0 || way->type == POSENC_F64 ? 8 : 1;
  for (const Run& run : runs) {
    posenc_encoder* const before = Create(old_one, run, way->target);
    posenc_encoder* const now = Create(new_one, run, way->target);
    for (std::int64_t row = 0; row < run.rows; row += kRows * every) {
      const auto rows = static_cast<std::size_t>(std::min(kRows, run.rows - row));
      Write(old_one, before, *way, run, run.first + row, rows, &expected);
      Write(new_one, now, *way, run, run.first + row, rows, &got);
      way->entries += rows * run.dim;
      if (std::memcmp(expected.data(), got.data(), rows * run.dim * size) == 0) continue;
      for (std::size_t i = 0; i < rows * run.dim; ++i) {
        if (std::memcmp(&expected[i * size], &got[i * size], size) == 0) continue;
        if (way->differ++ == 0) {
          std::printf("%s: dim %zu, base %.17g, layout %d, position %" PRId64 ", column %zu differs\n",
                      way->target, run.dim, run.base, static_cast<int>(run.layout),
                      run.first + row + static_cast<std::int64_t>(i / run.dim), i % run.dim);
        }
      }
    }
    old_one.destroy(before);
    new_one.destroy(now);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: same_bits OLD.so NEW.so\n", stderr);
    return 2;
  }
  const Library old_one = Load(argv[1]), new_one = Load(argv[2]);
  const std::vector<Run> runs = Runs();
  posenc_target targets[32];
  const std::size_t count = std::min<std::size_t>(new_one.targets(targets, 32), 32);
  std::vector<Way> ways;
  for (std::size_t t = 0; t < count; ++t) {
    if (targets[t].runnable == 0 || std::strcmp(targets[t].name, "REFERENCE") == 0) continue;
    for (const posenc_type type : {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64}) {
      ways.push_back({targets[t].name, type, false});
      // Of the scalar path a run is a list.
      if (std::strcmp(targets[t].name, "SCALAR") != 0) ways.push_back({targets[t].name, type, true});
    }
  }
  const char* const kNames[] = {"", "f32", "bf16", "f16", "f64"};
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t w = next++; w < ways.size(); w = next++) {
      Compare(old_one, new_one, runs, &ways[w]);
      std::printf("%-8s %-4s %-8s %12" PRIu64 " entries, %" PRIu64 " differ\n", ways[w].target,
                  kNames[ways[w].type], ways[w].as_list ? "as lists" : "as runs", ways[w].entries,
                  ways[w].differ);
      std::fflush(stdout);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < std::thread::hardware_concurrency(); ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  std::uint64_t entries = 0, differ = 0;
  for (const Way& way : ways) {
    entries += way.entries;
    differ += way.differ;
  }
  std::printf("%" PRIu64 " entries, %" PRIu64 " differ\n", entries, differ);
  return differ == 0 ? 0 : 1;
}
