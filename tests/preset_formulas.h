// The rows of the presets, each written down as its source computes it, in MPFR. Nothing here knows
// posenc_spec: not its layouts, nor what divides the exponent.
#ifndef POSENC_TESTS_PRESET_FORMULAS_H_
#define POSENC_TESTS_PRESET_FORMULAS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "oracle/number.h"
#include "oracle/real.h"

namespace posenc {
namespace preset_formulas {

using oracle::Real;

// What an entry is: a function of position * w, or something else.
enum class Kind { kSine, kCosine, kZero, kInput };
struct Column {
  Kind kind;
  Real w;
};
using Columns = std::vector<Column>;

// Makes the columns of d, in so many bits.
using Source = Columns (*)(std::size_t d, int bits);

// A row that grows column by column.
class RowOf {
 public:
  explicit RowOf(int bits) : bits_(bits) {}

  Real Number(double x) const { return {x, bits_}; }
  Real Ratio(double a, double b) const { return Number(a) / Number(b); }
  Real Power(double base, const Real& exponent) const { return Number(base).Pow(exponent); }

  void Sine(const Real& w) { columns_.push_back({Kind::kSine, w}); }
  void Cosine(const Real& w) { columns_.push_back({Kind::kCosine, w}); }
  void Zero() { columns_.push_back({Kind::kZero, Number(0)}); }
  void Input() { columns_.push_back({Kind::kInput, Number(0)}); }
  void Sines(const std::vector<Real>& ws) {
    for (const Real& w : ws) Sine(w);
  }
  void Cosines(const std::vector<Real>& ws) {
    for (const Real& w : ws) Cosine(w);
  }

  Columns Take(std::size_t d) {
    columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(d), columns_.end());
    return std::move(columns_);
  }
  Columns TakePadded(std::size_t d) {
    while (columns_.size() < d) Zero();
    return std::move(columns_);
  }

