#include "serving/inputs/exposition.h"

#include "serving/base/words.h"

namespace rankscope::serving {
namespace {

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

void SkipBlanks(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
}

std::string_view TakeName(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && IsNameByte(text[end])) ++end;
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  return name;
}

// Behind the opening quote, up to and with the closing one.
std::optional<std::string> TakeQuoted(std::string_view& text) {
  std::string value;
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c == '"') return value;
    if (c != '\\') {
      value += c;
      continue;
    }
    if (text.empty()) return std::nullopt;
    value += text[0] == 'n' ? '\n' : text[0];
    text.remove_prefix(1);
  }
  return std::nullopt;
}

bool TakeLabels(std::string_view& text, ExpositionSample& sample) {
  while (true) {
    SkipBlanks(text);
    if (text.empty()) return false;
    if (text[0] == '}') {
      text.remove_prefix(1);
      return true;
    }
    std::string name;
    if (text[0] == '"') {
      text.remove_prefix(1);
      auto quoted = TakeQuoted(text);
      if (!quoted) return false;
      name = std::move(*quoted);
    } else {
      name = TakeName(text);
    }
    if (name.empty()) return false;
    SkipBlanks(text);
    if (text.starts_with('=')) {
      text.remove_prefix(1);
      SkipBlanks(text);
      if (!text.starts_with('"')) return false;
      text.remove_prefix(1);
      auto value = TakeQuoted(text);
      if (!value) return false;
      sample.labels.emplace_back(std::move(name), std::move(*value));
    } else if (sample.name.empty()) {
      sample.name = std::move(name);
    } else {
      return false;
    }
    SkipBlanks(text);
    if (text.starts_with(',')) text.remove_prefix(1);
  }
}

std::string_view TakeWord(std::string_view& text) {
  SkipBlanks(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  SkipBlanks(text);
  return word;
}

}  // namespace

std::optional<ExpositionSample> ParseSample(std::string_view line) {
  ExpositionSample sample;
  SkipBlanks(line);
  sample.name = TakeName(line);
  if (!sample.name.empty() && sample.name[0] >= '0' && sample.name[0] <= '9') return std::nullopt;
  SkipBlanks(line);
  if (line.starts_with('{')) {
    line.remove_prefix(1);
    if (!TakeLabels(line, sample)) return std::nullopt;
  }
  if (sample.name.empty()) return std::nullopt;
  const auto value = ToNumber(TakeWord(line));
  if (!value) return std::nullopt;
  sample.value = *value;
  if (line.empty() || line.starts_with('#')) return sample;
  sample.time = ToMoment(TakeWord(line));
  if (!sample.time || !(line.empty() || line.starts_with('#'))) return std::nullopt;
  return sample;
}

}  // namespace rankscope::serving
