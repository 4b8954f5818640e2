// Running one shard: a child reads its files into the cache. One that is killed, for too little
// memory as a rule, costs an attempt: after the first each file is read by a child of its own, and
// one that ends its child kMostTimes is left out of the job. All of that is on disk before a child
// begins, so who is killed together with its child goes on where it was.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"

namespace rankscope::shards {

// What Slurm and Kubernetes are told.
enum class ShardEnd : std::uint8_t {
  kDone = 0,
  kBadInput = 64,  // no file of it is a trace: trying again helps nobody
  kTryAgain = 75,  // it was stopped, or the folder cannot be written to
};

struct ShardSpec {
  std::string folder;  // with a plan
  std::size_t shard = 0;
  // How a child reads these files: its words.
  std::function<std::vector<std::string>(const std::vector<std::string>& files)> child;
  std::function<bool()> is_stopped;
  std::function<void(const std::string& sentence)> tell;
};

// An error where the folder has no such shard. Of one that is done nothing is read.
Result<ShardEnd> RunShard(const ShardSpec& spec);

// What the child does: reads these files, or all of these folders, into the cache of the plan's
// folder. kBadData where none of them is a trace.
Status ReadIntoCache(const std::string& folder, const std::vector<std::string>& files,
                     app::Listener& listener);

}  // namespace rankscope::shards
