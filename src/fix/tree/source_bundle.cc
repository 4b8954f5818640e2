#include "fix/tree/source_bundle.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/utf8.h"
#include "json/reader.h"
#include "json/writer.h"

namespace rankscope::fix {
namespace {

// As WriteBundle names files: below the folder, with names that a diff shows as they are.
bool IsPathOfTree(std::string_view path) {
  if (path.size() > 1024 || !path.ends_with(".py") || !IsPlainName(path)) return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

Status Damaged(const std::string& path, std::size_t line, std::string_view what) {
  return Error(StatusCode::kBadData, "{}: line {}: {}; rankscope push --source writes such files",
               path, line, what);
}

}  // namespace

Result<std::string> WriteBundle(const SourceTree& tree) {
  std::string out;
  for (const SourceText& file : tree.files) {
    if (!IsValidUtf8(file.text)) continue;
    json::Writer writer(out);
    writer.BeginObject().Member("path", file.path).Member("text", file.text).EndObject();
    out += '\n';
    if (out.size() > kMostBundleBytes)
      return Error(StatusCode::kResource,
                   "{}: its Python files take over {} MB: name the folder of the program alone",
                   tree.folder, kMostBundleBytes >> 20U);
  }
  return out;
}

Result<SourceTree> ReadBundle(const std::string& path, const TreeBounds& bounds) {
  struct stat state;
  if (stat(path.c_str(), &state) == 0 &&
      static_cast<std::uint64_t>(state.st_size) > kMostBundleBytes + bounds.most_file_bytes)
    return Error(StatusCode::kResource, "{}: it has over {} MB: no source that push wrote", path,
                 kMostBundleBytes >> 20U);
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseBundle(path, text, bounds);
}

Result<SourceTree> ParseBundle(const std::string& path, std::string_view text,
                               const TreeBounds& bounds) {
  SourceTree tree{.folder = path, .has_git = false, .files = {}, .unread = {}};
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string_view one = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const auto reader = json::Reader::Parse(one);
    if (!reader.ok()) return Damaged(path, line, reader.status().message());
    const auto name = reader->root()["path"].Text();
    const auto content = reader->root()["text"].Text();
    if (!name || !content) return Damaged(path, line, "a path and a text are needed");
    if (!IsPathOfTree(*name))
      return Damaged(path, line, "a path of Python below a folder is needed");
    if (!tree.files.empty() && tree.files.back().path >= *name)
      return Damaged(path, line, "files come by path, each once");
    if (tree.files.size() >= bounds.most_files || content->size() > bounds.most_file_bytes)
      return Damaged(path, line, "there are more files, or longer ones, than are looked at");
    tree.files.push_back({.path = std::string(*name), .text = std::string(*content)});
  }
  return tree;
}

Result<SourceTree> ReadSource(const std::string& path) {
  struct stat state;
  const bool is_file = stat(path.c_str(), &state) == 0 && S_ISREG(state.st_mode);
  return is_file ? ReadBundle(path) : ReadSourceTree(path);
}

}  // namespace rankscope::fix
