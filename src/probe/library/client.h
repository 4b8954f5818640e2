// Runs a maker's library in a process of its own: the caller's side.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "probe/library/messages.h"
#include "probe/source/reading.h"

namespace rankscope::probe {

// Not thread-safe. A call takes at most the library's timeout. A process that exceeds it is killed.
// A new one starts after one second, then two, up to a minute, but not while the killed one is
// still in its driver. Until then each call has the fault of the loss.
class LibraryClient {
 public:
  // `worker` is a command line that runs ServeLibrary(). `processes` counts those that were started
  // by any client: its pointers are told apart by it.
  LibraryClient(const Library& library, std::vector<std::string> worker, Clock clock,
                std::uint64_t& processes);
  ~LibraryClient();
  LibraryClient(const LibraryClient&) = delete;
  LibraryClient& operator=(const LibraryClient&) = delete;

  struct Called {
    std::optional<LibraryAnswer> answer;  // kDone
    ReadFault fault = ReadFault::kNone;   // without an answer
    std::string why;
    bool is_culprit = false;  // this very call ended the process, and not its start or an older one
  };
  Called Call(const LibraryCall& call);

  bool is_running() const { return process_.has_value() && !is_dying_; }

  // A pointer is valid in one process only; a later process must not get it. So pointers carry the
  // number of their process in bits that no address uses.
  std::uint64_t Tagged(std::uint64_t pointer) const;
  // nullopt: the pointer is from a process that ended.
  std::optional<std::uint64_t> Untagged(std::uint64_t tagged) const;

 private:
  Called Start();
  Called Ask(const std::string& frame, std::int64_t timeout_ns);
  Called Lose(ReadFault fault, std::string why);
  std::optional<std::string> ReadAnswer(std::int64_t deadline_ns, bool& is_late);
  void ClosePipes();

  const Library library_;
  const std::vector<std::string> worker_;
  const Clock clock_;
  std::optional<Process> process_;
  bool is_dying_ = false;
  int to_ = -1, from_ = -1;
  std::uint64_t& processes_;
  std::uint64_t generation_ = 0;  // number of the process
  std::int64_t started_ns_ = 0, lost_ns_ = 0, start_after_ns_ = 0, backoff_ns_ = 0;
  Called last_loss_;
};

}  // namespace rankscope::probe
