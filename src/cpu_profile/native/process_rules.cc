#include "cpu_profile/native/process_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "cpu_profile/image/proc_text.h"

namespace rankscope::cpu_profile {

void ProcessRules::Refresh() {
  Use(ParseMaps(ReadProcText(fmt::format("/proc/{}/maps", pid_), 16 << 20)));
}

void ProcessRules::Use(std::vector<Mapping> maps) {
  // The rules of an address hold as long as the same file lies there.
  const bool is_same = std::ranges::equal(maps, maps_, [](const Mapping& a, const Mapping& b) {
    return a.begin == b.begin && a.end == b.end && a.offset == b.offset && a.path == b.path;
  });
  if (is_same) return;
  maps_ = std::move(maps);
  known_.clear();
}

const FrameRules* ProcessRules::RulesAt(std::uint64_t address) {
  const auto found = known_.find(address);
  if (found != known_.end()) return found->second ? &*found->second : nullptr;
  if (known_.size() >= kMostKnown) known_.clear();
  const std::optional<FrameRules>& rules = known_.emplace(address, Read(address)).first->second;
  return rules ? &*rules : nullptr;
}

std::optional<FrameRules> ProcessRules::Read(std::uint64_t address) {
  const Mapping* mapping = FindMapping(maps_, address);
  if (mapping == nullptr || !mapping->path.starts_with('/')) return std::nullopt;
  if (files_.size() >= kMostFiles) files_.clear();
  const auto [found, is_new] = files_.try_emplace(mapping->path);
  if (is_new) {
    Result<UnwindFile> file = UnwindFile::Open(FileOfMapping(pid_, mapping->path));
    if (file.ok()) found->second = std::move(*file);
  }
  if (!found->second) return std::nullopt;
  const auto bias = found->second->BiasIn(*mapping);
  if (!bias) return std::nullopt;
  return found->second->RulesAt(address - *bias);
}

}  // namespace rankscope::cpu_profile
