// ProcessRules: call frame information of a process's mapped files.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu_profile/image/maps.h"
#include "cpu_profile/native/stack_walk.h"
#include "cpu_profile/native/unwind_file.h"

namespace rankscope::cpu_profile {

// Rules are cached per address: a program runs at few addresses. Not thread-safe.
class ProcessRules final : public RulesSource {
 public:
  explicit ProcessRules(pid_t pid) : pid_(pid) {}

  const FrameRules* RulesAt(std::uint64_t address) override;
  // Picks up libraries that were loaded meanwhile.
  void Refresh();
  // Like Refresh, with mappings that were read already, for a process that may have ended. Files
  // are then opened as process `pid` of the constructor sees them.
  void Use(std::vector<Mapping> maps);

 private:
  static constexpr std::size_t kMostKnown = 50'000;
  static constexpr std::size_t kMostFiles = 2'000;

  std::optional<FrameRules> Read(std::uint64_t address);

  const pid_t pid_;
  std::vector<Mapping> maps_;
  std::map<std::string, std::optional<UnwindFile>> files_;  // nullopt: it has no rules
  std::unordered_map<std::uint64_t, std::optional<FrameRules>> known_;
};

}  // namespace rankscope::cpu_profile
