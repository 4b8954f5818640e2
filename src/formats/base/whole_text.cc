#include "formats/base/whole_text.h"

namespace rankscope {

Result<std::string> ReadWhole(ByteSource& source, const std::string& path) {
  constexpr std::size_t kMost = std::size_t{2} << 30;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string text;
  for (std::size_t size = 0; size <= kMost;) {
    text.resize(size + kPiece);
    const std::size_t read = source.Read(text.data() + size, kPiece);
    size += read;
    if (read > 0) continue;
    text.resize(size);
    return text;
  }
  return Error(StatusCode::kBadData,
               "{}: more than 2 GiB in one document of this format cannot be read; record fewer "
               "steps",
               path);
}

}  // namespace rankscope
