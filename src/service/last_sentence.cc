#include "service/last_sentence.h"

#include <algorithm>
#include <string_view>

#include "base/file.h"

namespace rankscope::service {

std::string LastSentence(const std::string& path) {
  constexpr std::string_view kPrefix = "rankscope: ";
  const Result<std::string> text = ReadFile(path);
  if (!text.ok()) return "";
  std::string sentence;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with(kPrefix)) sentence = line.substr(kPrefix.size());
  }
  return sentence;
}

std::string FirstLine(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  return text.ok() ? text->substr(0, text->find('\n')) : "";
}

}  // namespace rankscope::service
