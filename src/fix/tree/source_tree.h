// SourceTree: the Python files of a folder, read and written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fix/base/request.h"
#include "fix/fix.h"

namespace rankscope::fix {

// Bounds of what is read: larger trees are no training programs, and larger files are data.
struct TreeBounds {
  std::size_t most_files = 20'000;
  std::size_t most_entries = 1'000'000;  // of folders that are walked
  std::size_t most_file_bytes = std::size_t{2} << 20;
  std::size_t most_bytes = std::size_t{256} << 20;
};

struct SourceTree {
  std::string folder;  // as it was named
  bool has_git = false;
  std::vector<SourceText> files;  // by path
  std::vector<Left> unread;       // what is too large, has an odd name or cannot be opened
};

// Whether a diff can show the path without quotes.
bool IsPlainName(std::string_view path);

// The *.py files of a folder: what git knows and does not ignore where it is a working tree, else
// all, without those of virtual environments (pyvenv.cfg), hidden folders and caches. Symbolic
// links are not followed, neither of files nor of folders. kNotFound where there is no such folder.
Result<SourceTree> ReadSourceTree(const std::string& folder, const TreeBounds& bounds = {});

// The same as `commit` has it (its name or a prefix, HEAD, a tag) of the git repository that the
// folder lies in or is, with or without a working tree. kNotFound where it has no such commit.
Result<SourceTree> ReadCommit(const std::string& folder, const std::string& commit,
                              const TreeBounds& bounds = {});

// kBadData, with the first files, where git knows of changes below the folder that are not
// committed, or where git should know and does not say. A folder without git is not refused.
Status CheckIsClean(const std::string& folder);

// Writes what the patches leave: all files or none, as far as the file system lets it. Files keep
// their modes, and are written beside and renamed. kBadData where one is no longer what was read.
Status WritePatches(const std::string& folder, const std::vector<FilePatch>& files);

}  // namespace rankscope::fix
