// Finds places where the ranks of a process group make different calls.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/flight/dump.h"
#include "hang/calls.h"

namespace rankscope::hang {

// A call of one rank that differs from most ranks' call.
struct Odd {
  std::optional<std::uint32_t> dump;  // none where no rank is told apart: sums that differ
  std::uint32_t call = 0;
  std::string found;
};

// The first call of a group (or of messages from one rank to another) that differs. Later
// differences may be mere consequences, since matching goes by numbers.
struct Mismatch {
  std::uint32_t matched = 0;  // among the calls
  std::string_view what;      // FlightMismatches::what
  std::string expected;
  std::uint32_t agreeing = 0;
  std::uint32_t expected_dump = 0;  // one of those that agree
  std::uint32_t expected_call = 0;
  bool is_tie = false;
  std::vector<Odd> odd;
  std::int64_t later = 0;
};

// In the order of the calls. Sizes that may differ between ranks (of all_to_all, scatter, gather
// and names ending in "v") are not compared. For all_to_all the elements that all ranks send must
// equal those that all receive.
std::vector<Mismatch> FindMismatches(const Calls& calls, std::span<const flight::FlightDump> dumps);

}  // namespace rankscope::hang
