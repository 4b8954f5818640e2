// Dimensions in the names of files, processes and hosts. They are the last source, and only a
// guess.
//
// Examples: "ep64_tp1", "tp=2-pp=4" or "VLLM::Worker_TP1": a dimension's word, optionally one of
// -_=: and a number. A number that is the same in the names of all ranks is a degree. Numbers that
// differ are coordinates; their degree is one more than the largest.
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

// The first value that the text names for each dimension. O(text).
std::vector<NumberInName> NumbersInName(std::string_view text);

// Fills in dimensions that the names state and neither groups nor traffic show, with source kGuess,
// as long as they divide the ranks that the metadata states. `names` holds the names that belong to
// each rank, by its dense number; the first that names a dimension counts.
JobLayout WithGuesses(JobLayout layout, std::span<const std::vector<std::string>> names,
                      std::int64_t world_size);

}  // namespace rankscope
