// What keywords of a call are to be: most kinds of patches are no more than that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fix/base/kind.h"

namespace rankscope::fix {

struct Wish {
  std::string_view keyword;
  std::string_view value;  // "": the keyword is to go
  // As the file has it. Any other value is the user's decision.
  std::vector<std::string_view> instead_of = {};
  bool is_added = false;  // where the call has no such keyword
};

// That a size of DDP's buckets below PyTorch's default of 25 MB goes.
Wish SmallBucketWish(const Node& call, std::string_view keyword);

// Whether a trainer of Hugging Face or Lightning is told to compute on the CPU.
bool IsOnHost(const Node& call);

// Proposes the wishes that are not fulfilled, all at once; the site is right where none is left,
// and is left to the user where arguments come from elsewhere (*, **). `note` is told besides.
void ProposeWishes(Look& look, Site site, const Node& call, const std::vector<Wish>& wishes,
                   const std::string& note = {});

}  // namespace rankscope::fix
