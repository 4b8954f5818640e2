// Numbers and texts out of the bytes of a fuzzer.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace rankscope::fuzz {

// Takes values from the front of the input; zero at its end.
class Source {
 public:
  explicit Source(std::string_view bytes) : rest_(bytes) {}
  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  std::uint8_t Byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  std::uint32_t Below(std::uint32_t limit) { return limit == 0 ? 0 : Word() % limit; }
  std::uint32_t Word() {
    const std::uint32_t low = Byte();
    return low | static_cast<std::uint32_t>(Byte()) << 8;
  }
  // Small numbers mostly, and those where arithmetic ends.
  std::int64_t Number() {
    constexpr std::int64_t kEdges[] = {0,
                                       -1,
                                       1,
                                       INT32_MAX,
                                       INT32_MIN,
                                       std::int64_t{1} << 32,
                                       INT64_MAX,
                                       INT64_MIN,
                                       INT64_MAX / 2,
                                       INT64_MIN / 2,
                                       std::int64_t{1} << 53,
                                       255};
    const std::uint8_t what = Byte();
    if (what < 240) return what < 128 ? what : Below(UINT16_MAX);
    return kEdges[what % std::size(kEdges)];
  }
  std::int32_t Number32() { return static_cast<std::int32_t>(Number()); }

  // At most `longest` bytes.
  std::string_view Text(std::uint32_t longest) {
    const std::string_view text = rest_.substr(0, Below(longest + 1));
    rest_.remove_prefix(text.size());
    return text;
  }

 private:
  std::string_view rest_;
};

}  // namespace rankscope::fuzz
