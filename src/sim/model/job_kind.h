// The kinds of jobs that can be simulated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::sim {

enum class JobKind : std::uint8_t {
  kDdp,
  kFsdp,
  kHsdp,
  kThreeD,
  kDlrm,
  kMoe,
  kSingle,
  kPostTraining,
};
inline constexpr int kJobKindCount = 8;

constexpr unsigned Bit(JobKind kind) { return 1U << static_cast<unsigned>(kind); }

// As the command line and truth.json name it.
std::string_view NameOf(JobKind kind);
std::optional<JobKind> JobKindOf(std::string_view name);
// All of them, in their order.
std::vector<std::string> JobKindNames();

}  // namespace rankscope::sim
