#include "store/random_id.h"

#include <fmt/core.h>
#include <sys/random.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

namespace rankscope::store {
namespace {

constexpr std::uint64_t kLargestStep = std::uint64_t{1} << 52;
// A step takes so small a part of the room at most: near the last id, too, thousands find some.
constexpr std::uint64_t kLeftBehind = 64;

std::uint64_t RandomNumber() {
  std::uint64_t number = 0;
  // Never fails for so few bytes once the system is up.
  while (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
  }
  return number;
}

std::string IdOf(std::uint64_t number) { return fmt::format("{:016x}", number); }

}  // namespace

std::string RandomId() { return IdOf(RandomNumber()); }

std::string RandomIdBehind(std::string_view id) {
  std::uint64_t number = 0;
  std::from_chars(id.data(), id.data() + id.size(), number, 16);
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - number;
  if (room == 0) return RandomId();
  const std::uint64_t most = std::clamp<std::uint64_t>(room / kLeftBehind, 1, kLargestStep);
  return IdOf(number + 1 + RandomNumber() % most);
}

std::string RandomSecretId() { return RandomId() + RandomId(); }

}  // namespace rankscope::store
