// ServedFolders: which files a client may name.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::mcp {

// What a client asks for was maybe put into its mouth by a text that it has read. So a path that it
// names has to lie in one of some folders, links followed.
class ServedFolders {
 public:
  // `folders` are those; without any, the folders that the traces of `paths` lie in, so that jobs
  // beside the one that is served can be compared with it.
  ServedFolders(const std::vector<std::string>& folders, const std::vector<std::string>& paths);

  // The path with links followed. kInvalidArgument for one outside, kNotFound for one that is not
  // there.
  Result<std::string> Allowed(const std::string& path) const;

 private:
  std::vector<std::string> folders_;  // absolute, without a slash behind
};

}  // namespace rankscope::mcp
