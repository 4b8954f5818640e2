#include "tune/search/bisection.h"

#include "base/check.h"

namespace rankscope::tune {

Bisection::Bisection(const Space& space, std::size_t parameter)
    : values_(space.Values(parameter)), bad_(values_.size()) {}

std::optional<std::size_t> Bisection::Next() const {
  if (!well_) return bad_ == 0 ? std::nullopt : std::optional<std::size_t>(0);
  if (*well_ + 1 >= bad_) return std::nullopt;
  if (bad_ == values_.size()) return bad_ - 1;
  return *well_ + (bad_ - *well_) / 2;
}

std::optional<double> Bisection::Suggest() const {
  const auto next = Next();
  return next ? std::optional(values_[*next]) : std::nullopt;
}

void Bisection::Tell(bool is_well) {
  const auto next = Next();
  RS_CHECK(next.has_value(), "a bisection that is over is told something");
  if (is_well) {
    well_ = *next;
  } else {
    bad_ = *next;
  }
}

std::optional<double> Bisection::Best() const {
  return well_ ? std::optional(values_[*well_]) : std::nullopt;
}

}  // namespace rankscope::tune
