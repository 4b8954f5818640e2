// Layout: the ranks, their coordinates in the job's parallel dimensions, and who communicates with
// whom.
//
// A *group* is a process group as PyTorch makes and names it. A *channel* is a set of ranks that
// meet repeatedly, always all of them: the members of a group for collectives, a pair of them for
// sends. A rank refers to its groups and channels by slots. A slot means the same on all ranks of a
// role ("my tensor-parallel group"), so that they can share programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/network.h"

namespace rankscope::sim {

// Ranks per parallel dimension. Their product is the world size; ep is not a factor, it divides dp.
struct Degrees {
  int tp = 1;
  int cp = 1;
  int ep = 1;
  int pp = 1;
  int dp = 1;
};

struct Coordinates {
  int tp = 0;
  int cp = 0;
  int ep = 0;
  int pp = 0;
  int dp = 0;
};

// As Kineto prints lists: at most 30 numbers, then "...".
std::string ListText(const std::vector<std::int64_t>& numbers);

struct Group {
  std::string name;         // "0"
  std::string description;  // "default_pg"
  std::vector<std::int64_t> ranks;
  std::string ranks_text;  // "[0, 1, ...]" as Kineto prints it
};

struct Channel {
  std::vector<int> members;  // of a send: sender, receiver
  Reach reach;
};

struct Place {
  Coordinates at;
  std::vector<int> groups;    // by group slot
  std::vector<int> channels;  // by channel slot
};

class Layout {
 public:
  explicit Layout(int ranks) : places(static_cast<std::size_t>(ranks)) {}

  // Groups are named by the order of AddGroup calls.
  int AddGroup(std::string description, std::vector<std::int64_t> ranks);
  int AddChannel(std::vector<int> members);
  // A group whose members also meet in collectives: adds it to the slots of each member.
  void AddCollectiveGroup(std::string description, const std::vector<std::int64_t>& ranks);

  Place& place(int rank) { return places[static_cast<std::size_t>(rank)]; }
  const Place& place(int rank) const { return places[static_cast<std::size_t>(rank)]; }
  const Channel& channel(int rank, int slot) const {
    return channels[static_cast<std::size_t>(place(rank).channels[static_cast<std::size_t>(slot)])];
  }

  Degrees degrees;
  std::vector<Group> groups;
  std::vector<Channel> channels;
  std::vector<Place> places;  // by rank
};

}  // namespace rankscope::sim
