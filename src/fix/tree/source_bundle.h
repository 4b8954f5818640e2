// A source folder's Python files in one file, for machines without the folder. One line of JSON per
// file, {"path": "models/net.py", "text": "..."}, sorted by path.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"
#include "fix/tree/source_tree.h"

namespace rankscope::fix {

inline constexpr std::size_t kMostBundleBytes = std::size_t{32} << 20;

// kResource if it would exceed kMostBundleBytes; leaves out files that are not UTF-8.
Result<std::string> WriteBundle(const SourceTree& tree);

// The text is untrusted: kBadData with the line for an invalid file, for odd or unsorted paths, and
// for more than `bounds` allow. Errors name the file by `path`, which is also the tree's folder.
Result<SourceTree> ParseBundle(const std::string& path, std::string_view text,
                               const TreeBounds& bounds = {});
Result<SourceTree> ReadBundle(const std::string& path, const TreeBounds& bounds = {});

// Reads a folder, or a bundle if `path` is a file.
Result<SourceTree> ReadSource(const std::string& path);

}  // namespace rankscope::fix
