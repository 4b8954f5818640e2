// Iterates over the fields of a protobuf message without a schema. Never reads beyond the message's
// bytes, whatever they contain.
//
// Wire format: https://protobuf.dev/programming-guides/encoding (varints, 32 and 64 bits, bytes).
// Groups, which are obsolete, end a message like damage does.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::xplane {

class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  // The next field; false at the end, or where the message is damaged.
  bool Next();
  bool is_damaged() const { return is_damaged_; }

  std::uint32_t field() const { return field_; }
  // Value of a number; 0 if the field is bytes.
  std::int64_t Int() const { return static_cast<std::int64_t>(number_); }
  // Value of text, bytes or a message; empty if the field is a number.
  std::string_view Bytes() const { return bytes_; }

 private:
  bool Varint(std::uint64_t& value);
  bool Damaged();

  std::string_view rest_;
  std::string_view bytes_;
  std::uint64_t number_ = 0;
  std::uint32_t field_ = 0;
  bool is_damaged_ = false;
};

}  // namespace rankscope::xplane
