// How many members a communicator of HCCL has, which no row states: the parts of its collectives
// name the peers that they send to and receive from ("dst rank").
//
// A process of HCCL has a thread for each communicator and behind it, in the order of the threads,
// those of its planes. Where every member exchanges with every other (a mesh) the peers are all
// members; a ring shows its neighbours alone, and the size stays unknown.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope::kineto {

class AscendGroups {
 public:
  // A thread of collectives, in any order and any number of times.
  void AddGroup(std::int64_t process, std::int64_t thread);
  // A part on another thread; after all groups.
  void AddPart(std::int64_t process, std::int64_t thread, std::int64_t peer);

  // -1: unknown. `algorithm` is that of a collective of the group: "MESH-RING".
  std::int32_t SizeOf(std::int64_t process, std::int64_t thread, std::string_view algorithm) const;

 private:
  struct Peers {
    std::set<std::int64_t> peers;
    std::set<std::int64_t> planes;  // that name them
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Peers> groups_;
};

}  // namespace rankscope::kineto
