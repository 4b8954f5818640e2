// ByteWriter and ByteReader convert small records to bytes and back, little-endian. The reader
// checks every length.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace rankscope {

static_assert(std::endian::native == std::endian::little,
              "files are little-endian and read in place");

class ByteWriter {
 public:
  template <typename T>
  void Put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void PutString(std::string_view text) {
    Put(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote. After the first value that does not fit, ok() is false and every
// further one is zero or empty.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T Get() {
    static_assert(std::is_arithmetic_v<T>);
    T value{};
    if (rest_.size() < sizeof(T)) return Fail(), value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }
  std::string GetString() {
    const auto size = Get<std::uint64_t>();
    if (size > rest_.size()) return Fail(), std::string();
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  // A count of records of at least `record_bytes` each; 0 and failed when the rest cannot hold
  // them.
  std::uint64_t GetCount(std::size_t record_bytes) {
    const auto count = Get<std::uint64_t>();
    if (count > rest_.size() / record_bytes) return Fail(), 0;
    return count;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  void Fail() {
    ok_ = false;
    rest_ = {};
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace rankscope
