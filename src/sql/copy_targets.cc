#include "sql/copy_targets.h"

#include <filesystem>
#include <system_error>

namespace rankscope::sql {
namespace {

namespace fs = std::filesystem;

// The texts between single quotes; '' inside is a quote.
std::vector<std::string> QuotedTexts(std::string_view sql) {
  std::vector<std::string> texts;
  for (std::size_t at = sql.find('\''); at != std::string_view::npos; at = sql.find('\'', at)) {
    std::string text;
    for (++at; at < sql.size(); ++at) {
      if (sql[at] != '\'') {
        text += sql[at];
      } else if (at + 1 < sql.size() && sql[at + 1] == '\'') {
        text += sql[at++];
      } else {
        break;
      }
    }
    texts.push_back(std::move(text));
    if (at < sql.size()) ++at;
  }
  return texts;
}

bool Exists(const std::string& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

}  // namespace

CopyTargets::CopyTargets(std::string_view sql) {
  for (const std::string& text : QuotedTexts(sql)) {
    const fs::path path(text);
    if (!path.has_filename()) continue;
    const fs::path temporary = path.parent_path() / ("tmp_" + path.filename().string());
    for (const std::string& target : {path.string(), temporary.string()}) {
      if (!Exists(target)) absent_.push_back(target);
    }
  }
}

void CopyTargets::Remove() const {
  std::error_code ignored;
  for (const std::string& target : absent_) fs::remove_all(target, ignored);
}

}  // namespace rankscope::sql
