#include "table/style.h"

namespace rankscope {
namespace {

constexpr char kEnd = '\x05';

std::string_view SequenceOf(char mark) {
  switch (mark) {
    case static_cast<char>(Style::kHeading):
      return "\x1b[1m";
    case static_cast<char>(Style::kAlarm):
      return "\x1b[31m";
    case static_cast<char>(Style::kNotice):
      return "\x1b[33m";
    case static_cast<char>(Style::kAside):
      return "\x1b[2m";
    case kEnd:
      return "\x1b[0m";
    default:
      return "";
  }
}

}  // namespace

std::string Marked(Style style, std::string_view text) {
  std::string marked(1, static_cast<char>(style));
  marked += text;
  marked += kEnd;
  return marked;
}

std::string Resolve(std::string_view text, bool colour) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const std::string_view sequence = SequenceOf(c);
    if (sequence.empty()) {
      out += c;
    } else if (colour) {
      out += sequence;
    }
  }
  return out;
}

}  // namespace rankscope
