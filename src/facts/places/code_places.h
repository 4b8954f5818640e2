// The places of rows in the user's program: modules and lines of code. For profiles with stacks
// (with_stack) or modules (with_modules).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/places/module_paths.h"
#include "trace/call_tree.h"
#include "trace/trace.h"

namespace rankscope {

// Python functions of the user's own code: not PyTorch's, not the interpreter's and its library's,
// not those of packages (library_frames.h), no modules.
bool IsUsersFunction(const RankTrace& trace, Row row);
// The same by the frame's name alone, "train.py(214): step".
bool IsNameOfUsersFunction(std::string_view name);

// "Model_0/Layer_12" -> "Model/Layer".
std::string WithoutInstances(std::string_view path);

// A frame's name by its parts: "train.py(214): step" -> "train.py", 214, "step". Line -1 and
// nothing else for a name of another form.
struct CodeLine {
  std::string_view file;
  std::int64_t line = -1;
  std::string_view function;
};
CodeLine ParseCodeLine(std::string_view frame);

struct CodePlace {
  std::string module;                // classes of the modules around it; empty: in none
  StringId function = kEmptyString;  // name of the innermost frame of the user's code
};

// Numbers the places of rows. Work launched by autograd has the place of its forward op. 12 bytes
// per row of the trace.
class CodePlaces {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit CodePlaces(const RankTrace& trace);
  // For a row of a host thread; kNone if unknown. O(1).
  std::uint32_t At(Row row);
  // In the order of their numbers.
  const std::vector<CodePlace>& places() const { return places_; }

 private:
  const RankTrace& trace_;
  FrameTree modules_, functions_, libraries_;
  ModulePaths paths_;
  std::vector<Row> forward_;
  std::vector<CodePlace> places_;
  boost::unordered_flat_map<std::pair<std::uint32_t, StringId>, std::uint32_t> known_;  // by path
  boost::unordered_flat_map<std::pair<std::string, StringId>, std::uint32_t> of_class_;
};

// Whether the trace has frames of Python at all.
bool HasPythonFrames(const RankTrace& trace);

}  // namespace rankscope
