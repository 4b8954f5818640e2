// SourceFile: a Python file of the user: the original, and its current text after the patches so
// far.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fix/python/edits.h"
#include "fix/python/names.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// Nodes of its syntax are valid until the next successful Apply.
class SourceFile {
 public:
  // An error if it is not UTF-8 or not Python: a sentence without the path.
  static Result<std::unique_ptr<SourceFile>> Make(std::string path, std::string text);

  const std::string& path() const { return path_; }
  const std::string& original() const { return original_; }
  const std::string& text() const { return syntax_->text(); }
  const Syntax& syntax() const { return *syntax_; }
  const Names& names() const { return *names_; }
  bool is_changed() const { return text() != original_; }

  // The line of a node in the original file.
  std::int64_t OriginalLine(const Node& node) const;
  // Whether a node includes that line of the original file.
  bool HasOriginalLine(const Node& node, std::int64_t line) const;

  // Applies all edits or none. Returns false, with no edit made, if two of them change the same
  // bytes, or if the result is not valid Python.
  bool Apply(std::vector<Edit> edits);

 private:
  SourceFile() = default;

  std::string path_;
  std::string original_;
  std::unique_ptr<const Syntax> syntax_;
  std::unique_ptr<const Names> names_;
  std::vector<std::int64_t> lines_;  // for each current line, the original line
};

}  // namespace rankscope::fix
