#include "verify_cases.h"

#include <cmath>
#include <cstdio>

#include "call_on_elements.h"
#include "encoding.h"
#include "options.h"

namespace posenc {
namespace tools {
namespace {

using oracle::Format;

constexpr Format k16BitFormats[] = {Format::kBFloat16, Format::kFloat16};
constexpr Layout kLayouts[] = {Layout::kInterleaved, Layout::kSinCos, Layout::kCosSin};
constexpr std::size_t kDims[] = {1, 2, 3, 5, 11, 16, 31, 64, 134};  // around the vector lengths
constexpr double kBases[] = {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0};

Case MakeCase(std::size_t dim, std::int64_t first, std::size_t rows, double base = 10000.0) {
  Case c;
  c.spec.dim = dim;
  c.spec.base = base;
  c.first = first;
  c.rows = rows;
  return c;
}

// The last `rows` positions of the whole range.
Case AtTheEnd(std::size_t dim, std::size_t rows, double base) {
  return MakeCase(dim, kMaxPosition + 1 - static_cast<std::int64_t>(rows), rows, base);
}

void AppendLayouts(std::vector<Case>* cases) {
  for (const Layout layout : kLayouts) {
    for (const std::size_t dim : kDims) {
      Case c = MakeCase(dim, -3, 32);
      c.spec.layout = layout;
      cases->push_back(c);
    }
  }
}

// Each base around 0, around the powers of two where float positions or phases fail, and at both ends.
void AppendPositions(std::vector<Case>* cases) {
  for (const double base : kBases) {
    for (const std::int64_t around :
         {std::int64_t{0}, std::int64_t{4096}, std::int64_t{1} << 16, std::int64_t{1} << 20,
          std::int64_t{1} << 24, -(std::int64_t{1} << 24)}) {
      cases->push_back(MakeCase(128, around - 48, 96, base));
    }
    cases->push_back(MakeCase(128, -kMaxPosition, 96, base));
    cases->push_back(AtTheEnd(128, 96, base));
  }
  cases->push_back(MakeCase(512, 0, 512));
  cases->push_back(MakeCase(1024, 65536, 32));
}

void AppendScales(std::vector<Case>* cases) {
  for (const double scale : {0.001, -3.5, 0x1p-20, 0x1.000003p-20, 1048576.0, 0.0}) {
    Case c = MakeCase(96, -5, 32);
    c.spec.position_scale = scale;
    cases->push_back(c);
  }
  Case diffusion = MakeCase(320, 0, 48);
  diffusion.spec.layout = Layout::kCosSin;
  diffusion.spec.exponent_dim = 318.0;
  cases->push_back(diffusion);
}

void AppendRecipes(std::vector<Case>* cases) {
  for (const double base : {10000.0, 500000.0, 7.25}) {
    for (const std::int64_t first : {std::int64_t{0}, (std::int64_t{1} << 24) - 3, -kMaxPosition}) {
      Case c = MakeCase(130, first, 24, base);
      c.spec.recipe = Recipe::kF32PowDiv;
      cases->push_back(c);
    }
  }
}

void AppendLists(std::vector<Case>* cases) {
  for (const Layout layout : kLayouts) {
    Case c = MakeCase(257, -kMaxPosition, 32);
    c.spec.layout = layout;
    c.step = 134217721;  // a prime: 32 steps cross the range
    cases->push_back(c);
    c.add = true;
    cases->push_back(c);
  }
}

void AppendAdds(std::vector<Case>* cases) {
  for (const Layout layout : kLayouts) {
    for (const float scale : {1.0f, 22.627417f /* sqrt(512) */, -0.3f}) {
      Case c = MakeCase(99, -8, 40);
      c.spec.layout = layout;
      c.add = true;
      c.scale = scale;
      cases->push_back(c);
    }
  }
}

// The window of the rounding test, the store functions and the subnormal numbers differ from float32's.
void Append16Bit(Format format, std::vector<Case>* cases) {
  const auto begin = static_cast<std::ptrdiff_t>(cases->size());
  AppendLayouts(cases);
  for (const double base : kBases) {
    cases->push_back(MakeCase(128, -48, 96, base));
    cases->push_back(MakeCase(128, 1 << 20, 64, base));
    cases->push_back(AtTheEnd(128, 64, base));
  }
  for (const double scale :
       {1e-3, -0x1p-10, 0x1p-14, -0x1.8p-17, 0x1p-23, -0x1p-25, 0x1.000003p-26, 0x1p-100}) {
    Case c = MakeCase(96, -9, 48);
    c.spec.position_scale = scale;
    cases->push_back(c);
  }
  AppendRecipes(cases);
  AppendLists(cases);
  AppendAdds(cases);
  Case overflow = MakeCase(64, 0, 16);
  overflow.add = true;
  overflow.scale = 30000.0f;
  cases->push_back(overflow);
  for (auto c = cases->begin() + begin; c != cases->end(); ++c) c->format = format;
}

}  // namespace

const char* Name(Format format) {
  switch (format) {
    case Format::kFloat32:
      return "f32";
    case Format::kBFloat16:
      return "bf16";
    case Format::kFloat16:
      break;
  }
  return "f16";
}

std::string ShowEntry(Format format, std::uint32_t bits) {
  char text[64];
  std::snprintf(text, sizeof(text), "0x%0*x (%.9g)", format == Format::kFloat32 ? 8 : 4, bits,
                static_cast<double>(oracle::Unpack(format, bits)));
  return text;
}

std::vector<Case> DigestCases() {
  std::vector<Case> cases;
  AppendLayouts(&cases);
  AppendPositions(&cases);
  AppendScales(&cases);
  AppendRecipes(&cases);
  AppendLists(&cases);
  AppendAdds(&cases);
  for (const Format format : k16BitFormats) Append16Bit(format, &cases);
  return cases;
}

std::vector<Case> TableCases() {
  std::vector<Case> cases = {MakeCase(512, 0, 5120), MakeCase(768, 0, 4096), MakeCase(1024, 0, 8192)};
  for (const double base : kBases) {
    cases.push_back(MakeCase(128, -8192, 16384, base));
    cases.push_back(AtTheEnd(128, 8192, base));
  }
  Case add = MakeCase(512, 1 << 20, 4096);
  add.add = true;
  add.scale = 22.627417f;
  cases.push_back(add);
  Case recipe = MakeCase(512, 0, 512);
  recipe.spec.recipe = Recipe::kF32PowDiv;
  cases.push_back(recipe);
  for (const Format format : k16BitFormats) {
    for (Case c :
         {MakeCase(512, 0, 5120), MakeCase(128, -8192, 16384, 500000.0), AtTheEnd(128, 8192, 1e7), add}) {
      c.format = format;
      cases.push_back(c);
    }
  }
  return cases;
}

float AddInput(Format format, std::size_t row, std::size_t column) {
  const std::uint32_t hash =
      static_cast<std::uint32_t>(row) * 2654435761u ^ static_cast<std::uint32_t>(column) * 2246822519u;
  const auto value = static_cast<float>(static_cast<std::int32_t>(hash));
  return oracle::RoundTo(format, std::ldexp(static_cast<double>(value), -29));
}

void RunCase(const Case& c, const Encoder& encoder, std::size_t row, std::size_t rows, float* values) {
  const std::size_t dim = c.spec.dim;
  if (c.add) {
    for (std::size_t i = 0; i < rows * dim; ++i) values[i] = AddInput(c.format, row + i / dim, i % dim);
  }
  std::vector<std::int64_t> positions;
  for (std::size_t r = row; r < row + rows; ++r) positions.push_back(c.Position(r));
  Require(CallOnElements(c.format, values, rows * dim, [&](auto* x) {
    if (c.step == 1) {
      return c.add ? encoder.Add(positions[0], rows, x, dim, c.scale)
                   : encoder.Write(positions[0], rows, x, dim);
    }
    return c.add ? encoder.AddAt(positions.data(), rows, x, dim, c.scale)
                 : encoder.WriteAt(positions.data(), rows, x, dim);
  }));
}

std::string Describe(const Case& c) {
  std::string text = c.add ? "Add" : "Write";
  if (c.step != 1) text += "At";
  text += std::string(" ") + Name(c.format) + ", " + Describe(c.spec);
  if (c.add) text += ", scale " + Shortest(static_cast<double>(c.scale));
  return text;
}

}  // namespace tools
}  // namespace posenc
