// Static probes (USDT) of a library, as its notes describe them (.note.stapsdt): where they are,
// and where their arguments are. libc10_cuda has pytorch:malloc(address, device, bytes, stream) and
// pytorch:free(address), which fire when the allocator has done what it was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "snoop/calls.h"

namespace rankscope::snoop {

struct Site {
  std::string provider, name;
  std::uint64_t offset = 0;     // in the file
  std::uint64_t semaphore = 0;  // in the file: the site fires while it is not 0; 0: it always does
  std::vector<SourceOf> arguments;
};

// Empty: it has none, or cannot be read. Damaged notes are passed over. O(its notes).
std::vector<Site> SitesOf(const std::string& file);

// The arguments as the assembler writes them: "8@%rbx -4@%esi 8@-16(%rbp) 8@$5". nullopt: one is
// of a kind that is not known.
std::optional<std::vector<SourceOf>> ParseArguments(std::string_view text);

// Whether it is one of PyTorch's allocator, and what it then is.
bool IsAllocatorSite(const Site& site, Call& call);

}  // namespace rankscope::snoop
