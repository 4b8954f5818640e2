#include "fix/base/source_file.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/utf8.h"

namespace rankscope::fix {
Result<std::unique_ptr<SourceFile>> SourceFile::Make(std::string path, std::string text) {
  if (text.find('\0') != std::string::npos || !IsValidUtf8(text))
    return Error(StatusCode::kBadData, "it is not UTF-8");
  std::unique_ptr<SourceFile> file(new SourceFile());
  file->path_ = std::move(path);
  file->original_ = text;
  RS_ASSIGN_OR_RETURN(Syntax syntax, Syntax::Parse(std::move(text)));
  if (syntax.error_line() != 0)
    return Error(StatusCode::kBadData, "line {} is not Python as this program knows it",
                 syntax.error_line());
  file->syntax_ = std::make_unique<const Syntax>(std::move(syntax));
  file->names_ = std::make_unique<const Names>(*file->syntax_);
  file->lines_.resize(static_cast<std::size_t>(std::ranges::count(file->text(), '\n')) + 1);
  std::iota(file->lines_.begin(), file->lines_.end(), 1);
  return file;
}

std::int64_t SourceFile::OriginalLine(const Node& node) const {
  return lines_[static_cast<std::size_t>(node.line() - 1)];
}

bool SourceFile::HasOriginalLine(const Node& node, std::int64_t line) const {
  const std::int64_t last = syntax_->LineOf(node.end() == 0 ? 0 : node.end() - 1);
  for (std::int64_t at = node.line(); at <= last; ++at)
    if (lines_[static_cast<std::size_t>(at - 1)] == line) return true;
  return false;
}

bool SourceFile::Apply(std::vector<Edit> edits) {
  const auto ordered = InOrder(std::move(edits), text().size());
  if (!ordered) return false;
  Result<Syntax> parsed = Syntax::Parse(Edited(text(), *ordered));
  if (!parsed.ok() || parsed->error_line() != 0) return false;
  lines_ = EditedLines(text(), *ordered, lines_);
  names_.reset();
  syntax_ = std::make_unique<const Syntax>(std::move(parsed).value());
  names_ = std::make_unique<const Names>(*syntax_);
  return true;
}

}  // namespace rankscope::fix
