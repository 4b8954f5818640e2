// A source folder's Python files as one file, for machines that do not have the folder: a line of
// JSON for each, {"path": "models/net.py", "text": "..."}, by path.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"
#include "fix/tree/source_tree.h"

namespace rankscope::fix {

inline constexpr std::size_t kMostBundleBytes = std::size_t{32} << 20;

// kResource when it would be longer than kMostBundleBytes; files that are not UTF-8 are left out.
Result<std::string> WriteBundle(const SourceTree& tree);

// Whoever wrote it: what is no such file is kBadData with the line; odd and unsorted paths and more
// than `bounds` allow are. `path` is how errors call it, and the tree's folder.
Result<SourceTree> ParseBundle(const std::string& path, std::string_view text,
                               const TreeBounds& bounds = {});
Result<SourceTree> ReadBundle(const std::string& path, const TreeBounds& bounds = {});

// A folder, or a bundle where `path` is a file.
Result<SourceTree> ReadSource(const std::string& path);

}  // namespace rankscope::fix
