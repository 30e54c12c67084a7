#include "command/heat_map.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "command/canvas.h"

namespace posenc {
namespace tools {
namespace {

constexpr int kWidth = 960, kHeight = 640;  // of the cells, about
constexpr int kMaxCellSize = 64;
constexpr int kMargin = 16, kTick = 6, kGap = 6;  // all in pixels
constexpr int kBarWidth = 20;
constexpr int kLevels = 200;  // colours of the map, less one

struct Colour {
  double red, green, blue;
};
constexpr Colour kColours[] = {{12, 44, 99},    {54, 124, 188}, {166, 206, 229}, {250, 249, 247},
                               {248, 188, 155}, {208, 84, 68},  {103, 8, 30}};  // -1 to 1

gdFontPtr TitleFont() { return gdFontGetGiant(); }
gdFontPtr Font() { return gdFontGetLarge(); }

int TextWidth(gdFontPtr font, const std::string& text) { return font->w * static_cast<int>(text.size()); }

// Cells along an axis, from the pixel `begin` on.
struct Scale {
  const HeatMap::Axis& axis;
  int begin, cell;

  int cells() const { return static_cast<int>(axis.coordinates.size()); }
  int size() const { return cells() * cell; }
  int end() const { return begin + size(); }
  std::int64_t first() const { return axis.coordinates.front(); }
  std::int64_t last() const { return axis.coordinates.back(); }

  // The middle of the first cell that is not before the coordinate.
  int Middle(std::int64_t coordinate) const {
    const auto& all = axis.coordinates;
    const auto i = std::lower_bound(all.begin(), all.end(), coordinate) - all.begin();
    return begin + static_cast<int>(i) * cell + cell / 2;
  }
};

int CellSize(const HeatMap::Axis& axis, int pixels) {
  return std::clamp(pixels / static_cast<int>(axis.coordinates.size()), 1, kMaxCellSize);
}

// Round numbers (1, 2 or 5 times a power of ten apart), at most one in `distance` pixels.
std::vector<std::int64_t> Ticks(const Scale& scale, int distance) {
  const std::int64_t span = scale.last() - scale.first();
  const std::int64_t most = std::max(scale.size() / distance, 1);
  std::int64_t step = 1;
  for (const std::int64_t factors[] = {2, 5, 10}; span / step > most;) {
    std::int64_t power = step;
    for (const std::int64_t factor : factors) {
      step = power * factor;
      if (span / step <= most) break;
    }
  }
  std::int64_t tick = scale.first() / step * step;
  if (tick < scale.first()) tick += step;
  std::vector<std::int64_t> ticks;
  for (; tick <= scale.last(); tick += step) ticks.push_back(tick);
  return ticks;
}

class Picture {
 public:
  explicit Picture(const HeatMap& map)
      : map_(map),
        columns_{map.columns, Left(map), CellSize(map.columns, kWidth)},
        rows_{map.rows, Top(map), CellSize(map.rows, kHeight)},
        bar_(columns_.end() + 2 * kMargin) {
    const int right = bar_ + kBarWidth + kTick + kGap + TextWidth(Font(), "-1.0");
    const int text = kMargin + std::max(TextWidth(TitleFont(), map.title), TextWidth(Font(), map.note));
    const int bottom = rows_.end() + kTick + 2 * (kGap + Font()->h);
    canvas_.emplace(std::max(right, text) + kMargin, bottom + kMargin);
    ink_ = canvas_->Colour(40, 40, 40);
    for (int level = 0; level <= kLevels; ++level) AllocateLevel(level);
  }

  std::string Draw() {
    Text(TitleFont(), kMargin, kMargin, map_.title);
    if (!map_.note.empty()) Text(Font(), kMargin, kMargin + TitleFont()->h + kGap, map_.note);
    DrawCells();
    DrawRowTicks();
    DrawColumnTicks();
    DrawBar();
    return canvas_->Png();
  }

 private:
  static int LabelWidth(const HeatMap::Axis& axis) {
    return std::max(TextWidth(Font(), std::to_string(axis.coordinates.front())),
                    TextWidth(Font(), std::to_string(axis.coordinates.back())));
  }
  static int Left(const HeatMap& map) {
    return kMargin + Font()->h + kGap + LabelWidth(map.rows) + kGap + kTick;
  }
  static int Top(const HeatMap& map) {
    return kMargin + TitleFont()->h + (map.note.empty() ? 0 : kGap + Font()->h) + kMargin;
  }

