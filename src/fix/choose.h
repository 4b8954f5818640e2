// Decides which places of a kind of patch a finding refers to.
#pragma once

#include <vector>

#include "fix/base/kind.h"
#include "fix/base/request.h"

namespace rankscope::fix {

struct Choice {
  std::vector<const Candidate*> meant;  // with edits
  std::vector<Left> left;
  bool is_right = false;  // a chosen place needs no change
};

// The places that the finding's lines show. Otherwise, if there is only one group of sites, or only
// one in training, that group. If several are possible, none is chosen, and all are left to the
// user.
Choice Choose(const Look& look, const Kind& kind, const Finding& finding);

}  // namespace rankscope::fix
