#include "app/text_of_file.h"

#include <utility>

#include "formats/base/byte_source.h"

namespace rankscope::app {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 30;
constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

Result<UnpackedText> TextOfFile(const std::string& path) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path));
  std::string text;
  std::size_t got = 0;
  do {
    const std::size_t before = text.size();
    if (before > kMostBytes)
      return Error(StatusCode::kResource, "{}: it holds over 4 GiB; name a part of it", path);
    text.resize(before + kPiece);
    got = source->Read(text.data() + before, kPiece);
    text.resize(before + got);
  } while (got > 0);
  const auto& problems = source->problems().entries();
  return UnpackedText{std::move(text), problems.empty() ? "" : problems.front().message};
}

std::string HeadOfFile(const std::string& path) {
  const auto source = OpenByteSource(path);
  if (!source.ok()) return {};  // reading says what is wrong
  std::string head(std::size_t{64} << 10, '\0');
  std::size_t size = 0;
  while (size < head.size()) {
    const std::size_t got = (*source)->Read(head.data() + size, head.size() - size);
    if (got == 0) break;
    size += got;
  }
  head.resize(size);
  return head;
}

}  // namespace rankscope::app
