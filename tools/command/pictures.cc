#include "command/pictures.h"

#include <gd.h>
#include <gdfontg.h>
#include <gdfontl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

namespace posenc {
namespace tools {
namespace {

gdFontPtr TitleFont() { return gdFontGetGiant(); }
gdFontPtr Font() { return gdFontGetLarge(); }
int TextWidth(gdFontPtr font, const std::string& text) { return font->w * static_cast<int>(text.size()); }

class Canvas {
 public:
  // A white canvas. Lines and text are drawn in its ink unless a call names another colour.
  Canvas(int width, int height) : image_(gdImageCreate(width, height)) {
    if (image_ == nullptr) throw std::bad_alloc();
    Colour(255, 255, 255);  // the first colour is the background
    ink_ = Colour(40, 40, 40);
  }

  gdImagePtr image() const { return image_.get(); }
  int ink() const { return ink_; }

  int Colour(int red, int green, int blue) { return gdImageColorAllocate(image(), red, green, blue); }

  void Text(gdFontPtr font, int x, int y, const std::string& text) { Text(font, x, y, text, ink_); }
  void Text(gdFontPtr font, int x, int y, std::string text, int colour) {
    gdImageString(image(), font, x, y, reinterpret_cast<unsigned char*>(text.data()), colour);
  }
  void TextUpwards(int x, int y, std::string text) {
    gdImageStringUp(image(), Font(), x, y, reinterpret_cast<unsigned char*>(text.data()), ink_);
  }
  void Line(int x1, int y1, int x2, int y2) { gdImageLine(image(), x1, y1, x2, y2, ink_); }

  // The picture as the bytes of a PNG file.
  std::string Png() const {
    int size = 0;
    const std::unique_ptr<void, Free> bytes(gdImagePngPtrEx(image(), &size, 9));
    if (bytes == nullptr) throw std::bad_alloc();
    return std::string(static_cast<const char*>(bytes.get()), static_cast<std::size_t>(size));
  }

 private:
  struct Free {
    void operator()(gdImagePtr image) const { gdImageDestroy(image); }
    void operator()(void* bytes) const { gdFree(bytes); }
  };
  std::unique_ptr<gdImage, Free> image_;
  int ink_;
};

constexpr int kMargin = 16, kTick = 6, kGap = 6;  // in pixels, like all lengths below

// The cells of a heat map along one axis. The first cell begins at the pixel `begin`.
struct Scale {
  const HeatMap::Axis& axis;
  int begin, cell;

  Scale(const HeatMap::Axis& of, int at, int pixels) : axis(of), begin(at) {
    constexpr int kMaxCell = 64;
    cell = std::clamp(pixels / cells(), 1, kMaxCell);
  }

  int cells() const { return static_cast<int>(axis.coordinates.size()); }
  int size() const { return cells() * cell; }
  int end() const { return begin + size(); }

  static int LabelWidth(const HeatMap::Axis& axis) {
    return std::max(TextWidth(Font(), std::to_string(axis.coordinates.front())),
                    TextWidth(Font(), std::to_string(axis.coordinates.back())));
  }

  // Calls draw(label, middle) for each label of the axis. Labels are round numbers, 1, 2 or 5 times a power
  // of ten apart, with at least `distance` pixels between them. `middle` is the middle of the first cell
  // whose coordinate is not below the label.
  template <class Draw>
  void ForTicks(int distance, const Draw& draw) const {
    const std::vector<std::int64_t>& all = axis.coordinates;
    const std::int64_t first = all.front(), span = all.back() - first;
    const std::int64_t most = std::max(size() / distance, 1);
    std::int64_t step = 1;
    for (std::int64_t power = 1; span / step > most; power *= 10) {
      for (const std::int64_t factor : {2, 5, 10}) {
        step = power * factor;
        if (span / step <= most) break;
      }
    }
    std::int64_t tick = first / step * step;
    if (tick < first) tick += step;
    for (; tick <= all.back(); tick += step) {
      const auto i = std::lower_bound(all.begin(), all.end(), tick) - all.begin();
      draw(std::to_string(tick), begin + static_cast<int>(i) * cell + cell / 2);
    }
  }
};

class MapPicture {
 public:
  explicit MapPicture(const HeatMap& map)
      : map_(map),
        columns_(map.columns, kMargin + Font()->h + kGap + Scale::LabelWidth(map.rows) + kGap + kTick, 960),
        rows_(map.rows, kMargin + TitleFont()->h + (map.note.empty() ? 0 : kGap + Font()->h) + kMargin, 640),
        canvas_(std::max(bar() + kBarWidth + kTick + kGap + TextWidth(Font(), "-1.0"),
                         kMargin + std::max(TextWidth(TitleFont(), map.title), TextWidth(Font(), map.note))) +
                    kMargin,
                rows_.end() + kTick + 2 * (kGap + Font()->h) + kMargin) {
    for (int level = 0; level <= kLevels; ++level) AllocateLevel(level);
  }

