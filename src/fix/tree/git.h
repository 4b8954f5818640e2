// Queries git about a folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::fix {

// Runs git from PATH without a shell, without prompts and without taking its locks. Each call is a
// process; hooks and monitors of the repository are not run.
class Git {
 public:
  // `folder` as the user named it.
  explicit Git(std::string folder) : folder_(std::move(folder)) {}

  // Whether the folder is in a working tree; also false if git is missing.
  bool HasTree() const;
  // Whether the folder or a parent looks like a working tree, even if git does not confirm it.
  bool HasMark() const;
  // Paths, relative to the folder, of files that are tracked, or neither tracked nor ignored.
  // nullopt if git gives no answer.
  std::optional<std::vector<std::string>> Files() const;
  // Paths, relative to the folder, that differ from HEAD or are not tracked. An error if git gives
  // no answer.
  Result<std::vector<std::string>> Changed() const;
  // The full hash of a commit from a prefix of it, HEAD or a tag. nullopt if there is none.
  std::optional<std::string> CommitOf(const std::string& name) const;

  // A file in a commit.
  struct Entry {
    std::string path;    // relative to the folder
    std::string object;  // hash of its content
  };
  // Regular files below the folder. nullopt if git gives no answer.
  std::optional<std::vector<Entry>> FilesOf(const std::string& commit) const;
  // The contents of objects in the given order; at most 64 MB in total. nullopt if git gives no
  // answer.
  std::optional<std::vector<std::string>> Contents(const std::vector<std::string>& objects) const;

 private:
  // Its standard output; nullopt if it fails, or prints more than `kMostBytes`.
  std::optional<std::string> Ask(const std::vector<std::string>& words,
                                 std::string_view input = {}) const;

  std::string folder_;
};

}  // namespace rankscope::fix
