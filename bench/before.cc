// Loads the two builds for --before as plugins, runs their rows, and sums up which rows became slower.
#include "before.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <ostream>
#include <stdexcept>
#include <vector>

namespace posenc {
namespace bench {
namespace {

constexpr double kSlower = 0.98;  // rows with a smaller ratio are listed

std::map<std::string, BestTimes> best_times;  // by row, because Google Benchmark may run a row several times

#ifdef _WIN32
auto SymbolOf(const std::string& path, std::string* error) {
  const HMODULE library = LoadLibraryA(path.c_str());
  if (library == nullptr) *error = "error " + std::to_string(GetLastError());
  return library == nullptr ? nullptr : GetProcAddress(library, BEFORE_ENTRY);
}
#else
void* SymbolOf(const std::string& path, std::string* error) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) *error = dlerror();
  return library == nullptr ? nullptr : dlsym(library, BEFORE_ENTRY);
}
#endif

// Loads a plugin and never unloads it. On failure throws std::runtime_error with a sentence.
const before_plugin* Load(const std::string& path) {
  std::string error;
  const auto symbol = SymbolOf(path, &error);
  if (!error.empty()) throw std::runtime_error(path + " cannot be loaded: " + error);
  if (symbol == nullptr) {
    throw std::runtime_error(
        path + " is no plugin of posenc_bench; tools/before COMMIT makes the plugin of a commit");
  }
  before_entry* entry = nullptr;
  static_assert(sizeof(symbol) == sizeof(entry));
  std::memcpy(&entry, &symbol, sizeof(entry));
  const before_plugin* plugin = entry();
  if (plugin == nullptr || plugin->version < BEFORE_VERSION) {
    throw std::runtime_error(path +
                             " has an older version of the plugin's interface than this posenc_bench needs");
  }
  return plugin;
}

TargetNames TargetsOf(const before_plugin& side) {
  TargetNames names;
  for (std::uint64_t i = 0; side.target(i) != nullptr; ++i) names.emplace_back(side.target(i));
  return names;
}

TargetNames Common(const TargetNames& targets, const TargetNames& others) {
  TargetNames common;
  for (const std::string& name : targets) {
    if (std::find(others.begin(), others.end(), name) != others.end()) common.push_back(name);
  }
  return common;
}

// A checksum of the first `bytes` bytes of Output().
std::uint64_t Checksum(std::size_t bytes) {
  const auto* data = static_cast<const unsigned char*>(Output().Get(bytes));
  std::uint64_t sum = 0, word = 0;
  for (std::size_t i = 0; i < bytes; i += sizeof(word)) {
    std::memcpy(&word, data + i, std::min(sizeof(word), bytes - i));
    sum = (sum ^ word) * 0x9E3779B97F4A7C15;
    sum ^= sum >> 32;
  }
  return sum;
}

}  // namespace

void Require(const before_plugin& side, std::int32_t status) {
  if (status != 0) throw std::runtime_error(side.message(status));
}

std::shared_ptr<const void> MakeEncoder(const before_plugin& side, const before_encoder_spec& spec) {
  void* encoder = nullptr;
  Require(side, side.create_encoder(&spec, &encoder));
  return {encoder, [destroy = side.destroy_encoder](void* made) { destroy(made); }};
}

std::shared_ptr<const void> MakeRotary(const before_plugin& side, const before_rotary_spec& spec) {
  void* rotary = nullptr;
  Require(side, side.create_rotary(&spec, &rotary));
  return {rotary, [destroy = side.destroy_rotary](void* made) { destroy(made); }};
}

void Compare(benchmark::State& state, const std::string& name, const Sides& sides, const Comparison& row) {
  try {
    const Call now = row.make(*sides.now), before = row.make(*sides.before);
    const auto result = [&row](const before_plugin& side, const Call& call) {
      std::memset(Output().Get(row.work.bytes), 0xff, row.work.bytes);
      row.prepare();
      Require(side, call());
      return Checksum(row.work.bytes);
    };
    if (result(*sides.now, now) != result(*sides.before, before)) {
      return Fail(state, "--before: the two builds write different bytes");
    }
    BestTimes* best = &best_times[name];
    MeasureBeside(state, row.work, now, before, row.prepare, 1.0 / kSlower - 1.0, best);
    state.counters["before_ratio"] = best->ratio();
  } catch (const std::exception& error) {
    Fail(state, std::string("--before: ") + error.what());
  }
}

std::string RegisterBefore(const std::string& before_path, const std::string& now_path,
                           const TargetNames& targets) {
  try {
    Sides sides{Load(now_path), Load(before_path), {}};
    sides.targets = Common(Common(targets, TargetsOf(*sides.now)), TargetsOf(*sides.before));
    if (sides.targets.empty()) return "no target is in both builds";
    std::string left_out;
    for (const std::string& name : targets) {
      if (Common({name}, sides.targets).empty()) left_out += (left_out.empty() ? "" : " ") + name;
    }
    benchmark::AddCustomContext("before", before_path);
    benchmark::AddCustomContext("before_compiler", sides.before->compiler);
    benchmark::AddCustomContext("now_compiler", sides.now->compiler);
    benchmark::AddCustomContext("targets_before_lacks", left_out.empty() ? "none" : left_out);
    RegisterEncodersBefore(sides);
    RegisterRotariesBefore(sides);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

void SummarizeBefore(std::ostream& stream) {
  if (best_times.empty()) return;
  std::vector<std::pair<double, std::string>> rows;
  for (const auto& [name, best] : best_times) rows.emplace_back(best.ratio(), name);
  std::sort(rows.begin(), rows.end());
  const auto slower =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.first < kSlower; });
  const auto fixed = [](double ratio) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.3f", ratio);
    return std::string(text);
  };
  stream << "before_ratio of " << rows.size() << " rows: lowest " << fixed(rows.front().first) << ", median "
         << fixed(rows[rows.size() / 2].first) << ", highest " << fixed(rows.back().first) << "; below "
         << fixed(kSlower) << ": " << slower << '\n';
  for (std::ptrdiff_t i = 0; i < slower; ++i) {
    stream << fixed(rows[static_cast<std::size_t>(i)].first) << "  "
           << rows[static_cast<std::size_t>(i)].second << '\n';
  }
}

}  // namespace bench
}  // namespace posenc
