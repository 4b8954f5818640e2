#include "probe/check/value.h"

#include <fmt/format.h>

namespace rankscope::probe {

std::string ValueText(const Value& value) {
  struct Writer {
    std::string operator()(std::monostate) const { return "absent"; }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(std::int64_t whole) const { return fmt::format("{}", whole); }
    std::string operator()(std::uint64_t natural) const { return fmt::format("{}", natural); }
    std::string operator()(double real) const { return fmt::format("{}", real); }
    std::string operator()(const std::string& text) const { return fmt::format("'{}'", text); }
    std::string operator()(const std::vector<Value>& items) const {
      std::string text = "[";
      for (const Value& item : items) text += (text.size() > 1 ? ", " : "") + ValueText(item);
      return text + "]";
    }
  };
  return std::visit(Writer{}, value.data);
}

}  // namespace rankscope::probe
