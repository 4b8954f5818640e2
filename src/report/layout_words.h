// Sentences on the shape of a job and on what follows from it, the same in text and HTML.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace rankscope {

struct LayoutSentences {
  // A line per role: "tp 2 x pp 4 x dp 2, from names of process groups". A role is named where
  // there are several.
  std::vector<std::string> roles;
  // What is missing, and what speaks against a degree: to be read as warnings.
  std::vector<std::string> warnings;
};

// From layout; empty without it, or when no rank is parallel to another.
LayoutSentences DescribeLayout(const Report& report);

// From pipeline: which stage is fullest, how large the bubble is, and why. Empty without one.
std::vector<std::string> DescribePipeline(const Report& report);

// From expert_load and expert_ranks: how uneven loads are, and whether it is always the same rank.
// Empty without experts.
std::vector<std::string> DescribeExperts(const Report& report);

}  // namespace rankscope
