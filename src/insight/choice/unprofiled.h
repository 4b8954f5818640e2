// The job without what recording costs it, where that may be much; by two estimates.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "insight/choice/found.h"
#include "schemas/captures.h"

namespace rankscope {

class Unprofiled {
 public:
  // `together` outlives it.
  Unprofiled(const RuleInput& input, ViewOf<RecordedWork> work, GainsTogether& together);

  bool IsKnown() const { return numbers_.has_value(); }

  // What `cause` gains beside `gone`, as a share of the step without the profiler and these;
  // nullopt where nothing is left of it. Known alone.
  std::optional<double> GainBeside(const GainsTogether::Set& gone, std::size_t cause) const;
  // Makes that known of each of `causes` in few passes, beside `gone` and beside none.
  void Foresee(const GainsTogether::Set& gone, const std::vector<std::size_t>& causes) const;

  // Tells of those found what they gain without the profiler, where that is another share.
  void TellIn(std::vector<Found>& found) const;
  // And of those in the order in which they are told what they gain together with all before them,
  // where that is another share of one of them.
  void TellTogether(std::vector<Found>& found) const;

 private:
  std::optional<double> GainBeside(const GainsTogether::Set& gone, std::size_t cause,
                                   std::size_t recording) const;

  GainsTogether& together_;
  bool holds_up_devices_ = false;
  std::optional<std::array<std::size_t, 2>> numbers_;  // the estimate, and kMostOfEstimate times it
};

}  // namespace rankscope
