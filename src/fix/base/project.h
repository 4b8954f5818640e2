// Project: the Python files of a source folder; those that may concern training have syntax trees.
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
  // `others` are files that no kind of patch inspects: only their paths and texts are known.
  Project(std::vector<std::unique_ptr<SourceFile>> files, std::vector<SourceText> others)
      : files_(std::move(files)), others_(std::move(others)) {}

  std::size_t size() const { return files_.size(); }
  SourceFile& file(std::size_t index) { return *files_[index]; }
  const SourceFile& file(std::size_t index) const { return *files_[index]; }

  // Whether any file contains that text.
  bool Mentions(std::string_view text) const;
  // The same for files that no kind of patch inspects.
  bool OthersMention(std::string_view text) const;
  // The class with that name, if the files define exactly one.
  Node ClassNamed(std::string_view name) const;
  // The path of the file that a recorded path refers to: the one that shares the longest suffix of
  // path components, at least its own name. nullopt for a tie, or for a file of an installed
  // package.
  std::optional<std::string> PathOf(std::string_view recorded) const;
  // The same, if kinds of patches inspect that file.
  std::optional<std::size_t> FileOf(std::string_view recorded) const;

 private:
  std::vector<std::unique_ptr<SourceFile>> files_;
  std::vector<SourceText> others_;
};

}  // namespace rankscope::fix
