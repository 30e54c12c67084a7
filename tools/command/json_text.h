// Writes JSON text with RapidJSON. The text is ASCII, so that every terminal can show it, and each level is
// indented by one space.
#ifndef POSENC_TOOLS_COMMAND_JSON_TEXT_H_
#define POSENC_TOOLS_COMMAND_JSON_TEXT_H_

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace posenc {
namespace tools {

class JsonText {
 public:
  JsonText() { writer_.SetIndent(' ', 1); }

  std::string Text() const { return {buffer_.GetString(), buffer_.GetSize()}; }

  // Object writes an object; `body()` writes the members. List writes an array; `body(item)` writes each
  // item. Value writes a single value, or an array of such values.
  template <class Body>
  void Object(const Body& body) {
    writer_.StartObject();
    body();
    writer_.EndObject();
  }
  template <class Items, class Body>
  void List(const Items& items, const Body& body) {
    writer_.StartArray();
    for (const auto& item : items) body(item);
    writer_.EndArray();
  }
  template <class T>
  void Value(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      writer_.Bool(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (std::isfinite(value))
        writer_.Double(value);
      else
        writer_.Null();
    } else if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_signed_v<T>)
        writer_.Int64(value);
      else
        writer_.Uint64(value);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      const std::string_view text = value;
      writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    } else {
      List(value, [this](const auto& item) { this->Value(item); });
    }
  }

  // The same, as members of an object, each with a key.
  template <class T>
  void Member(const char* key, const T& value) {
    writer_.Key(key);
    Value(value);
  }
  template <class Body>
  void ObjectMember(const char* key, const Body& body) {
    writer_.Key(key);
    Object(body);
  }
  template <class Items, class Body>
  void ListMember(const char* key, const Items& items, const Body& body) {
    writer_.Key(key);
    List(items, body);
  }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::PrettyWriter<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::ASCII<>> writer_{buffer_};
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_JSON_TEXT_H_
