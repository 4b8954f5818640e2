// Sentences about the layout of a job and its effects, shared by text and HTML.
#pragma once

#include <string>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

struct LayoutSentences {
  // A line per role: "tp 2 x pp 4 x dp 2, from names of process groups". A role is named where
  // there are several.
  std::vector<std::string> roles;
  // Warnings about missing ranks and contradicting evidence.
  std::vector<std::string> warnings;
};

// From layout; empty without it, or when no rank is parallel to another.
LayoutSentences DescribeLayout(const Report& report);

// From pipeline: the stage with the most load, the size of the bubble, and the reason. Empty
// without one.
std::vector<std::string> DescribePipeline(const Report& report);

// From expert_load and expert_ranks: how uneven loads are, and whether the same rank always has the
// most. Empty without experts.
std::vector<std::string> DescribeExperts(const Report& report);

}  // namespace rankscope
