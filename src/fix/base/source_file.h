// SourceFile: a Python file of the user, as it was and as patches have made it so far.
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

// Nodes of its syntax are good until the next Apply that succeeds.
class SourceFile {
 public:
  // An error for what is no UTF-8 or no Python: a sentence without the path.
  static Result<std::unique_ptr<SourceFile>> Make(std::string path, std::string text);

  const std::string& path() const { return path_; }
  const std::string& original() const { return original_; }
  const std::string& text() const { return syntax_->text(); }
  const Syntax& syntax() const { return *syntax_; }
  const Names& names() const { return *names_; }
  bool is_changed() const { return text() != original_; }

  // The line of a node in the file as it was.
  std::int64_t OriginalLine(const Node& node) const;
  // Whether a node has something of that line of the file as it was.
  bool HasOriginalLine(const Node& node, std::int64_t line) const;

  // Makes edits, all or none: none where two of them take the same bytes, or what they leave is no
  // Python. False then.
  bool Apply(std::vector<Edit> edits);

 private:
  SourceFile() = default;

  std::string path_;
  std::string original_;
  std::unique_ptr<const Syntax> syntax_;
  std::unique_ptr<const Names> names_;
  std::vector<std::int64_t> lines_;  // of each line the one that it was
};

}  // namespace rankscope::fix
