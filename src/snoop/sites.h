// Static probes (USDT) of a library, from its notes (.note.stapsdt): their places and their
// arguments. libc10_cuda has pytorch:malloc(address, device, bytes, stream) and
// pytorch:free(address), which fire after the allocator has done its work.
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
  std::uint64_t semaphore = 0;  // in the file: the site fires while this is not 0; 0: always
  std::vector<SourceOf> arguments;
};

// Empty: it has none, or cannot be read. Skips damaged notes. O(its notes).
std::vector<Site> SitesOf(const std::string& file);

// Parses arguments in assembler syntax: "8@%rbx -4@%esi 8@-16(%rbp) 8@$5". nullopt: an unknown kind
// of argument.
std::optional<std::vector<SourceOf>> ParseArguments(std::string_view text);

// Whether it is a site of PyTorch's allocator; if so, sets `call`.
bool IsAllocatorSite(const Site& site, Call& call);

}  // namespace rankscope::snoop