  std::string Draw() {
    canvas_.Text(TitleFont(), kMargin, kMargin, map_.title);
    canvas_.Text(Font(), kMargin, kMargin + TitleFont()->h + kGap, map_.note);
    DrawCells();
    DrawRowTicks();
    DrawColumnTicks();
    DrawBar();
    return canvas_.Png();
  }

 private:
  static constexpr int kBarWidth = 20;
  static constexpr int kLevels = 200;  // the map has one colour more

  int bar() const { return columns_.end() + 2 * kMargin; }  // the left edge of the colour bar

  void AllocateLevel(int level) {
    constexpr double kColours[][3] = {{12, 44, 99},    {54, 124, 188}, {166, 206, 229}, {250, 249, 247},
                                      {248, 188, 155}, {208, 84, 68},  {103, 8, 30}};  // from -1 to 1
    constexpr int kIntervals = static_cast<int>(std::size(kColours)) - 1;
    const double place = static_cast<double>(level) / kLevels * kIntervals;
    const int below = std::min(static_cast<int>(place), kIntervals - 1);
    const auto mix = [&](int part) {
      const double from = kColours[below][part], to = kColours[below + 1][part];
      return static_cast<int>(std::lround(from + (place - below) * (to - from)));
    };
    levels_[level] = canvas_.Colour(mix(0), mix(1), mix(2));
  }

  // Fills a rectangle with the colour of `value`: pixels x .. x + width - 1 and y .. y + height - 1.
  void Fill(int x, int y, int width, int height, double value) {
    const int level = levels_[std::lround((std::clamp(value, -1.0, 1.0) + 1.0) / 2 * kLevels)];
    gdImageFilledRectangle(canvas_.image(), x, y, x + width - 1, y + height - 1, level);
  }

  // Draws a frame around the pixels left .. right - 1, as high as all rows.
  void Frame(int left, int right) {
    gdImageRectangle(canvas_.image(), left - 1, rows_.begin - 1, right, rows_.end(), canvas_.ink());
  }

  void DrawCells() {
    const float* value = map_.values.data();
    for (int r = 0; r < rows_.cells(); ++r) {
      for (int c = 0; c < columns_.cells(); ++c) {
        Fill(columns_.begin + c * columns_.cell, rows_.begin + r * rows_.cell, columns_.cell, rows_.cell,
             static_cast<double>(*value++));
      }
    }
    Frame(columns_.begin, columns_.end());
  }

  void DrawRowTicks() {
    const int x = columns_.begin - 2;
    rows_.ForTicks(3 * Font()->h, [&](const std::string& label, int y) {
      canvas_.Line(x - kTick, y, x, y);
      canvas_.Text(Font(), x - kTick - kGap - TextWidth(Font(), label), y - Font()->h / 2, label);
    });
    const std::string& label = map_.rows.label;
    canvas_.TextUpwards(kMargin / 2, (rows_.begin + rows_.end() + TextWidth(Font(), label)) / 2, label);
  }

  void DrawColumnTicks() {
    const int y = rows_.end() + 1;
    columns_.ForTicks(Scale::LabelWidth(map_.columns) + 3 * kMargin, [&](const std::string& label, int x) {
      canvas_.Line(x, y, x, y + kTick);
      canvas_.Text(Font(), x - TextWidth(Font(), label) / 2, y + kTick + kGap / 2, label);
    });
    const std::string& label = map_.columns.label;
    canvas_.Text(Font(), (columns_.begin + columns_.end() - TextWidth(Font(), label)) / 2,
                 y + kTick + kGap + Font()->h, label);
  }

