#include "statistics/letters.h"

#include <cstdint>

namespace rankscope {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int ValueOf(char letter) {
  if (letter >= 'A' && letter <= 'Z') return letter - 'A';
  if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
  if (letter >= '0' && letter <= '9') return letter - '0' + 52;
  if (letter == '+') return 62;
  return letter == '/' ? 63 : -1;
}

}  // namespace

std::string ToLetters(std::string_view bytes) {
  std::string letters;
  letters.reserve(bytes.size() * 4 / 3 + 2);
  std::uint32_t bits = 0;
  int have = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<std::uint8_t>(byte);
    for (have += 8; have >= 6; have -= 6) letters += kLetters[bits >> (have - 6) & 63];
  }
  if (have > 0) letters += kLetters[bits << (6 - have) & 63];
  return letters;
}

std::optional<std::string> FromLetters(std::string_view letters) {
  if (letters.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(letters.size() * 3 / 4);
  std::uint32_t bits = 0;
  int have = 0;
  for (const char letter : letters) {
    const int value = ValueOf(letter);
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    bytes += static_cast<char>(bits >> have & 255);
  }
  if ((bits & ((1u << have) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace rankscope
