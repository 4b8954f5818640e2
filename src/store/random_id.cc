#include "store/random_id.h"

#include <fmt/core.h>
#include <sys/random.h>

#include <cstdint>

namespace rankscope::store {

std::string RandomId() {
  std::uint64_t number = 0;
  // Never fails for so few bytes once the system is up.
  while (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
  }
  return fmt::format("{:016x}", number);
}

std::string RandomSecretId() { return RandomId() + RandomId(); }

}  // namespace rankscope::store