  void DrawBar() {
    const int height = rows_.size(), right = bar() + kBarWidth;
    for (int i = 0; i < height; ++i) {
      Fill(bar(), rows_.begin + i, kBarWidth, 1, height == 1 ? 0.0 : 1.0 - 2.0 * i / (height - 1));
    }
    Frame(bar(), right);
    const char* const labels[] = {" 1.0", " 0.5", " 0.0", "-0.5", "-1.0"};
    const int every = height < 6 * Font()->h ? 2 : 1;
    for (int i = 0; i < 5; i += every) {
      const int y = rows_.begin + (height - 1) * i / 4;
      canvas_.Line(right + 1, y, right + 1 + kTick, y);
      canvas_.Text(Font(), right + 1 + kTick + kGap, y - Font()->h / 2, labels[i]);
    }
  }

  const HeatMap& map_;
  const Scale columns_, rows_;
  Canvas canvas_;
  int levels_[kLevels + 1] = {};
};

// The decimal logarithms of the wavelengths, in positions per turn. NaN for a frequency of 0.
std::vector<double> LogWavelengths(const std::vector<double>& frequencies) {
  constexpr double kTurn = 6.283185307179586;
  std::vector<double> logs;
  for (const double w : frequencies) {
    logs.push_back(w == 0.0 ? std::nan("") : std::log10(kTurn / std::fabs(w)));
  }
  return logs;
}

}  // namespace

std::string DrawPng(const HeatMap& map) { return MapPicture(map).Draw(); }

std::string DrawPng(const SchedulePlot& plot) {
  constexpr int kWidth = 960, kHeight = 560;  // of the area between the axes
  constexpr int kLeft = 96, kTop = 96, kRight = 24, kBottom = 64, kDot = 7;
  Canvas canvas(std::max(kLeft + kWidth + kRight, 2 * kRight + TextWidth(TitleFont(), plot.title)),
                kTop + kHeight + kBottom);
  const int grid = canvas.Colour(220, 220, 220), before = canvas.Colour(208, 84, 68),
            after = canvas.Colour(12, 44, 99);
  const std::vector<double> unscaled = LogWavelengths(plot.unscaled), scaled = LogWavelengths(plot.scaled);
  double low = 0.0, high = 1.0;
  for (const std::vector<double>* logs : {&unscaled, &scaled}) {
    for (const double log : *logs) {
      low = std::fmin(low, std::floor(log));  // fmin ignores a NaN
      high = std::fmax(high, std::ceil(log));
    }
  }
  const auto x_of = [&](std::size_t pair) {
    const std::size_t last = std::max<std::size_t>(scaled.size() - 1, 1);
    return kLeft + static_cast<int>(pair * static_cast<std::size_t>(kWidth) / last);
  };
  const auto y_of = [&](double log) {
    return kTop + static_cast<int>(std::lround((high - log) / (high - low) * kHeight));
  };

  canvas.Text(TitleFont(), kRight, kRight, plot.title);
  canvas.Text(Font(), kRight, 48, "without scaling", before);
  canvas.Text(Font(), kRight + 160, 48, "scaled", after);
  canvas.Text(Font(), kRight + 260, 48, plot.note);
  for (double log = low; log <= high; log += std::max(1.0, std::ceil((high - low) / 20.0))) {
    gdImageLine(canvas.image(), kLeft, y_of(log), kLeft + kWidth, y_of(log), grid);
    canvas.Text(Font(), kLeft - 56, y_of(log) - 8, "1e" + std::to_string(static_cast<int>(log)));
  }
  gdImageRectangle(canvas.image(), kLeft, kTop, kLeft + kWidth, kTop + kHeight, canvas.ink());
  for (const std::size_t pair : {std::size_t{0}, scaled.size() / 2, scaled.size() - 1}) {
    canvas.Text(Font(), x_of(pair) - 8, kTop + kHeight + 8, std::to_string(pair));
  }
  canvas.Text(Font(), kLeft + kWidth / 2 - 16, kTop + kHeight + 36, "pair");
  canvas.Text(Font(), kRight, 72, "wavelength, in positions");
  const auto draw_dots = [&](const std::vector<double>& logs, int colour) {
    for (std::size_t i = 0; i < logs.size(); ++i) {
      if (!std::isnan(logs[i]))
        gdImageFilledEllipse(canvas.image(), x_of(i), y_of(logs[i]), kDot, kDot, colour);
    }
  };
  draw_dots(unscaled, before);
  draw_dots(scaled, after);
  return canvas.Png();
}

}  // namespace tools
}  // namespace posenc
