// TraceFinder: looks whether processes have written what they were told to, and takes away what
// nobody waits for any more.
//
// Calls may wait for file systems. For one thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/base/now.h"
#include "agent/captures/process_folder.h"

namespace rankscope::agent {

struct SoughtTrace {
  std::string capture;
  TraceWriter writer;
  bool is_snapshot = false;
  std::int64_t since_unix_ms = 0;  // what is older is another one
  // As the process was told, and where Kineto writes when it may not write there.
  std::array<std::string, 2> paths;
};

struct TraceLook {
  std::shared_ptr<const WrittenFile> trace;  // null: it is not there, or not whole
  std::string path;                          // of the two
  std::string problem;                       // what stands in the way, in a sentence
  bool is_alive = true;                      // the process was, before the look
};

struct GivenUpTrace {
  SoughtTrace sought;
  std::int64_t until_ms = 0;  // steady: nothing is expected later
};

class TraceFinder {
 public:
  explicit TraceFinder(std::string root) : root_(std::move(root)) {}

  // A rename ends the writing of a trace: one that is there is whole. A snapshot is written under
  // its own name: it is whole when it ends as a pickle does, and nobody has written to it for a
  // second.
  // One for each. What was sought before and is no longer, is forgotten.
  std::vector<TraceLook> Look(const std::vector<SoughtTrace>& all, Now now);
  // Is removed when it comes, and what was begun of it when the process has ended.
  void GiveUp(GivenUpTrace trace);
  // But for what is sought by now under the same name: it is another capture's.
  void RemoveGivenUp(const std::vector<SoughtTrace>& sought, Now now);

 private:
  using Key = std::pair<std::string, pid_t>;  // a capture and a process of it
  struct Folders {
    std::array<std::shared_ptr<const ProcessFolder>, 2> opened;
    bool is_made = false;  // or was tried
  };
  static Key KeyOf(const SoughtTrace& sought) { return {sought.capture, sought.writer.pid}; }
  bool IsAlive(const TraceWriter& writer) const;
  TraceLook LookFor(const SoughtTrace& sought, Now now);
  // Opened while the process lives, so that what it writes at its end is found.
  const ProcessFolder* FolderFor(const SoughtTrace& sought, std::size_t which,
                                 std::string& problem);
  bool Remove(const SoughtTrace& sought, std::size_t which, std::string_view name);

  const std::string root_;
  std::map<Key, Folders> folders_;
  std::vector<GivenUpTrace> given_up_;
};

}  // namespace rankscope::agent
