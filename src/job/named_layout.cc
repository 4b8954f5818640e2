#include "job/named_layout.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "base/letter_case.h"
#include "base/text.h"
#include "job/rank_list.h"

namespace rankscope {
namespace {

constexpr double kByGuess = 0.3;
constexpr double kBesideGuess = 0.5;
constexpr std::array kDimensions = {Dimension::kTensor, Dimension::kContext, Dimension::kExpert,
                                    Dimension::kPipeline, Dimension::kData};

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::optional<Dimension> DimensionAt(std::string_view text, std::size_t at) {
  if (at + 2 > text.size() || (at > 0 && IsLetter(text[at - 1]))) return std::nullopt;
  for (const Dimension dimension : kDimensions) {
    const std::string_view word = ToString(dimension);
    if (LowerCase(text[at]) == word[0] && LowerCase(text[at + 1]) == word[1]) return dimension;
  }
  return std::nullopt;
}

// Behind a dimension's word; no group has more ranks than six digits count.
std::optional<std::int64_t> NumberAt(std::string_view text, std::size_t at) {
  constexpr std::string_view kBetween = "-_=:";
  if (at < text.size() && kBetween.find(text[at]) != std::string_view::npos) ++at;
  std::int64_t number = 0;
  std::size_t digits = 0;
  for (; at < text.size() && IsDigit(text[at]) && digits <= 6; ++at, ++digits)
    number = number * 10 + (text[at] - '0');
  if (digits == 0 || digits > 6) return std::nullopt;
  // "tp_7b" names the size of a model; "tp2pp4" goes on with another dimension.
  if (at < text.size() && IsLetter(text[at]) && !DimensionAt(text, at)) return std::nullopt;
  return number;
}

using Numbers = std::map<std::uint32_t, std::int64_t>;  // by dense number of the rank

// What the names of one role's ranks say of each dimension.
std::array<Numbers, kDimensionCount> NumbersOf(std::span<const std::uint32_t> members,
                                               std::span<const std::vector<std::string>> names) {
  std::array<Numbers, kDimensionCount> numbers;
  for (const std::uint32_t member : members) {
    if (member >= names.size()) continue;
    for (const std::string& name : names[member]) {
      for (const NumberInName& found : NumbersInName(name))
        numbers[static_cast<std::size_t>(found.dimension)].emplace(member, found.number);
    }
  }
  return numbers;
}

struct Guess {
  std::int64_t degree = 1;
  bool has_coordinates = false;
};

std::optional<Guess> GuessOf(const Numbers& numbers, std::size_t ranks) {
  if (numbers.empty() || numbers.size() < ranks) return std::nullopt;
  const auto [least, most] =
      std::minmax_element(numbers.begin(), numbers.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
  if (least->second < most->second) return Guess{most->second + 1, true};
  if (most->second < 2) return std::nullopt;  // the first coordinate, or no such dimension
  return Guess{most->second, false};
}

class Guesser {
 public:
  Guesser(JobLayout& layout, RoleLayout& role, std::span<const std::vector<std::string>> names,
          std::int64_t world_size)
      : layout_(layout), role_(role), states_world_(world_size > 0) {
    for (std::uint32_t member = 0; member < layout.places.size(); ++member) {
      if (layout.places[member].role == role.role) members_.push_back(member);
    }
    numbers_ = NumbersOf(members_, names);
  }

  void Run() {
    for (const Dimension dimension :
         {Dimension::kTensor, Dimension::kContext, Dimension::kPipeline})
      Try(dimension, Left());
    DivideRest();
    Try(Dimension::kData, Left());
    Try(Dimension::kExpert, role_.ranks / Of(Dimension::kPipeline).degree);
    DoubtTheAbsent();
  }

 private:
  DimensionFit& Of(Dimension dimension) {
    return role_.dimensions[static_cast<std::size_t>(dimension)];
  }

  // Ranks that tensor, context and pipeline parallelism leave for others; 0 when they do not divide
  // the ranks.
  std::int64_t Left() {
    std::int64_t left = role_.ranks;
    for (const Dimension dimension :
         {Dimension::kTensor, Dimension::kContext, Dimension::kPipeline}) {
      if (left % Of(dimension).degree != 0) return 0;
      left /= Of(dimension).degree;
    }
    return left;
  }

  // Takes over what the names say of a dimension if it divides so many ranks. Where the metadata
  // does not state how many there are, nothing can speak against it.
  void Try(Dimension dimension, std::int64_t ranks) {
    DimensionFit& fit = Of(dimension);
    if (fit.source != LayoutSource::kAbsent) return;
    const Numbers& numbers = numbers_[static_cast<std::size_t>(dimension)];
    const std::optional<Guess> guess = GuessOf(numbers, members_.size());
    if (!guess || guess->degree > kMostGroupRanks) return;
    if (states_world_ && (ranks < guess->degree || ranks % guess->degree != 0)) return;
    fit.degree = guess->degree;
    fit.source = LayoutSource::kGuess;
    fit.confidence = kByGuess;
    for (const std::uint32_t member : members_) {
      layout_.places[member].at[static_cast<std::size_t>(dimension)] =
          guess->has_coordinates ? static_cast<std::int32_t>(numbers.at(member)) : -1;
    }
  }

  // What the guesses leave of what was left.
  void DivideRest() {
    DimensionFit& data = Of(Dimension::kData);
    if (data.source != LayoutSource::kRest || Left() == data.degree) return;
    data.degree = std::max<std::int64_t>(Left(), 1);
    if (data.degree == 1) data.source = LayoutSource::kAbsent;
    for (const std::uint32_t member : members_) {
      layout_.places[member].at[static_cast<std::size_t>(Dimension::kData)] =
          data.degree == 1 ? 0 : -1;
    }
  }

  // What is not seen is less sure where something that is not seen either was guessed.
  void DoubtTheAbsent() {
    const auto has = [](LayoutSource source) {
      return [source](const DimensionFit& fit) { return fit.source == source; };
    };
    auto& fits = role_.dimensions;
    if (std::none_of(fits.begin(), fits.end(), has(LayoutSource::kGuess))) return;
    for (DimensionFit& fit : fits) {
      if (fit.source == LayoutSource::kAbsent)
        fit.confidence = std::min(fit.confidence, kBesideGuess);
    }
  }

  JobLayout& layout_;
  RoleLayout& role_;
  bool states_world_ = false;
  std::vector<std::uint32_t> members_;
  std::array<Numbers, kDimensionCount> numbers_;
};

}  // namespace

std::vector<NumberInName> NumbersInName(std::string_view text) {
  std::vector<NumberInName> found;
  for (std::size_t at = 0; at + 2 < text.size(); ++at) {
    const auto dimension = DimensionAt(text, at);
    const auto number = dimension ? NumberAt(text, at + 2) : std::nullopt;
    if (!number) continue;
    const bool is_first = std::none_of(found.begin(), found.end(), [&](const NumberInName& other) {
      return other.dimension == *dimension;
    });
    if (is_first) found.push_back({*dimension, *number});
  }
  return found;
}

JobLayout WithGuesses(JobLayout layout, std::span<const std::vector<std::string>> names,
                      std::int64_t world_size) {
  for (RoleLayout& role : layout.roles) Guesser(layout, role, names, world_size).Run();
  return layout;
}

}  // namespace rankscope