 private:
  int bits_;
  Columns columns_;
};

inline std::size_t PairOf(std::size_t j) { return j / 2; }

// pos / 10000^(2 (j // 2) / d) for each column j: sine where j is even, cosine where it is odd.
inline Columns Paper(std::size_t d, int bits) {
  RowOf row(bits);
  for (std::size_t j = 0; j < d; ++j) {
    const Real w = row.Power(10000, row.Ratio(-2.0 * static_cast<double>(PairOf(j)), static_cast<double>(d)));
    j % 2 == 0 ? row.Sine(w) : row.Cosine(w);
  }
  return row.Take(d);
}

// div_term = exp(arange(0, d, 2) * (-log(10000) / d)); pe[:, 0::2] = sin, pe[:, 1::2] = cos
inline Columns Tutorial(std::size_t d, int bits) {
  RowOf row(bits);
  const Real rate = row.Number(0) - row.Number(10000).Log() / row.Number(static_cast<double>(d));
  for (std::size_t k = 0; k < d; k += 2) {
    const Real w = k == 0 ? row.Number(1) : (row.Number(static_cast<double>(k)) * rate).Exp();
    row.Sine(w);
    row.Cosine(w);
  }
  return row.Take(d);
}

// channels = ceil(d / 2) * 2; inv_freq = 1 / 10000^(arange(0, channels, 2) / channels);
// flatten(stack(sin, cos))[:d]
inline Columns Tatp22(std::size_t d, int bits) {
  RowOf row(bits);
  const std::size_t channels = (d + 1) / 2 * 2;
  for (std::size_t k = 0; k < channels; k += 2) {
    const Real w =
        row.Number(1) / row.Power(10000, row.Ratio(static_cast<double>(k), static_cast<double>(channels)));
    row.Sine(w);
    row.Cosine(w);
  }
  return row.Take(d);
}

// out[:, :sentinel] = sin(enc[:, 0::2]), out[:, sentinel:] = cos(enc[:, 1::2]) of the paper's enc;
// inv_freq = 1 / 10000^(arange(0, d, 2) / d), cat(sin, cos)[:d] is the same
inline Columns PaperInHalves(std::size_t d, int bits) {
  RowOf row(bits);
  const auto w = [&](std::size_t j) {
    return row.Power(10000, row.Ratio(-2.0 * static_cast<double>(PairOf(j)), static_cast<double>(d)));
  };
  for (std::size_t j = 0; j < d; j += 2) row.Sine(w(j));
  for (std::size_t j = 1; j < d; j += 2) row.Cosine(w(j));
  return row.Take(d);
}

// n = d // 2; inv = exp(arange(n) * -(log(10000) / max(n - 1, 1))); cat(sin, cos), padded by d % 2 zeros
inline std::vector<Real> Timescales(std::size_t n, int bits) {
  const RowOf row(bits);
  const Real increment = row.Number(10000).Log() / row.Number(n < 2 ? 1 : static_cast<double>(n - 1));
  std::vector<Real> ws;
  for (std::size_t i = 0; i < n; ++i) {
    ws.push_back(i == 0 ? row.Number(1) : (row.Number(-static_cast<double>(i)) * increment).Exp());
  }
  return ws;
}

inline Columns TimingSignal(std::size_t d, int bits) {
  RowOf row(bits);
  const std::vector<Real> inv = Timescales(d / 2, bits);
  row.Sines(inv);
  row.Cosines(inv);
  return row.TakePadded(d);
}

// n = d / 2, which need not be whole; of each column i the timescale i % int(n), where there is one:
// exp(that * -log(10000) / (n - 1)); sine for i < int(n), else cosine
inline Columns Marian(std::size_t d, int bits) {
  RowOf row(bits);
  const std::size_t whole = d / 2;
  for (std::size_t i = 0; i < d; ++i) {
    const std::size_t k = whole == 0 ? 0 : i % whole;
    const Real w = k == 0
                       ? row.Number(1)
                       : row.Power(10000, row.Ratio(-static_cast<double>(k), static_cast<double>(d) / 2 - 1));
    i < whole ? row.Sine(w) : row.Cosine(w);
  }
  return row.Take(d);
}

// half = d // 2; freqs = exp(-log(10000) * arange(half) / half); cat(cos, sin), padded by d % 2 zeros
inline std::vector<Real> HalfPeriods(std::size_t half, int bits) {
  const RowOf row(bits);
  std::vector<Real> ws;
  for (std::size_t i = 0; i < half; ++i) {
    ws.push_back(i == 0 ? row.Number(1)
                        : row.Power(10000, row.Ratio(-static_cast<double>(i), static_cast<double>(half))));
  }
  return ws;
}

inline Columns Timestep(std::size_t d, int bits) {
  RowOf row(bits);
  const std::vector<Real> freqs = HalfPeriods(d / 2, bits);
  row.Cosines(freqs);
  row.Sines(freqs);
  return row.TakePadded(d);
}

// omega = 1 / 10000^(arange(d // 2) / (d / 2)); cat(sin, cos). Sources refuse odd d.
inline Columns GridAxis(std::size_t d, int bits) {
  RowOf row(bits);
  const std::vector<Real> omega = HalfPeriods(d / 2, bits);
  row.Sines(omega);
  row.Cosines(omega);
  return row.TakePadded(d);
}

// The frequencies that tests give as the caller's.
inline std::vector<double> Listed(std::size_t d) {
  std::vector<double> ws;
  for (std::size_t i = 0; i < (d < 2 ? 1 : d / 2); ++i) {
    ws.push_back(static_cast<double>(i * 7919 % 1013) / 64.0 - 7.7 + 0.25 * static_cast<double>(i % 3));
  }
  return ws;
}

// proj = x * W * 2 pi; cat(sin, cos)
inline Columns Fourier(std::size_t d, int bits) {
  RowOf row(bits);
  for (std::size_t i = 0; i < d / 2; ++i) row.Sine(row.Number(Listed(d)[i]));
  for (std::size_t i = 0; i < d / 2; ++i) row.Cosine(row.Number(Listed(d)[i]));
  return row.TakePadded(d);
}

// cat(cos, sin)
inline Columns FourierCosinesFirst(std::size_t d, int bits) {
  RowOf row(bits);
  for (std::size_t i = 0; i < d / 2; ++i) row.Cosine(row.Number(Listed(d)[i]));
  for (std::size_t i = 0; i < d / 2; ++i) row.Sine(row.Number(Listed(d)[i]));
  return row.TakePadded(d);
}

// embed_fns = [x], then sin(x * freq) and cos(x * freq) for each freq of 2^linspace(0, N - 1, N)
inline Columns NerfCode(std::size_t d, int bits) {
  RowOf row(bits);
  row.Input();
  double freq = 1.0;
  for (std::size_t j = 1; j < d; j += 2, freq *= 2.0) {
    row.Sine(row.Number(freq));
    row.Cosine(row.Number(freq));
  }
  return row.Take(d);
}

// (sin(2^0 pi p), cos(2^0 pi p), ..., sin(2^(L-1) pi p), cos(2^(L-1) pi p))
inline Columns NerfPaper(std::size_t d, int bits) {
  RowOf row(bits);
  double freq = 1.0;
  for (std::size_t j = 0; j < d; j += 2, freq *= 2.0) {
    row.Sine(row.Number(freq));
    row.Cosine(row.Number(freq));
  }
  return row.Take(d);
}

// bands = 2^linspace(0, log2(224) - 1, n) * pi; cat(sin, cos)
inline Columns PixelBands(std::size_t d, int bits) {
  RowOf row(bits);
  const std::size_t n = d / 2;
  std::vector<Real> bands;
  for (std::size_t i = 0; i < n; ++i) {
    // 2^(i / (n - 1) * (log2(224) - 1)) = (224 / 2)^(i / (n - 1))
    bands.push_back(
        i == 0 ? row.Number(1)
               : row.Power(224.0 / 2, row.Ratio(static_cast<double>(i), static_cast<double>(n - 1))));
  }
  row.Sines(bands);
  row.Cosines(bands);
  return row.TakePadded(d);
}

}  // namespace preset_formulas
}  // namespace posenc

#endif  // POSENC_TESTS_PRESET_FORMULAS_H_
