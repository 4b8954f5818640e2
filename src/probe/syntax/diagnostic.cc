#include "probe/syntax/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/utf8.h"
#include "probe/syntax/token.h"

namespace rankscope::probe {
namespace {

constexpr std::size_t kWidth = 100;  // characters of a line that are shown

// What is said first of a place is the cause of what is said there later.
auto KeyOf(const Diagnostic& one) {
  return std::tie(one.place.line, one.place.column, one.severity);
}

std::string_view LineOf(std::string_view text, int number) {
  std::size_t begin = 0;
  for (int line = 1; line < number && begin != std::string_view::npos; ++line) {
    begin = text.find('\n', begin);
    if (begin != std::string_view::npos) ++begin;
  }
  if (begin == std::string_view::npos || begin >= text.size()) return {};
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (number == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return line;
}

// A character of the line each, so that the caret stands below its place whatever they are.
std::vector<std::string> ShownCharacters(std::string_view line) {
  std::vector<std::string> shown;
  for (std::size_t at = 0; at < line.size();) {
    const CodePoint point = DecodeUtf8(line, at);
    const bool is_control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
    if (point.value == '\t')
      shown.emplace_back(" ");
    else
      shown.emplace_back(is_control || !point.valid ? "?" : line.substr(at, point.bytes));
    at += point.bytes;
  }
  return shown;
}

}  // namespace

void Diagnostics::Error(Place place, std::string message, std::string remedy) {
  has_errors_ = true;
  if (all_.size() < kMostKept)
    all_.push_back({Severity::kError, place, std::move(message), std::move(remedy)});
}

void Diagnostics::Warn(Place place, std::string message, std::string remedy) {
  if (all_.size() < kMostKept)
    all_.push_back({Severity::kWarning, place, std::move(message), std::move(remedy)});
}

std::vector<Diagnostic> Diagnostics::Unique() const {
  std::vector<Diagnostic> sorted = all_;
  // What is wrong may be why something looks odd.
  if (has_errors_)
    std::erase_if(sorted, [](const auto& one) { return one.severity == Severity::kWarning; });
  std::ranges::stable_sort(sorted,
                           [](const auto& a, const auto& b) { return KeyOf(a) < KeyOf(b); });
  sorted.erase(std::unique(sorted.begin(), sorted.end(),
                           [](const auto& a, const auto& b) { return KeyOf(a) == KeyOf(b); }),
               sorted.end());
  return sorted;
}

std::vector<Diagnostic> Diagnostics::Sorted() const {
  std::vector<Diagnostic> sorted = Unique();
  if (sorted.size() > kMostShown) sorted.resize(kMostShown);
  return sorted;
}

std::size_t Diagnostics::LeftOut() const {
  const std::size_t count = Unique().size();
  return count > kMostShown ? count - kMostShown : 0;
}

std::string FormatDiagnostic(std::string_view file, std::string_view text,
                             const Diagnostic& diagnostic) {
  const auto [line_number, column, length] = diagnostic.place;
  const std::string_view line = LineOf(text, line_number);
  const std::size_t before =
      CountCodePoints(line.substr(0, std::min<std::size_t>(line.size(), std::max(column - 1, 0))));
  std::string out =
      fmt::format("{}:{}:{}: {}{}{}{}\n", fmt::join(ShownCharacters(file), ""), line_number,
                  before + 1, diagnostic.severity == Severity::kWarning ? "warning: " : "",
                  diagnostic.message, diagnostic.remedy.empty() ? "" : "; ", diagnostic.remedy);
  if (line.empty()) return out;
  const std::vector<std::string> shown = ShownCharacters(line);
  const bool is_short = shown.size() <= kWidth || before <= kWidth / 2;
  const std::size_t begin = is_short ? 0 : before - kWidth / 2;
  const std::size_t end = std::min(shown.size(), begin + kWidth);
  out += "    ";
  for (std::size_t i = begin; i < end; ++i) out += shown[i];
  const std::size_t marks =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(length, 1)), 1,
                              std::max<std::size_t>(end > before ? end - before : 1, 1));
  out += "\n    " + std::string(before - begin, ' ') + "^" + std::string(marks - 1, '~') + "\n";
  return out;
}

}  // namespace rankscope::probe
