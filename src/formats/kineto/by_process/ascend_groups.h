// Finds the size of an HCCL communicator, which no row states. It counts the peers ("dst rank") in
// the parts of the communicator's collectives.
//
// An HCCL process has one thread per communicator, followed by the threads of its planes. In a
// mesh, where every member exchanges with every other, the peers are all members. A ring shows only
// neighbours, so its size stays unknown.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope::kineto {

class AscendGroups {
 public:
  // A thread of collectives; call in any order, repeats are allowed.
  void AddGroup(std::int64_t process, std::int64_t thread);
  // A part on another thread; call after all AddGroup calls.
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
