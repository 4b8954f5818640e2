// Byte source: any bytes, any read size. What zlib reads without complaint is read the same.
#include <zlib.h>

#include <optional>
#include <string>

#include "formats/base/byte_source.h"
#include "input.h"

namespace rankscope::fuzz {
namespace {

constexpr InflateLimits kLimits{.free_bytes = 1 << 20, .max_ratio = 50};

// The members of gzip data one after the other; nothing when zlib finds fault with any of it.
std::optional<std::string> InflateByZlib(std::string_view data) {
  std::string text;
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  bool whole = false;
  while (text.size() < kLimits.free_bytes) {
    char buffer[4096];
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof(buffer);
    const int result = inflate(&stream, Z_NO_FLUSH);
    text.append(buffer, sizeof(buffer) - stream.avail_out);
    if (result == Z_STREAM_END) {
      whole = stream.avail_in == 0;
      if (whole || inflateReset(&stream) != Z_OK) break;
    } else if (result != Z_OK) {
      break;
    }
  }
  inflateEnd(&stream);
  return whole ? std::optional(text) : std::nullopt;
}

struct Inflated {
  std::string text;
  std::size_t problems = 0;
};

Inflated ReadAll(std::string_view data, std::size_t step) {
  const auto source = OpenByteSource(data, kLimits);
  Inflated result;
  std::string buffer(step, '\0');
  while (const std::size_t count = source->Read(buffer.data(), step)) {
    FUZZ_CHECK(count <= step);
    result.text.append(buffer, 0, count);
    FUZZ_CHECK(source->fraction() >= 0 && source->fraction() <= 1);
  }
  FUZZ_CHECK(source->Read(buffer.data(), step) == 0);
  result.problems = source->problems().entries().size();
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  const std::size_t step = 1 + std::size_t{input.first} * (input.second % 16 + 1U);
  const Inflated by_steps = ReadAll(input.data, step);
  if (!input.data.starts_with("\x1f\x8b")) {
    FUZZ_CHECK(by_steps.text == input.data && by_steps.problems == 0);
    return 0;
  }
  FUZZ_CHECK(by_steps.text.size() <= kLimits.free_bytes + kLimits.max_ratio * size + step);
  if (const auto expected = InflateByZlib(input.data)) {
    FUZZ_CHECK(by_steps.text == *expected && by_steps.problems == 0);
    const Inflated at_once = ReadAll(input.data, std::size_t{2} << 20);
    FUZZ_CHECK(at_once.text == *expected && at_once.problems == 0);
  }
  return 0;
}

}  // namespace rankscope::fuzz
