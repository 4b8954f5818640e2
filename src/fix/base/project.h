// Project: the Python files of a source folder, those that may have to do with training as syntax.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fix/base/request.h"
#include "fix/base/source_file.h"

namespace rankscope::fix {

class Project {
 public:
  // `others` are files that no kind of patch looks at: known by their paths and as texts.
  Project(std::vector<std::unique_ptr<SourceFile>> files, std::vector<SourceText> others)
      : files_(std::move(files)), others_(std::move(others)) {}

  std::size_t size() const { return files_.size(); }
  SourceFile& file(std::size_t index) { return *files_[index]; }
  const SourceFile& file(std::size_t index) const { return *files_[index]; }

  // Whether any file has that text.
  bool Mentions(std::string_view text) const;
  // The same of files that no kind of patch looks at.
  bool OthersMention(std::string_view text) const;
  // The class of that name where the files define one, and only one.
  Node ClassNamed(std::string_view name) const;
  // The path of the file that a recorded path means: the one that ends in most of the same names,
  // at least in its own. None where two are as near, or it is that of an installed package.
  std::optional<std::string> PathOf(std::string_view recorded) const;
  // The same where kinds of patches look at it.
  std::optional<std::size_t> FileOf(std::string_view recorded) const;

 private:
  std::vector<std::unique_ptr<SourceFile>> files_;
  std::vector<SourceText> others_;
};

}  // namespace rankscope::fix
