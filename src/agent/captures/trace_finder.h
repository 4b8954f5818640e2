// TraceFinder: checks whether processes have written the files that they were told to write, and
// removes files that nobody waits for any more.
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
  // The path given to the process, and Kineto's fallback if it may not write there.
  std::array<std::string, 2> paths;
};

struct TraceLook {
  std::shared_ptr<const WrittenFile> trace;  // null: it is not there, or not whole
  std::string path;                          // of the two
  std::string problem;                       // what stands in the way, in a sentence
  bool is_alive = true;                      // the process was, before the look
};

// Files to remove of a process for which a capture no longer waits.
struct Leftover {
  SoughtTrace sought;
  std::int64_t until_ms = 0;  // steady: nothing is expected later
  bool is_given_up = true;    // what it writes yet is removed; else it was taken, and stays
  bool takes_whole = true;  // what was begun (NAME.tmp) goes whatever it has; else only when empty
};

class TraceFinder {
 public:
  explicit TraceFinder(std::string root) : root_(std::move(root)) {}

  // Traces are renamed when complete, so one that is there is whole. A snapshot is written under
  // its own name. It is whole when it ends as a pickle does, and nobody has written to it for a
  // second. One for each. Files sought before but not any more are forgotten.
  std::vector<TraceLook> Look(const std::vector<SoughtTrace>& all, Now now);
  // For a trace that was given up: it is removed when it appears, and its unfinished file is
  // removed when nothing can come of it any more. For a trace that was taken: the rest of its
  // unfinished file. Libkineto opens NAME.tmp for every request and renames it to NAME; for a
  // snapshot, which is written under NAME itself, the file stays without a byte (PyTorch 2.11).
  void TidyUp(Leftover leftover);
  // Except files now sought under the same name: they belong to another capture.
  void RemoveLeftovers(const std::vector<SoughtTrace>& sought, Now now);

 private:
  using Key = std::pair<std::string, pid_t>;  // a capture and a process of it
  struct Folders {
    std::array<std::shared_ptr<const ProcessFolder>, 2> opened;
    bool is_made = false;  // or was tried
  };
  static Key KeyOf(const SoughtTrace& sought) { return {sought.capture, sought.writer.pid}; }
  bool IsAlive(const TraceWriter& writer) const;
  TraceLook LookFor(const SoughtTrace& sought, Now now);
  // Opened while the process lives, so that a file written at its end is found.
  const ProcessFolder* FolderFor(const SoughtTrace& sought, std::size_t which,
                                 std::string& problem);
  enum class Which { kAny, kEmpty };
  bool Remove(const SoughtTrace& sought, std::size_t which, std::string_view name,
              Which files = Which::kAny);
  // One round; true if nothing is left to do.
  bool RemoveOf(Leftover& leftover, Now now);

  const std::string root_;
  std::map<Key, Folders> folders_;
  std::vector<Leftover> leftovers_;
};

}  // namespace rankscope::agent
