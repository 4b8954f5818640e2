#include "fix/output/line_changes.h"

#include <algorithm>

namespace rankscope::fix {
namespace {

constexpr std::ptrdiff_t kMostChanged = 2000;

using Lines = std::vector<std::string_view>;

// One line more is taken out or put in.
void Note(std::size_t before, std::size_t after, bool is_put_in, std::vector<LineChange>& changes) {
  const bool goes_on = !changes.empty() &&
                       changes.back().before + changes.back().before_count == before &&
                       changes.back().after + changes.back().after_count == after;
  if (!goes_on) changes.push_back({.before = before, .after = after});
  ++(is_put_in ? changes.back().after_count : changes.back().before_count);
}

// Of what lies between equal beginnings and ends. `begin` is how many lines are equal before.
class Differ {
 public:
  Differ(const Lines& before, const Lines& after, std::size_t begin, std::size_t end)
      : before_(before),
        after_(after),
        begin_(begin),
        rows_(static_cast<std::ptrdiff_t>(before.size() - begin - end)),
        columns_(static_cast<std::ptrdiff_t>(after.size() - begin - end)) {}

  std::vector<LineChange> Make() {
    const std::ptrdiff_t changed = Walk();
    if (changed < 0)
      return {
          {begin_, static_cast<std::size_t>(rows_), begin_, static_cast<std::size_t>(columns_)}};
    return Back(changed);
  }

 private:
  bool IsEqual(std::ptrdiff_t row, std::ptrdiff_t column) const {
    return before_[begin_ + static_cast<std::size_t>(row)] ==
           after_[begin_ + static_cast<std::size_t>(column)];
  }

  // reach[d][k + d]: the row that d changes reach on the diagonal row - column = k. Returns how
  // many changes there are, or -1.
  std::ptrdiff_t Walk() {
    const std::ptrdiff_t most = std::min(rows_ + columns_, kMostChanged);
    for (std::ptrdiff_t d = 0; d <= most; ++d) {
      reach_.emplace_back(static_cast<std::size_t>(2 * d + 1), -1);
      for (std::ptrdiff_t k = -d; k <= d; k += 2) {
        std::ptrdiff_t row = d == 0 ? 0 : From(d, k);
        while (row < rows_ && row - k < columns_ && row - k >= 0 && IsEqual(row, row - k)) ++row;
        At(d, k) = row;
        if (row >= rows_ && row - k >= columns_) return d;
      }
    }
    return -1;
  }

  std::ptrdiff_t& At(std::ptrdiff_t d, std::ptrdiff_t k) {
    return reach_[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d)];
  }

  // Whether the d-th change on the way to diagonal k puts a line in.
  bool IsPutIn(std::ptrdiff_t d, std::ptrdiff_t k) {
    return k == -d || (k != d && At(d - 1, k - 1) < At(d - 1, k + 1));
  }
  std::ptrdiff_t From(std::ptrdiff_t d, std::ptrdiff_t k) {
    return IsPutIn(d, k) ? At(d - 1, k + 1) : At(d - 1, k - 1) + 1;
  }

  std::vector<LineChange> Back(std::ptrdiff_t changed) {
    struct Step {
      std::size_t before, after;
      bool is_put_in;
    };
    std::vector<Step> steps;
    std::ptrdiff_t k = rows_ - columns_;
    for (std::ptrdiff_t d = changed; d > 0; --d) {
      const bool is_put_in = IsPutIn(d, k);
      const std::ptrdiff_t row = From(d, k);
      const std::ptrdiff_t column = row - k;
      steps.push_back({begin_ + static_cast<std::size_t>(is_put_in ? row : row - 1),
                       begin_ + static_cast<std::size_t>(is_put_in ? column - 1 : column),
                       is_put_in});
      k += is_put_in ? 1 : -1;
    }
    std::vector<LineChange> changes;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
      Note(step->before, step->after, step->is_put_in, changes);
    return changes;
  }

  const Lines& before_;
  const Lines& after_;
  const std::size_t begin_;
  const std::ptrdiff_t rows_, columns_;
  std::vector<std::vector<std::ptrdiff_t>> reach_;
};

}  // namespace

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

std::vector<LineChange> LineChanges(const Lines& before, const Lines& after) {
  const std::size_t most = std::min(before.size(), after.size());
  std::size_t begin = 0;
  while (begin < most && before[begin] == after[begin]) ++begin;
  std::size_t end = 0;
  while (end < most - begin && before[before.size() - 1 - end] == after[after.size() - 1 - end])
    ++end;
  if (begin == before.size() && begin == after.size()) return {};
  return Differ(before, after, begin, end).Make();
}

}  // namespace rankscope::fix
