// Desired keyword arguments of a call: most kinds of patches need nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fix/base/kind.h"

namespace rankscope::fix {

struct Wish {
  std::string_view keyword;
  std::string_view value;  // "": remove the keyword
  // Replaces only these values, as written in the file. Any other value is the user's decision.
  std::vector<std::string_view> instead_of = {};
  bool is_added = false;  // add the keyword if the call does not have it
};

// Removes a size of DDP's buckets that is below PyTorch's default of 25 MB.
Wish SmallBucketWish(const Node& call, std::string_view keyword);

// Whether the call tells a Hugging Face or Lightning trainer to compute on the CPU.
bool IsOnHost(const Node& call);

// Proposes all wishes that are not fulfilled, at once. The site is right if none is left. It is
// left to the user if arguments come from elsewhere (*, **). `note` is added to the message.
void ProposeWishes(Look& look, Site site, const Node& call, const std::vector<Wish>& wishes,
                   const std::string& note = {});

}  // namespace rankscope::fix
