// The job without the cost of recording, if that may be large; with two estimates.
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
  // `together` must outlive it.
  Unprofiled(const RuleInput& input, ViewOf<RecordedWork> work, GainsTogether& together);

  bool IsKnown() const { return numbers_.has_value(); }

  // The gain of `cause` after `gone` are removed, as a share of the step without the profiler and
  // these; nullopt if nothing is left of it. Only if already computed.
  std::optional<double> GainBeside(const GainsTogether::Set& gone, std::size_t cause) const;
  // Computes this for each of `causes` in few passes, with `gone` and without.
  void Foresee(const GainsTogether::Set& gone, const std::vector<std::size_t>& causes) const;

  // Sets the gain without the profiler of the found causes, if it differs.
  void TellIn(std::vector<Found>& found) const;
  // For causes in report order, sets the gain together with all before them, if one of them has a
  // different share.
  void TellTogether(std::vector<Found>& found) const;

 private:
  std::optional<double> GainBeside(const GainsTogether::Set& gone, std::size_t cause,
                                   std::size_t recording) const;

  GainsTogether& together_;
  bool holds_up_devices_ = false;
  std::optional<std::array<std::size_t, 2>> numbers_;  // the estimate, and kMostOfEstimate times it
};

}  // namespace rankscope
