// The columns of an analysis that is no schema yet, as handles by their names.
#pragma once

#include <string_view>

#include "analysis/steps/counted_windows.h"
#include "stage/analysis.h"

namespace rankscope {

class NamedColumns {
 public:
  explicit NamedColumns(const Analysis& analysis) : analysis_(analysis) {}

  // The analysis must have it.
  AnyColumn operator[](std::string_view name) const;
  WindowColumns windows() const;

 private:
  std::size_t IndexOf(std::string_view name) const;

  const Analysis& analysis_;
};

}  // namespace rankscope
