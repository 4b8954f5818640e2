#include "sim/model/job_kind.h"

#include <array>

namespace rankscope::sim {
namespace {

constexpr std::array<std::string_view, kJobKindCount> kNames = {
    "ddp", "fsdp", "hsdp", "3d", "dlrm", "moe", "single", "post-training"};

}  // namespace

std::string_view NameOf(JobKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<JobKind> JobKindOf(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<JobKind>(i);
  }
  return std::nullopt;
}

std::vector<std::string> JobKindNames() { return {kNames.begin(), kNames.end()}; }

}  // namespace rankscope::sim
