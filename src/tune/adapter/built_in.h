// The adapters that come with the program.
#pragma once

#include <span>
#include <string_view>

namespace rankscope::tune {

struct BuiltInAdapter {
  std::string_view name;
  std::string_view about;
  std::string_view text;
};

// In the order of listings.
std::span<const BuiltInAdapter> BuiltInAdapters();
// nullptr: no adapter has this name.
const BuiltInAdapter* FindBuiltInAdapter(std::string_view name);

}  // namespace rankscope::tune
