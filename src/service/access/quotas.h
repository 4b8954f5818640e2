// Limits for data that people and agents add to a server; beyond them the answer is 429.
#pragma once

#include <cstddef>

namespace rankscope::service {

// Shares have limits of their own (shares.h).
struct Quotas {
  std::size_t notes_of_run = 1000;
  std::size_t queries_of_run = 200;
  std::size_t hosts_of_team = 10'000;
  std::size_t runs_of_team = 100'000;  // 0: any number
};

}  // namespace rankscope::service
