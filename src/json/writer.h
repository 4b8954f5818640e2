// json::Writer: JSON appended to a string, with commas where they belong.
//
//   std::string out;
//   Writer writer(out);
//   writer.BeginObject().Member("host", name).Key("pids").Write(pids).EndObject();
//
// Begin and End must pair, and an object's values need keys; this is not checked. The output is
// compact, with line breaks only where Line() requests one. A Writer holds a reference and two
// flags.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::json {

class Writer {
 public:
  // `out` must outlive it. Existing content of `out` stays.
  explicit Writer(std::string& out) : out_(out) {}

  Writer& BeginObject() { return Begin('{'); }
  Writer& EndObject() { return End('}'); }
  Writer& BeginArray() { return Begin('['); }
  Writer& EndArray() { return End(']'); }
  Writer& Key(std::string_view name);
  // The next key or array value begins a new line, for files that people read.
  Writer& Line() {
    begins_line_ = true;
    return *this;
  }

  Writer& Write(std::string_view text);
  Writer& Write(const char* text) { return Write(std::string_view(text)); }
  Writer& Write(const std::string& text) { return Write(std::string_view(text)); }
  Writer& Write(std::same_as<bool> auto flag) { return Raw(flag ? "true" : "false"); }
  // The shortest text that reads back as the same double; null for NaN and infinities.
  Writer& Write(std::same_as<double> auto number) { return WriteNumber(number); }
  // All digits, also beyond 2^53.
  Writer& Write(std::signed_integral auto number) { return WriteSigned(number); }
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Writer& Write(T number) { return WriteUnsigned(number); }
  template <typename T>
  Writer& Write(const std::optional<T>& value) {
    return value ? Write(*value) : Null();
  }
  template <typename T>
  Writer& Write(const std::vector<T>& values) {
    BeginArray();
    for (const T& value : values) Write(value);
    return EndArray();
  }
  Writer& Write(const std::map<std::string, std::string>& texts);

  // Beyond 2^53 a string of its digits, since readers with doubles would change it.
  Writer& WriteExact(std::int64_t number);
  Writer& WriteExact(const std::optional<std::int64_t>& number) {
    return number ? WriteExact(*number) : Null();
  }
  Writer& WriteExact(const std::vector<std::int64_t>& numbers);
  Writer& WriteTextOrNull(std::string_view text) { return text.empty() ? Null() : Write(text); }
  Writer& Null() { return Raw("null"); }
  // A value that is JSON already.
  Writer& Raw(std::string_view json);
  // The caller appends one value by hand (json_text.h), for speed.
  std::string& Append() {
    Separate();
    return out_;
  }

  template <typename T>
  Writer& Member(std::string_view name, const T& value) {
    return Key(name).Write(value);
  }
  template <typename T>
  Writer& ExactMember(std::string_view name, const T& value) {
    return Key(name).WriteExact(value);
  }
  // null for an empty text.
  Writer& TextMember(std::string_view name, std::string_view text) {
    return Key(name).WriteTextOrNull(text);
  }

 private:
  Writer& Begin(char bracket);
  Writer& End(char bracket);
  Writer& WriteNumber(double number);
  Writer& WriteSigned(std::int64_t number);
  Writer& WriteUnsigned(std::uint64_t number);
  void Separate();

  std::string& out_;
  bool is_after_value_ = false;
  bool begins_line_ = false;
};

}  // namespace rankscope::json
