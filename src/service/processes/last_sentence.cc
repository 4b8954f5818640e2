#include "service/processes/last_sentence.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "service/processes/commands.h"

namespace rankscope::service {

namespace {

// The link by which a run's files are read is nothing that its user named.
std::string WithoutLink(std::string sentence) {
  const std::string below = fmt::format("{}/", kTracesLink);
  for (std::size_t at = 0; (at = sentence.find(below, at)) != std::string::npos;)
    sentence.erase(at, below.size());
  const std::string alone = fmt::format("{}: ", kTracesLink);
  if (sentence.starts_with(alone)) sentence.replace(0, alone.size(), "the run's files: ");
  return sentence;
}

}  // namespace

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
  return WithoutLink(std::move(sentence));
}

std::string FirstLine(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  return text.ok() ? text->substr(0, text->find('\n')) : "";
}

}  // namespace rankscope::service
