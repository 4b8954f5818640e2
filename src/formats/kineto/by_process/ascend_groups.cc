#include "formats/kineto/by_process/ascend_groups.h"

namespace rankscope::kineto {
namespace {

// No communicator is larger; a peer beyond is the mark for none, 4294967295.
constexpr std::int64_t kMostMembers = 1 << 20;

}  // namespace

void AscendGroups::AddGroup(std::int64_t process, std::int64_t thread) {
  groups_.try_emplace({process, thread});
}

void AscendGroups::AddPart(std::int64_t process, std::int64_t thread, std::int64_t peer) {
  if (peer < 0 || peer > kMostMembers) return;
  auto group = groups_.lower_bound({process, thread});
  if (group == groups_.begin()) return;
  --group;
  if (group->first.first != process) return;
  group->second.peers.insert(peer);
  group->second.planes.insert(thread);
}

std::int32_t AscendGroups::SizeOf(std::int64_t process, std::int64_t thread,
                                  std::string_view algorithm) const {
  const auto group = groups_.find({process, thread});
  if (group == groups_.end() || algorithm.find("MESH") == std::string_view::npos) return -1;
  const Peers& of = group->second;
  // Members count from 0, and each has a plane: whatever differs is no mesh of all members.
  const bool is_whole = of.peers.size() >= 2 && *of.peers.begin() == 0 &&
                        *of.peers.rbegin() + 1 == static_cast<std::int64_t>(of.peers.size()) &&
                        of.planes.size() == of.peers.size();
  return is_whole ? static_cast<std::int32_t>(of.peers.size()) : -1;
}

}  // namespace rankscope::kineto
