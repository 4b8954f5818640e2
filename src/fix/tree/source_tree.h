// SourceTree: reads and writes the Python files of a folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fix/base/request.h"
#include "fix/fix.h"

namespace rankscope::fix {

// Limits: larger trees are not training programs, and larger files are data.
struct TreeBounds {
  std::size_t most_files = 20'000;
  std::size_t most_entries = 1'000'000;  // visited in folders
  std::size_t most_file_bytes = std::size_t{2} << 20;
  std::size_t most_bytes = std::size_t{256} << 20;
};

struct SourceTree {
  std::string folder;  // as the user named it
  bool has_git = false;
  std::vector<SourceText> files;  // sorted by path
  std::vector<Left> unread;       // too large, oddly named or unreadable
};

// Whether a diff can show the path without quotes.
bool IsPlainName(std::string_view path);

// The *.py files of a folder. In a git working tree: those that git does not ignore. Otherwise all,
// except in virtual environments (pyvenv.cfg), hidden folders and caches. Symbolic links to files
// and folders are not followed. kNotFound if the folder does not exist.
Result<SourceTree> ReadSourceTree(const std::string& folder, const TreeBounds& bounds = {});

// The same at `commit` (hash, prefix, HEAD, a tag) of the git repository that contains the folder,
// with or without a working tree. kNotFound if there is no such commit.
Result<SourceTree> ReadCommit(const std::string& folder, const std::string& commit,
                              const TreeBounds& bounds = {});

// kBadData, with the first files, if git reports uncommitted changes below the folder, or if git
// should have an answer but gives none. A folder without git is accepted.
Status CheckIsClean(const std::string& folder);

// Writes the patched files: all or none, as far as the file system allows. Files keep their modes;
// each is written beside the original and renamed. kBadData if a file has changed since it was
// read.
Status WritePatches(const std::string& folder, const std::vector<FilePatch>& files);

}  // namespace rankscope::fix
