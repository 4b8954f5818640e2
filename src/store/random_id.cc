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
  return IdOf(number + 1 + RandomNumber() % std::min(room, kLargestStep));
}

std::string RandomSecretId() { return RandomId() + RandomId(); }

}  // namespace rankscope::store
