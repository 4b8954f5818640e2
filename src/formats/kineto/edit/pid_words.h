// Words in a pid that name a rank. Scripts that merge the traces of ranks often prefix every pid
// with the rank, since pids of different ranks may be equal:
//
//   "[TP00] 5000"   "rank0 GPU 0"   "rank 1: python 77"   "[DP0 PP1 TP3] 123"   "GPU 0 (rank 1)"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::kineto {

struct RankInPid {
  // The axes and the number on each, in the order of the text: {{"dp", 0}, {"pp", 1}}. Equal for
  // equal ranks, however they are written.
  std::vector<std::pair<std::string, std::int64_t>> place;
  std::string_view words;  // as written, without brackets: "DP0 PP1"
  // The process or device number in the rest of the text; -1: none.
  std::int64_t id = -1;

  // The number after "rank"; -1 if there are only axes.
  std::int64_t rank() const;
};

// nullopt for a text without such words. The views point into `pid`.
std::optional<RankInPid> RankInPidOf(std::string_view pid);

}  // namespace rankscope::kineto
