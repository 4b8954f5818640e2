#include "device/prometheus_text.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace rankscope::device {
namespace {

bool IsOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view TakeName() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsOfName(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // Behind the opening quote; \n, \" and \\ stand for what they do.
  std::optional<std::string> TakeQuoted() {
    std::string value;
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '"') {
        ++at_;
        return value;
      }
      if (c == '\\' && at_ + 1 < text_.size()) {
        c = text_[++at_];
        if (c == 'n') c = '\n';
      }
      value += c;
    }
    return std::nullopt;
  }
  std::string_view TakeWord() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\t' && text_[at_] != '\r')
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  const std::string_view text_;
  std::size_t at_ = 0;
};

bool TakeLabels(Line& line, TextSample& sample) {
  for (;;) {
    line.SkipBlanks();
    if (line.Take('}')) return true;
    const std::string key(line.TakeName());
    line.SkipBlanks();
    if (key.empty() || !line.Take('=')) return false;
    line.SkipBlanks();
    if (!line.Take('"')) return false;
    std::optional<std::string> value = line.TakeQuoted();
    if (!value) return false;
    sample.labels.emplace_back(key, *std::move(value));
    line.SkipBlanks();
    if (!line.Take(',')) return line.Take('}');
  }
}

std::optional<TextSample> ParseLine(std::string_view text) {
  Line line(text);
  TextSample sample;
  line.SkipBlanks();
  sample.name = line.TakeName();
  if (sample.name.empty()) return std::nullopt;
  line.SkipBlanks();
  if (line.Take('{') && !TakeLabels(line, sample)) return std::nullopt;
  line.SkipBlanks();
  std::string_view word = line.TakeWord();
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), sample.value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size() ||
      !std::isfinite(sample.value))
    return std::nullopt;
  return sample;
}

}  // namespace

std::string_view TextSample::Label(std::string_view key) const {
  for (const auto& [label, text] : labels) {
    if (label == key) return text;
  }
  return {};
}

TextSamples ParsePrometheusText(std::string_view text) {
  TextSamples parsed;
  while (!text.empty() && parsed.samples.size() < kMostSamples) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    if (auto sample = ParseLine(line)) {
      parsed.samples.push_back(*std::move(sample));
    } else {
      ++parsed.unreadable;
    }
  }
  return parsed;
}

}  // namespace rankscope::device
