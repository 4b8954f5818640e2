// Which of the places that a kind of patch is about are meant by a finding.
#pragma once

#include <vector>

#include "fix/base/kind.h"
#include "fix/base/request.h"

namespace rankscope::fix {

struct Choice {
  std::vector<const Candidate*> meant;  // that have edits
  std::vector<Left> left;
  bool is_right = false;  // a place that is meant needs nothing
};

// Those that the finding's lines show; else the one group of sites that there is, or the only one
// in training. Where several may be meant, none is, and each is left to the user.
Choice Choose(const Look& look, const Kind& kind, const Finding& finding);

}  // namespace rankscope::fix
