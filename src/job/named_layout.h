// Dimensions that stand in names of files, processes and hosts: the last that is asked, and a guess
// only.
//
// "ep64_tp1", "tp=2-pp=4" or "VLLM::Worker_TP1": a dimension's word, perhaps one of -_=: and a
// number. A number that is the same in the names of all ranks is a degree; numbers that differ are
// coordinates, of which the degree is one more than the largest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/job_layout.h"
#include "job/parallel_dimension.h"

namespace rankscope {

struct NumberInName {
  Dimension dimension = Dimension::kTensor;
  std::int64_t number = 0;
  friend bool operator==(const NumberInName&, const NumberInName&) = default;
};

// Of each dimension the first that the text names. O(text).
std::vector<NumberInName> NumbersInName(std::string_view text);

// Fills in dimensions that neither groups nor traffic show and that the names state: with source
// kGuess, as long as they divide the ranks that the metadata states. `names` has what is called
// after each rank, by its dense number; what stands first counts.
JobLayout WithGuesses(JobLayout layout, std::span<const std::vector<std::string>> names,
                      std::int64_t world_size);

}  // namespace rankscope
