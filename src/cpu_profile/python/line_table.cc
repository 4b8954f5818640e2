#include "cpu_profile/python/line_table.h"

#include <algorithm>
#include <optional>

namespace rankscope::cpu_profile {
namespace {

class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool IsEnd() const { return at_ >= bytes_.size(); }
  std::uint32_t Next() { return IsEnd() ? 0 : std::to_integer<std::uint32_t>(bytes_[at_++]); }
  void Skip(std::size_t count) { at_ = std::min(bytes_.size(), at_ + count); }

  // Six bits a byte, the lowest first; bit 6 says that there are more.
  std::uint32_t Number() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 6) {
      const std::uint32_t byte = Next();
      value |= (byte & 63) << shift;
      if ((byte & 64) == 0) break;
    }
    return value;
  }
  // The lowest bit is the sign.
  std::int32_t SignedNumber() {
    const std::uint32_t value = Number();
    const auto size = static_cast<std::int32_t>(value >> 1);
    return (value & 1) != 0 ? -size : size;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<LineRange> ParseLineTable(std::span<const std::byte> table, std::int32_t first_line) {
  constexpr std::uint32_t kInstructionBytes = 2;
  std::vector<LineRange> lines;
  Bytes bytes(table);
  std::int64_t line = first_line;
  std::uint32_t end = 0;
  while (!bytes.IsEnd()) {
    const std::uint32_t head = bytes.Next();
    if ((head & 128) == 0) break;
    const std::uint32_t code = head >> 3 & 15;
    end += kInstructionBytes * ((head & 7) + 1);
    bool has_line = true;
    if (code < 10) {  // the same line, columns in a byte
      bytes.Skip(1);
    } else if (code < 13) {  // up to two lines on, columns in two bytes
      line += code - 10;
      bytes.Skip(2);
    } else if (code == 13) {  // no columns
      line += bytes.SignedNumber();
    } else if (code == 14) {  // lines it ends after, and columns
      line += bytes.SignedNumber();
      for (int i = 0; i < 3; ++i) bytes.Number();
    } else {
      has_line = false;
    }
    line = std::clamp<std::int64_t>(line, 0, INT32_MAX);
    lines.push_back({end, has_line ? static_cast<std::int32_t>(line) : 0});
  }
  return lines;
}

std::int32_t LineAt(std::span<const LineRange> lines, std::uint64_t at) {
  const auto found = std::ranges::upper_bound(lines, at, {}, &LineRange::end);
  return found == lines.end() ? 0 : found->line;
}

}  // namespace rankscope::cpu_profile
