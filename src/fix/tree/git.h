// What git says of a folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::fix {

// Runs git by its name on PATH, with no shell in between, no questions and none of its locks taken.
// Each call is a process; neither hooks nor monitors of the repository are run.
class Git {
 public:
  // `folder` as it was named.
  explicit Git(std::string folder) : folder_(std::move(folder)) {}

  // Whether the folder is in a working tree; false too where there is no git.
  bool HasTree() const;
  // Whether the folder or one around it looks like a working tree, whatever git says.
  bool HasMark() const;
  // Paths below the folder of files that are tracked, or are neither tracked nor ignored. None
  // where git does not say.
  std::optional<std::vector<std::string>> Files() const;
  // Paths below the folder that differ from HEAD or are not tracked. An error where git does not
  // say.
  Result<std::vector<std::string>> Changed() const;
  // The whole name of a commit: of a prefix of it, of HEAD, of a tag. None where there is none.
  std::optional<std::string> CommitOf(const std::string& name) const;

  // A file as a commit has it.
  struct Entry {
    std::string path;    // below the folder
    std::string object;  // the name of its content
  };
  // Regular files below the folder. None where git does not say.
  std::optional<std::vector<Entry>> FilesOf(const std::string& commit) const;
  // The contents of objects, in their order; all of them at most 64 MB. None where git does not
  // say.
  std::optional<std::vector<std::string>> Contents(const std::vector<std::string>& objects) const;

 private:
  // Its standard output; none where it ends with anything but 0, or says more than `kMostBytes`.
  std::optional<std::string> Ask(const std::vector<std::string>& words,
                                 std::string_view input = {}) const;

  std::string folder_;
};

}  // namespace rankscope::fix
