#include "app/packed_source.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/utf8.h"
#include "fix/output/unified_diff.h"
#include "fix/tree/git.h"
#include "fix/tree/source_bundle.h"
#include "fix/tree/source_tree.h"
#include "store/run.h"

namespace rankscope::app {
namespace {

std::string CommitOf(const std::string& folder, const fix::SourceTree& tree) {
  if (!tree.has_git || !fix::CheckIsClean(folder).ok()) return "";
  return fix::Git(folder).CommitOf("HEAD").value_or("");
}

std::vector<std::string> LeftOut(const fix::SourceTree& tree) {
  std::vector<std::string> sentences;
  for (const fix::Left& left : tree.unread) sentences.push_back(fix::LeftWords(left));
  for (const fix::SourceText& file : tree.files)
    if (!IsValidUtf8(file.text)) sentences.push_back(file.path + ": not sent: it is not UTF-8");
  return sentences;
}

}  // namespace

Result<std::unique_ptr<PackedSource>> PackedSource::Of(const std::string& folder) {
  RS_ASSIGN_OR_RETURN(const fix::SourceTree tree, fix::ReadSourceTree(folder));
  RS_ASSIGN_OR_RETURN(const std::string text, fix::WriteBundle(tree));
  if (text.empty())
    return Error(StatusCode::kNotFound, "{}: there is no Python file in it", folder);
  const int file = memfd_create("rankscope-source", MFD_CLOEXEC);
  if (file < 0) return Error(StatusCode::kIo, "no file for the code: {}", std::strerror(errno));
  std::unique_ptr<PackedSource> packed(
      new PackedSource(file, CommitOf(folder, tree), LeftOut(tree)));
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t count = write(file, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return Error(StatusCode::kIo, "the code cannot be kept: {}", std::strerror(errno));
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return packed;
}

PackedSource::~PackedSource() { close(descriptor_); }

store::LocalFile PackedSource::file() const {
  return {.name = std::string(store::kSourceFile),
          .path = fmt::format("/proc/self/fd/{}", descriptor_)};
}

}  // namespace rankscope::app
