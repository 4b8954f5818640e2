// Project: the Python files of a source folder.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fix/base/request.h"
#include "fix/base/source_file.h"

namespace rankscope::fix {

class Project {
 public:
  explicit Project(std::vector<std::unique_ptr<SourceFile>> files) : files_(std::move(files)) {}

  std::size_t size() const { return files_.size(); }
  SourceFile& file(std::size_t index) { return *files_[index]; }
  const SourceFile& file(std::size_t index) const { return *files_[index]; }

  // Whether any file has that text.
  bool Mentions(std::string_view text) const;
  // The class of that name where the files define one, and only one.
  Node ClassNamed(std::string_view name) const;
  // The file that a recorded path means: the one whose path ends in most of the same names, at
  // least in its own. None where two are as near, or the path is that of an installed package.
  std::optional<std::size_t> FileOf(std::string_view recorded) const;

 private:
  std::vector<std::unique_ptr<SourceFile>> files_;
};

}  // namespace rankscope::fix
