#include "base/utf8.h"

namespace rankscope {
namespace {

// What may follow a lead byte: how many bytes, and the range of the first of them, which is what
// rules out overlong forms, surrogates and values that are too big.
struct Lead {
  std::size_t following = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  std::uint32_t bits = 0;
};

bool DescribeLead(unsigned char byte, Lead* lead) {
  if (byte >= 0xC2 && byte <= 0xDF) {
    *lead = {1, 0x80, 0xBF, byte & 0x1FU};
  } else if (byte >= 0xE0 && byte <= 0xEF) {
    *lead = {2, 0x80, 0xBF, byte & 0x0FU};
    if (byte == 0xE0) lead->low = 0xA0;
    if (byte == 0xED) lead->high = 0x9F;
  } else if (byte >= 0xF0 && byte <= 0xF4) {
    *lead = {3, 0x80, 0xBF, byte & 0x07U};
    if (byte == 0xF0) lead->low = 0x90;
    if (byte == 0xF4) lead->high = 0x8F;
  } else {
    return false;
  }
  return true;
}

}  // namespace

CodePoint DecodeUtf8(std::string_view text, std::size_t at) {
  const unsigned char first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1, true};
  Lead lead;
  if (!DescribeLead(first, &lead)) return {kReplacementCharacter, 1, false};
  std::uint32_t value = lead.bits;
  for (std::size_t i = 1; i <= lead.following; ++i) {
    if (at + i >= text.size()) return {kReplacementCharacter, i, false};
    const unsigned char byte = static_cast<unsigned char>(text[at + i]);
    const unsigned char low = i == 1 ? lead.low : 0x80;
    const unsigned char high = i == 1 ? lead.high : 0xBF;
    if (byte < low || byte > high) return {kReplacementCharacter, i, false};
    value = (value << 6) | (byte & 0x3FU);
  }
  return {value, lead.following + 1, true};
}

bool IsValidUtf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const CodePoint point = DecodeUtf8(text, at);
    if (!point.valid) return false;
    at += point.bytes;
  }
  return true;
}

std::size_t CountCodePoints(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += DecodeUtf8(text, at).bytes;
  return count;
}

std::size_t ByteOfCodePoint(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += DecodeUtf8(text, at).bytes;
  return at;
}

}  // namespace rankscope
