// A picture that is drawn with libgd, and becomes a PNG file.
#ifndef POSENC_TOOLS_COMMAND_CANVAS_H_
#define POSENC_TOOLS_COMMAND_CANVAS_H_

#include <gd.h>
#include <gdfontg.h>
#include <gdfontl.h>

#include <memory>
#include <new>
#include <string>

namespace posenc {
namespace tools {

class Canvas {
 public:
  // White; the first colour is the background's.
  Canvas(int width, int height) : image_(gdImageCreate(width, height)) {
    if (image_ == nullptr) throw std::bad_alloc();
    Colour(255, 255, 255);
  }

  gdImagePtr image() const { return image_.get(); }

  int Colour(int red, int green, int blue) { return gdImageColorAllocate(image(), red, green, blue); }

  void Text(gdFontPtr font, int x, int y, std::string text, int colour) {
    gdImageString(image(), font, x, y, reinterpret_cast<unsigned char*>(text.data()), colour);
  }

  // The bytes of the file.
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
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_CANVAS_H_
