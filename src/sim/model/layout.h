// Layout: which ranks there are, where they stand in the job's parallel dimensions, and who talks
// to whom.
//
// A *group* is a process group as PyTorch makes and names it. A *channel* is a set of ranks that
// meet again and again, each time all of them: the members of a group for collectives, a pair of
// them for sends. A rank knows its groups and channels by slots that mean the same for all ranks of
// a role ("my tensor-parallel group"), so that they can share programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/network.h"

namespace rankscope::sim {

// Ranks per parallel dimension; their product is the world, but for ep, which divides dp.
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
  std::vector<int> members;  // a send's: from, to
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

  // Groups are named by the order in which they are added.
  int AddGroup(std::string description, std::vector<std::int64_t> ranks);
  int AddChannel(std::vector<int> members);
  // A group whose members also meet in collectives: appends it to the slots of each of them.
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
