// TextBuffer: the memory in which the Kineto writer composes JSON text.
//
// Appending does not check for room: the caller makes room for a whole event with Fits and Grow,
// then appends without a branch. Numbers are printed in place; nothing is allocated. Not
// thread-safe.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace rankscope::kineto {

class TextBuffer {
 public:
  explicit TextBuffer(std::size_t capacity)
      : data_(new char[capacity]), capacity_(capacity), at_(data_.get()) {}

  std::string_view text() const { return {data_.get(), size()}; }
  std::size_t size() const { return static_cast<std::size_t>(at_ - data_.get()); }
  bool Fits(std::size_t bytes) const { return bytes <= capacity_ - size(); }
  void Clear() { at_ = data_.get(); }
  // Makes room for `bytes` in an empty buffer, for an event with an enormous string.
  void Grow(std::size_t bytes) {
    data_.reset(new char[bytes]);
    capacity_ = bytes;
    at_ = data_.get();
  }

  template <std::size_t N>
  void Literal(const char (&text)[N]) {
    std::memcpy(at_, text, N - 1);
    at_ += N - 1;
  }
  void Raw(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  // A JSON string's content, at most 6 bytes per byte of text. Bytes above 0x7F pass unchanged, so
  // UTF-8 stays UTF-8.
  void Escaped(std::string_view text) {
    if (!NeedsEscape(text)) return Raw(text);
    for (const char c : text) EscapedByte(c);
  }
  void Int(std::int64_t value) { at_ = std::to_chars(at_, at_ + 20, value).ptr; }
  // Nanoseconds as microseconds with three decimals, exact for every int64.
  void Micros(std::int64_t ns) {
    std::uint64_t magnitude = static_cast<std::uint64_t>(ns);
    if (ns < 0) {
      *at_++ = '-';
      magnitude = 0 - magnitude;
    }
    at_ = std::to_chars(at_, at_ + 20, magnitude / 1000).ptr;
    const auto rest = static_cast<unsigned>(magnitude % 1000);
    at_[0] = '.';
    at_[1] = static_cast<char>('0' + rest / 100);
    at_[2] = static_cast<char>('0' + rest / 10 % 10);
    at_[3] = static_cast<char>('0' + rest % 10);
    at_ += 4;
  }
  // A non-negative value below 9e12 with six decimals, as Kineto prints occupancy figures.
  void Fixed6(double value) {
    const auto millionths = static_cast<std::int64_t>(std::llround(value * 1e6));
    Int(millionths / 1'000'000);
    auto rest = static_cast<unsigned>(millionths % 1'000'000);
    *at_ = '.';
    for (int digit = 6; digit > 0; --digit, rest /= 10)
      at_[digit] = static_cast<char>('0' + rest % 10);
    at_ += 7;
  }
  // The shortest text that reads back as the same finite double.
  void Shortest(double value) { at_ = std::to_chars(at_, at_ + 32, value).ptr; }

 private:
  // Eight bytes at a time: true if any is a quote, a backslash or a control byte. A byte above 0x7F
  // next to one may cause a false alarm; the slow path then copies it unchanged.
  static bool NeedsEscape(std::string_view text) {
    constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
    const auto suspicious = [](std::uint64_t word) {
      const std::uint64_t quote = word ^ (kOnes * '"');
      const std::uint64_t slash = word ^ (kOnes * '\\');
      return (((word - kOnes * 0x20) & ~word) | ((quote - kOnes) & ~quote) |
              ((slash - kOnes) & ~slash)) &
             kHighs;
    };
    std::size_t i = 0;
    std::uint64_t found = 0;
    for (; i + 8 <= text.size(); i += 8) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + i, 8);
      found |= suspicious(word);
    }
    std::uint64_t tail = kOnes * 'a';
    if (i < text.size()) std::memcpy(&tail, text.data() + i, text.size() - i);
    return (found | suspicious(tail)) != 0;
  }
  void EscapedByte(char c) {
    constexpr char kHex[] = "0123456789abcdef";
    if (c == '"' || c == '\\') {
      *at_++ = '\\';
      *at_++ = c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      Literal("\\u00");
      *at_++ = kHex[static_cast<unsigned char>(c) >> 4];
      *at_++ = kHex[static_cast<unsigned char>(c) & 15];
    } else {
      *at_++ = c;
    }
  }

  std::unique_ptr<char[]> data_;
  std::size_t capacity_;
  char* at_;
};

// A JSON string's content.
inline std::string Escaped(std::string_view text) {
  TextBuffer buffer(6 * text.size() + 1);
  buffer.Escaped(text);
  return std::string(buffer.text());
}

}  // namespace rankscope::kineto
