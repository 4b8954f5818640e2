// Runs one shard: a child process reads its files into the cache. A killed child (usually for lack
// of memory) costs one attempt. After the first, each file is read by a child of its own; a file
// that kills its child kMostTimes is left out of the job. The state is on disk before a child
// begins, so if the parent is killed together with its child, the next process continues there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"

namespace rankscope::shards {

// Exit codes for Slurm and Kubernetes.
enum class ShardEnd : std::uint8_t {
  kDone = 0,
  kBadInput = 64,  // none of its files is a trace: a retry is useless
  kTryAgain = 75,  // it was stopped, or the folder is not writable
};

struct ShardSpec {
  std::string folder;  // with a plan
  std::size_t shard = 0;
  // The command line of a child that reads these files.
  std::function<std::vector<std::string>(const std::vector<std::string>& files)> child;
  std::function<bool()> is_stopped;
  std::function<void(const std::string& sentence)> tell;
};

// An error if the folder has no such shard. Reads nothing if the shard is done.
Result<ShardEnd> RunShard(const ShardSpec& spec);

// The child's work: reads these files, or all of these folders, into the cache of the plan's
// folder. kBadData if none of them is a trace.
Status ReadIntoCache(const std::string& folder, const std::vector<std::string>& files,
                     app::Listener& listener);

}  // namespace rankscope::shards
