// A value of a pickle in 8 bytes, and its kinds.
#pragma once

#include <cstdint>

namespace rankscope::pickle {

enum class Kind : std::uint8_t {
  kNone,
  kBool,
  kInt,      // 60 bits, in the value itself
  kWideInt,  // 64 bits, stored elsewhere
  kHugeInt,  // larger; the number itself is dropped
  kReal,
  kText,
  kBytes,
  kList,
  kTuple,
  kDict,
  kSet,
  kRecord,  // the result of a Shaper for a container
  kMark,    // never in a container
};

// Kind and 60 bits: a number, or the position of the data. Trivially copyable.
class Value {
 public:
  constexpr Value() = default;
  constexpr Value(Kind kind, std::uint64_t payload)
      : bits_(payload << 4 | static_cast<std::uint64_t>(kind)) {}

  constexpr Kind kind() const { return static_cast<Kind>(bits_ & 15); }
  constexpr std::uint64_t payload() const { return bits_ >> 4; }
  // Only for kInt.
  constexpr std::int64_t small_int() const { return static_cast<std::int64_t>(bits_) >> 4; }
  constexpr bool is_container() const {
    return kind() == Kind::kList || kind() == Kind::kTuple || kind() == Kind::kDict ||
           kind() == Kind::kSet;
  }
  constexpr bool is(Kind kind) const { return this->kind() == kind; }
  friend constexpr bool operator==(Value, Value) = default;

 private:
  std::uint64_t bits_ = 0;
};
static_assert(sizeof(Value) == 8);

inline constexpr std::int64_t kSmallIntMax = (std::int64_t{1} << 59) - 1;
inline constexpr std::int64_t kSmallIntMin = -(std::int64_t{1} << 59);

}  // namespace rankscope::pickle
