#include "app/traces/files.h"

#include "engine/discover.h"

namespace rankscope::app {

Result<std::vector<std::string>> AllTraceFiles(const std::vector<std::string>& paths) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(paths));
  if (!found.unlisted.empty()) return found.unlisted.front().second;
  return found.paths;
}

}  // namespace rankscope::app
