#include "command/schedule_plot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "command/canvas.h"

namespace posenc {
namespace tools {
namespace {

constexpr int kWidth = 960, kHeight = 560;  // of the axes
constexpr int kLeft = 96, kTop = 96, kRight = 24, kBottom = 64;
constexpr int kDot = 7;  // all in pixels
constexpr double kTurn = 6.283185307179586;

// Logarithms of wavelengths, in positions per turn.
std::vector<double> LogWavelengths(const std::vector<double>& frequencies) {
  std::vector<double> logs;
  logs.reserve(frequencies.size());
  for (const double w : frequencies) {
    logs.push_back(w == 0.0 ? std::nan("") : std::log10(kTurn / std::fabs(w)));
  }
  return logs;
}

class Picture {
 public:
  explicit Picture(const SchedulePlot& plot)
      : plot_(plot), unscaled_(LogWavelengths(plot.unscaled)), scaled_(LogWavelengths(plot.scaled)) {
    const int text = 2 * kRight + gdFontGetGiant()->w * static_cast<int>(plot.title.size());
    canvas_.emplace(std::max(kLeft + kWidth + kRight, text), kTop + kHeight + kBottom);
    ink_ = canvas_->Colour(40, 40, 40);
    grid_ = canvas_->Colour(220, 220, 220);
    before_ = canvas_->Colour(208, 84, 68);
    after_ = canvas_->Colour(12, 44, 99);
    for (const std::vector<double>* logs : {&unscaled_, &scaled_}) {
      for (const double log : *logs) {
        if (std::isnan(log)) continue;
        low_ = std::min(low_, std::floor(log));
        high_ = std::max(high_, std::ceil(log));
      }
    }
  }

  std::string Draw() {
    Text(gdFontGetGiant(), kRight, kRight, plot_.title, ink_);
    Text(gdFontGetLarge(), kRight, 48, "without scaling", before_);
    Text(gdFontGetLarge(), kRight + 160, 48, "scaled", after_);
    Text(gdFontGetLarge(), kRight + 260, 48, plot_.note, ink_);
    DrawAxes();
    DrawDots(unscaled_, before_);
    DrawDots(scaled_, after_);
    return canvas_->Png();
  }

 private:
  void Text(gdFontPtr font, int x, int y, const std::string& text, int colour) {
    canvas_->Text(font, x, y, text, colour);
  }

  int X(std::size_t pair) const {
    const std::size_t last = std::max<std::size_t>(scaled_.size() - 1, 1);
    return kLeft + static_cast<int>(pair * static_cast<std::size_t>(kWidth) / last);
  }
  int Y(double log) const {
    return kTop + static_cast<int>(std::lround((high_ - log) / (high_ - low_) * kHeight));
  }

  void DrawAxes() {
    const double every = std::max(1.0, std::ceil((high_ - low_) / 20.0));
    for (double log = low_; log <= high_; log += every) {
      gdImageLine(canvas_->image(), kLeft, Y(log), kLeft + kWidth, Y(log), grid_);
      Text(gdFontGetLarge(), kLeft - 56, Y(log) - 8, "1e" + std::to_string(static_cast<int>(log)), ink_);
    }
    gdImageRectangle(canvas_->image(), kLeft, kTop, kLeft + kWidth, kTop + kHeight, ink_);
    for (const std::size_t pair : {std::size_t{0}, scaled_.size() / 2, scaled_.size() - 1}) {
      Text(gdFontGetLarge(), X(pair) - 8, kTop + kHeight + 8, std::to_string(pair), ink_);
    }
    Text(gdFontGetLarge(), kLeft + kWidth / 2 - 16, kTop + kHeight + 36, "pair", ink_);
    Text(gdFontGetLarge(), kRight, 72, "wavelength, in positions", ink_);
  }

  void DrawDots(const std::vector<double>& logs, int colour) {
    for (std::size_t i = 0; i < logs.size(); ++i) {
      if (!std::isnan(logs[i])) gdImageFilledEllipse(canvas_->image(), X(i), Y(logs[i]), kDot, kDot, colour);
    }
  }

  const SchedulePlot& plot_;
  const std::vector<double> unscaled_, scaled_;
  double low_ = 0.0, high_ = 1.0;
  std::optional<Canvas> canvas_;
  int ink_ = 0, grid_ = 0, before_ = 0, after_ = 0;
};

}  // namespace

std::string DrawPng(const SchedulePlot& plot) { return Picture(plot).Draw(); }

}  // namespace tools
}  // namespace posenc
