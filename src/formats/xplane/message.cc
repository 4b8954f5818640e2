#include "formats/xplane/message.h"

#include <cstring>

namespace rankscope::xplane {

bool Message::Damaged() {
  is_damaged_ = true;
  rest_ = {};
  return false;
}

bool Message::Varint(std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool Message::Next() {
  if (rest_.empty()) return false;
  std::uint64_t key = 0;
  if (!Varint(key)) return Damaged();
  field_ = static_cast<std::uint32_t>(key >> 3);
  bytes_ = {};
  number_ = 0;
  std::uint64_t size = 0;
  switch (key & 7) {
    case 0:
      return Varint(number_) || Damaged();
    case 1:
      size = 8;
      break;
    case 5:
      size = 4;
      break;
    case 2:
      if (!Varint(size)) return Damaged();
      break;
    default:
      return Damaged();
  }
  if (size > rest_.size()) return Damaged();
  if ((key & 7) == 2) {
    bytes_ = rest_.substr(0, size);
  } else {
    std::memcpy(&number_, rest_.data(), size);  // little-endian, as the machine is
  }
  rest_.remove_prefix(size);
  return true;
}

}  // namespace rankscope::xplane
