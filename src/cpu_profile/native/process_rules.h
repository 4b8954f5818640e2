// ProcessRules: call frame information of the files that a process has mapped.
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

// Rules of an address are read once: a program runs at few of them. For one thread.
class ProcessRules final : public RulesSource {
 public:
  explicit ProcessRules(pid_t pid) : pid_(pid) {}

  const FrameRules* RulesAt(std::uint64_t address) override;
  // Libraries that were loaded meanwhile are seen from here on.
  void Refresh();
  // As Refresh, with mappings that were read already: of a process that may have ended. Files are
  // then those that process `pid` of the constructor sees.
  void Use(std::vector<Mapping> maps);

 private:
  static constexpr std::size_t kMostKnown = 50'000;
  static constexpr std::size_t kMostFiles = 2'000;

  std::optional<FrameRules> Read(std::uint64_t address);

  const pid_t pid_;
  std::vector<Mapping> maps_;
  std::map<std::string, std::optional<UnwindFile>> files_;  // nullopt: it has none
  std::unordered_map<std::uint64_t, std::optional<FrameRules>> known_;
};

}  // namespace rankscope::cpu_profile
