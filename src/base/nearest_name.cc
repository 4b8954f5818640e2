#include "base/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rankscope {
namespace {

std::size_t Distance(std::string_view a, std::string_view b) {
  // Rows for the first i-2, i-1 and i letters of a.
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({changed, last[j] + 1, now[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

// How far `typed` is from `name`; SIZE_MAX when too far to be meant.
std::size_t DistanceOfName(std::string_view typed, std::string_view name) {
  const std::size_t distance = Distance(typed, name);
  // Nothing of a short name may be left, and half of what was typed must be in it.
  const bool is_near =
      distance <= std::max<std::size_t>(3, name.size() / 3) && 2 * distance <= typed.size();
  return is_near && distance < name.size() ? distance : SIZE_MAX;
}

// The same for the first words of `name`: "kernels" of "kernels_by_name". One slip, no more: many
// names begin alike.
std::size_t DistanceOfFirstWords(std::string_view typed, std::string_view name) {
  constexpr std::size_t kLeastLetters = 3;
  constexpr std::size_t kMostSlips = 1;
  std::size_t least = SIZE_MAX;
  for (std::size_t end = name.find_first_of("_-."); end != std::string_view::npos;
       end = name.find_first_of("_-.", end + 1)) {
    if (end < kLeastLetters) continue;
    const std::size_t distance = Distance(typed, name.substr(0, end));
    if (distance <= kMostSlips) least = std::min(least, distance);
  }
  return least;
}

}  // namespace

std::string_view NearestName(std::string_view typed, std::span<const std::string> names) {
  constexpr std::size_t kMostLetters = 200;  // of what is typed: longer is no slip
  if (typed.size() > kMostLetters) return "";
  std::string_view nearest;
  std::size_t least = SIZE_MAX;
  bool is_whole = false;  // `nearest` by all of its letters
  for (const std::string& name : names) {
    const std::size_t whole = DistanceOfName(typed, name);
    const std::size_t begin = DistanceOfFirstWords(typed, name);
    const std::size_t distance = std::min(whole, begin);
    const bool is_nearer = distance < least || (distance == least && !is_whole && whole < begin);
    if (distance == SIZE_MAX || !is_nearer) continue;
    least = distance;
    is_whole = whole <= begin;
    nearest = name;
  }
  return nearest;
}

}  // namespace rankscope
