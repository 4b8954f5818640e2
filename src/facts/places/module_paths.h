// nn.Modules by their path: the enclosing modules and the module itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/call_tree.h"
#include "trace/trace.h"

namespace rankscope {

// Work outside of all modules.
inline constexpr std::string_view kNoModule = "(no module)";

// A call of a module, as profiles with with_stack or with_modules have them.
bool IsModule(const RankTrace& trace, Row row);

// A tree of (path of the enclosing module, name). Modules more than 64 deep count with the
// enclosing one at that depth.
struct ModulePaths {
  FrameGroups groups;
  std::vector<std::uint32_t> around;  // of each path; kNone for roots
  std::vector<StringId> name;
  std::vector<std::uint32_t> level;
};

// Of a tree of modules. Linear in its frames.
ModulePaths ModulePathsOf(const RankTrace& trace, const FrameTree& frames);

// "Net_0/Block_3/Linear_7": names are cut after 200 bytes, and '/' in them is '_'.
std::string ModulePathText(const RankTrace& trace, const ModulePaths& paths, std::uint32_t path);

}  // namespace rankscope
