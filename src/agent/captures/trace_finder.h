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

// What is taken away of a process that a capture waits for no more.
struct Leftover {
  SoughtTrace sought;
  std::int64_t until_ms = 0;  // steady: nothing is expected later
  bool is_given_up = true;    // what it writes yet is removed; else it was taken, and stays
  bool takes_whole = true;  // what was begun (NAME.tmp) goes whatever it has; else only when empty
};

class TraceFinder {
 public:
  explicit TraceFinder(std::string root) : root_(std::move(root)) {}

  // A rename ends the writing of a trace: one that is there is whole. A snapshot is written under
  // its own name: it is whole when it ends as a pickle does, and nobody has written to it for a
  // second.
  // One for each. What was sought before and is no longer, is forgotten.
  std::vector<TraceLook> Look(const std::vector<SoughtTrace>& all, Now now);
  // Of a trace that was given up: it is removed when it comes, and what was begun of it when
  // nothing can come of that any more. Of one that was taken: what is left of its beginning.
  // Libkineto opens NAME.tmp for every request and renames it to NAME; for a snapshot, which is
  // written under NAME itself, the file stays without a byte (PyTorch 2.11).
  void TidyUp(Leftover leftover);
  // But for what is sought by now under the same name: it is another capture's.
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
  // Opened while the process lives, so that what it writes at its end is found.
  const ProcessFolder* FolderFor(const SoughtTrace& sought, std::size_t which,
                                 std::string& problem);
  enum class Which { kAny, kEmpty };
  bool Remove(const SoughtTrace& sought, std::size_t which, std::string_view name,
              Which files = Which::kAny);
  // One round; true when nothing more is to be done.
  bool RemoveOf(Leftover& leftover, Now now);

  const std::string root_;
  std::map<Key, Folders> folders_;
  std::vector<Leftover> leftovers_;
};

}  // namespace rankscope::agent