  void AllocateLevel(int level) {
    constexpr int kIntervals = static_cast<int>(std::size(kColours)) - 1;
    const double place = static_cast<double>(level) / kLevels * kIntervals;
    const int below = std::min(static_cast<int>(place), kIntervals - 1);
    const auto mix = [&](double Colour::*part) {
      const double from = kColours[below].*part, to = kColours[below + 1].*part;
      return static_cast<int>(std::lround(from + (place - below) * (to - from)));
    };
    levels_[level] = canvas_->Colour(mix(&Colour::red), mix(&Colour::green), mix(&Colour::blue));
  }

  int LevelOf(double value) const {
    return levels_[std::lround((std::clamp(value, -1.0, 1.0) + 1.0) / 2 * kLevels)];
  }

  void Text(gdFontPtr font, int x, int y, const std::string& text) { canvas_->Text(font, x, y, text, ink_); }

  void Line(int x1, int y1, int x2, int y2) { gdImageLine(canvas_->image(), x1, y1, x2, y2, ink_); }

  // Around the pixels [left, right) x [top, bottom).
  void Frame(int left, int top, int right, int bottom) {
    gdImageRectangle(canvas_->image(), left - 1, top - 1, right, bottom, ink_);
  }

  void DrawCells() {
    const float* value = map_.values.data();
    for (int r = 0; r < rows_.cells(); ++r) {
      for (int c = 0; c < columns_.cells(); ++c) {
        const int x = columns_.begin + c * columns_.cell, y = rows_.begin + r * rows_.cell;
        gdImageFilledRectangle(canvas_->image(), x, y, x + columns_.cell - 1, y + rows_.cell - 1,
                               LevelOf(static_cast<double>(*value++)));
      }
    }
    Frame(columns_.begin, rows_.begin, columns_.end(), rows_.end());
  }

  void DrawRowTicks() {
    const int x = columns_.begin - 2;
    for (const std::int64_t tick : Ticks(rows_, 3 * Font()->h)) {
      const int y = rows_.Middle(tick);
      const std::string label = std::to_string(tick);
      Line(x - kTick, y, x, y);
      Text(Font(), x - kTick - kGap - TextWidth(Font(), label), y - Font()->h / 2, label);
    }
    std::string label = map_.rows.label;
    const int y = (rows_.begin + rows_.end() + TextWidth(Font(), label)) / 2;
    gdImageStringUp(canvas_->image(), Font(), kMargin / 2, y, reinterpret_cast<unsigned char*>(label.data()),
                    ink_);
  }

  void DrawColumnTicks() {
    const int y = rows_.end() + 1;
    for (const std::int64_t tick : Ticks(columns_, LabelWidth(map_.columns) + 3 * kMargin)) {
      const int x = columns_.Middle(tick);
      const std::string label = std::to_string(tick);
      Line(x, y, x, y + kTick);
      Text(Font(), x - TextWidth(Font(), label) / 2, y + kTick + kGap / 2, label);
    }
    const std::string& label = map_.columns.label;
    Text(Font(), (columns_.begin + columns_.end() - TextWidth(Font(), label)) / 2,
         y + kTick + kGap + Font()->h, label);
  }

  void DrawBar() {
    const int height = rows_.size();
    for (int i = 0; i < height; ++i) {
      const double value = height == 1 ? 0.0 : 1.0 - 2.0 * i / (height - 1);
      gdImageFilledRectangle(canvas_->image(), bar_, rows_.begin + i, bar_ + kBarWidth - 1, rows_.begin + i,
                             LevelOf(value));
    }
    Frame(bar_, rows_.begin, bar_ + kBarWidth, rows_.end());
    const char* const labels[] = {" 1.0", " 0.5", " 0.0", "-0.5", "-1.0"};
    const int every = height < 6 * Font()->h ? 2 : 1;
    for (int i = 0; i < 5; i += every) {
      const int x = bar_ + kBarWidth + 1, y = rows_.begin + (height - 1) * i / 4;
      Line(x, y, x + kTick, y);
      Text(Font(), x + kTick + kGap, y - Font()->h / 2, labels[i]);
    }
  }

  const HeatMap& map_;
  const Scale columns_, rows_;
  const int bar_;  // the colour bar's left
  std::optional<Canvas> canvas_;
  int ink_ = 0;
  int levels_[kLevels + 1] = {};
};

}  // namespace

std::string DrawPng(const HeatMap& map) { return Picture(map).Draw(); }

}  // namespace tools
}  // namespace posenc
