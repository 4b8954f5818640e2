// The queue's record of attempts: lines appended to a file, each synced to the disk before the
// attempt is made. The store knows which runs are to be analysed; the journal only counts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::service {

// Counts of one run since it was last finished.
struct Attempts {
  std::int64_t begun = 0;  // those that were begun alone among them
  std::int64_t failed = 0;
  std::int64_t alone = 0;  // begun alone, and the server ended before they did
  bool is_alone = false;   // the last one that was begun
  // Begun, but interrupted by the end of the server.
  std::int64_t interrupted() const { return begun - failed; }
};

// A line is "CHECKSUM WHAT RUN\n". Safe for many threads.
class Journal {
 public:
  // kStopped: the server ended it in an orderly way; it counts as not begun. kAlone: begun while
  // nothing else was analysed.
  enum class Event : std::uint8_t { kBegun, kFailed, kStopped, kOver, kAlone };

  // Reads the file and rewrites it in short form. A killed process may leave a cut line at the end.
  // A damaged line before it makes the whole file doubtful: the file is set aside under a name with
  // ".damaged", the counts begin at 0, and `message` says so.
  static Result<std::unique_ptr<Journal>> Open(const std::string& path, std::string& message);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Durable when it returns; an error leaves the journal as it was. kOver forgets the run.
  Status Add(Event event, std::string_view run);
  Attempts Of(std::string_view run) const;

 private:
  Journal(std::string path, int descriptor, std::int64_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}
  std::string path_;
  int descriptor_;
  std::int64_t size_;
  mutable std::mutex mutex_;
  std::map<std::string, Attempts, std::less<>> attempts_;
};

}  // namespace rankscope::service
