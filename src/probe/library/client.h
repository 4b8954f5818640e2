// A maker's library in a process of its own, from the side that asks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "probe/library/messages.h"
#include "probe/source/reading.h"

namespace rankscope::probe {

// Not for several threads. A call takes at most the library's timeout; a process that is over it is
// killed, and another one is started after a second, then two, up to a minute. None is started
// while the killed one is still in its driver.
class LibraryClient {
 public:
  // `worker` are the words of a command that runs ServeLibrary().
  LibraryClient(const Library& library, std::vector<std::string> worker, Clock clock);
  ~LibraryClient();
  LibraryClient(const LibraryClient&) = delete;
  LibraryClient& operator=(const LibraryClient&) = delete;

  struct Called {
    std::optional<LibraryAnswer> answer;  // kDone
    ReadFault fault = ReadFault::kNone;   // without an answer
    std::string why;
  };
  Called Call(const LibraryCall& call);

  // Pointers are of one process: a later one knows none of them. They carry its number in bits that
  // no address has.
  std::uint64_t Tagged(std::uint64_t pointer) const;
  // nullopt: of a process that ended.
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
  std::uint64_t generation_ = 0;
  std::int64_t start_after_ns_ = 0, backoff_ns_ = 0;
  Called last_loss_;
};

}  // namespace rankscope::probe
