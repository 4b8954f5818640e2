// Runs a maker's library in a process of its own: the caller's side.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "probe/library/messages.h"
#include "probe/source/reading.h"

namespace rankscope::probe {

// Whether a call waits until the library is opened. If not, it waits for its timeout, and later
// calls do not wait at all until it is: a driver that takes long to begin holds up no other device.
enum class Opening : std::uint8_t { kIsWaitedFor, kGoesOnBeside };

// Not thread-safe. A call takes at most the library's timeout. A process that exceeds it is killed.
// A new one starts after one second, then two, up to a minute, but not while the killed one is
// still in its driver. Until then each call has the fault of the loss.
class LibraryClient {
 public:
  // `worker` is a command line that runs ServeLibrary(). `processes` counts those that were started
  // by any client: its pointers are told apart by it.
  LibraryClient(const Library& library, std::vector<std::string> worker, Clock clock,
                Opening opening, std::uint64_t& processes);
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

  // From the next call on: a specification that is read anew may have another.
  void SetTimeout(std::int64_t ns) { library_.timeout_ns = ns; }

  bool is_running() const { return process_.has_value() && !is_dying_; }

  // A pointer is valid in one process only; a later process must not get it. So pointers carry the
  // number of their process in bits that no address uses.
  std::uint64_t Tagged(std::uint64_t pointer) const;
  // nullopt: the pointer is from a process that ended.
  std::optional<std::uint64_t> Untagged(std::uint64_t tagged) const;

 private:
  Called Start();
  Called Opened(std::int64_t wait_ns);
  Called Answered(const std::string& bytes);
  Called Ask(const std::string& frame, std::int64_t timeout_ns);
  Called Lose(ReadFault fault, std::string why);
  std::optional<std::string> ReadAnswer(std::int64_t deadline_ns, bool& is_late);
  void ClosePipes();

  Library library_;
  const std::vector<std::string> worker_;
  const Clock clock_;
  const Opening opening_;
  std::optional<Process> process_;
  bool is_dying_ = false;
  int to_ = -1, from_ = -1;
  std::string received_;            // of an answer that has not come as a whole
  std::int64_t open_until_ns_ = 0;  // when it has to be opened; 0: it is, or there is no process
  std::uint64_t& processes_;
  std::uint64_t generation_ = 0;  // number of the process
  std::int64_t started_ns_ = 0, lost_ns_ = 0, start_after_ns_ = 0, backoff_ns_ = 0;
  Called last_loss_;
};

}  // namespace rankscope::probe
