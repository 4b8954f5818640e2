#include "formats/kineto/edit/pid_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/letter_case.h"
#include "base/text.h"

namespace rankscope::kineto {
namespace {

constexpr std::string_view kRank = "rank";
// Of layouts. A node or a host alone is no rank, and may lead one.
constexpr std::array<std::string_view, 9> kAxes = {"tp", "pp",  "dp",  "ep",  "cp",
                                                   "sp", "edp", "etp", "fsdp"};
constexpr std::array<std::string_view, 2> kMachines = {"node", "host"};

// No name of a rank is longer.
constexpr std::size_t kMostBytes = 256;

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

template <std::size_t kCount>
bool Has(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A word that names an axis, and its number: "TP00", "rank 3", "dp_rank=1".
struct Axis {
  std::string word;
  std::int64_t number = 0;
  std::size_t end = 0;  // one behind it
};

std::optional<Axis> AxisAt(std::string_view text, std::size_t at) {
  Axis axis;
  while (at < text.size() && (IsLetter(text[at]) || text[at] == '_'))
    axis.word += LowerCase(text[at++]);
  while (axis.word.ends_with('_')) axis.word.pop_back();
  for (const std::string_view ending : {"_rank", "rank"}) {
    if (axis.word != kRank && axis.word.ends_with(ending))
      axis.word.resize(axis.word.size() - ending.size());
  }
  if (axis.word == "global" || axis.word == "world") axis.word = kRank;
  if (axis.word != kRank && !Has(kAxes, axis.word) && !Has(kMachines, axis.word))
    return std::nullopt;
  for (int gap = 0; gap < 2 && at < text.size(); ++gap) {
    if (std::string_view(" _-:=#").find(text[at]) != std::string_view::npos) ++at;
  }
  std::int32_t number = -1;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  axis.number = number;
  axis.end = static_cast<std::size_t>(end - text.data());
  if (axis.end < text.size() && IsLetter(text[axis.end])) return std::nullopt;  // "tp0x"
  return axis;
}

// The axes from `at` on, one behind the other.
struct Axes {
  std::vector<std::pair<std::string, std::int64_t>> place;
  std::size_t begin = 0;
  std::size_t end = 0;
};

Axes AxesAt(std::string_view text, std::size_t at) {
  Axes axes{.place = {}, .begin = at, .end = at};
  while (const auto axis = AxisAt(text, at)) {
    axes.place.emplace_back(axis->word, axis->number);
    axes.end = at = axis->end;
    while (at < text.size() &&
           std::string_view(" ,-_/|:.").find(text[at]) != std::string_view::npos)
      ++at;
  }
  return axes;
}

bool IsRank(const Axes& axes) {
  return std::any_of(axes.place.begin(), axes.place.end(),
                     [](const auto& axis) { return !Has(kMachines, axis.first); });
}

// The last number of a text.
std::int64_t LastNumber(std::string_view text) {
  while (!text.empty() && !IsDigit(text.back())) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && IsDigit(text[begin - 1])) --begin;
  std::int64_t number = -1;
  std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return number;
}

}  // namespace

std::int64_t RankInPid::rank() const {
  for (const auto& [word, number] : place) {
    if (word == kRank) return number;
  }
  return -1;
}

std::optional<RankInPid> RankInPidOf(std::string_view pid) {
  if (pid.size() > kMostBytes) return std::nullopt;
  for (std::size_t at = 0; at < pid.size(); ++at) {
    const bool begins_word =
        IsLetter(pid[at]) && (at == 0 || !std::isalnum(static_cast<unsigned char>(pid[at - 1])));
    if (!begins_word) continue;
    const Axes axes = AxesAt(pid, at);
    if (!IsRank(axes)) continue;
    RankInPid found;
    found.place = axes.place;
    found.words = pid.substr(axes.begin, axes.end - axes.begin);
    found.id = LastNumber(pid.substr(axes.end));
    if (found.id < 0) found.id = LastNumber(pid.substr(0, axes.begin));
    return found;
  }
  return std::nullopt;
}

}  // namespace rankscope::kineto
