#include "json/writer.h"

#include <fmt/format.h>

#include "json/json_text.h"

namespace rankscope::json {

void Writer::Separate() {
  if (is_after_value_) out_ += ',';
  is_after_value_ = true;
  if (!begins_line_) return;
  out_ += '\n';
  begins_line_ = false;
}

Writer& Writer::Begin(char bracket) {
  Separate();
  out_ += bracket;
  is_after_value_ = false;
  return *this;
}

Writer& Writer::End(char bracket) {
  out_ += bracket;
  is_after_value_ = true;
  return *this;
}

Writer& Writer::Key(std::string_view name) {
  Separate();
  AppendKey(out_, name);
  is_after_value_ = false;
  return *this;
}

Writer& Writer::Write(std::string_view text) {
  Separate();
  AppendJsonString(out_, text);
  return *this;
}

Writer& Writer::Write(const std::map<std::string, std::string>& texts) {
  BeginObject();
  for (const auto& [name, text] : texts) Member(name, text);
  return EndObject();
}

Writer& Writer::WriteNumber(double number) {
  Separate();
  AppendJsonDouble(out_, number);
  return *this;
}

Writer& Writer::WriteSigned(std::int64_t number) {
  const fmt::format_int digits(number);
  return Raw({digits.data(), digits.size()});
}

Writer& Writer::WriteUnsigned(std::uint64_t number) {
  const fmt::format_int digits(number);
  return Raw({digits.data(), digits.size()});
}

Writer& Writer::WriteExact(std::int64_t number) {
  Separate();
  AppendJsonInteger(out_, number);
  return *this;
}

Writer& Writer::WriteExact(const std::vector<std::int64_t>& numbers) {
  BeginArray();
  for (const std::int64_t number : numbers) WriteExact(number);
  return EndArray();
}

Writer& Writer::Raw(std::string_view json) {
  Separate();
  out_ += json;
  return *this;
}

}  // namespace rankscope::json
