// ServedFolders: restricts the files that a client may name.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::mcp {

// A text that the client has read may have manipulated its requests (prompt injection). So a path
// from a client must be inside one of these folders, after following links.
class ServedFolders {
 public:
  // `folders`; if empty, the folders of the traces in `paths`, so that the served job can be
  // compared with jobs next to it.
  ServedFolders(const std::vector<std::string>& folders, const std::vector<std::string>& paths);

  // The path with links followed. kInvalidArgument if it is outside, kNotFound if it does not
  // exist.
  Result<std::string> Allowed(const std::string& path) const;

 private:
  std::vector<std::string> folders_;  // absolute, without a trailing slash
};

}  // namespace rankscope::mcp
