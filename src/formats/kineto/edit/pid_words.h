// Words in a pid that tell a rank. What merges the traces of ranks by a few lines of script leads
// every pid by the rank, since their numbers may be equal:
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
  // The number that stands for the process or the device in what else the text says; -1: none.
  std::int64_t id = -1;

  // The number behind "rank"; -1 where only axes are told.
  std::int64_t rank() const;
};

// nullopt for a text without such words. The views are of `pid`.
std::optional<RankInPid> RankInPidOf(std::string_view pid);

}  // namespace rankscope::kineto
