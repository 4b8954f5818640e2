// Answers computed by this program in a child process: SQL, what-if, diff, tables that no report
// has, windows of traces. Each child sees only the files of its runs, may write only to its own
// folder, and is limited in time and memory. It ends when the client disconnects.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "store/store.h"
#include "store/verified_contents.h"

namespace rankscope::service {

struct CommandLimits {
  int at_once = 4;
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;  // of address space
  std::chrono::milliseconds time{60'000};
  std::chrono::milliseconds waiting{30'000};  // for one of `at_once`
  std::uint64_t most_output_bytes = std::uint64_t{256} << 20;
};

// One word of a command line: a text, which is passed on unchanged, or a place that the server
// knows when the command starts.
struct CommandWord {
  enum class Kind : std::uint8_t { kText, kRun, kOut };

  CommandWord(std::string word) : text(std::move(word)) {}       // NOLINT: a text is a word
  CommandWord(std::string_view word) : text(word) {}             // NOLINT
  CommandWord(const char* word) : text(word) {}                  // NOLINT
  CommandWord(Kind place, std::size_t which, std::string below)  // see below
      : kind(place), run(which), text(std::move(below)) {}

  Kind kind = Kind::kText;
  std::size_t run = 0;  // kRun: which of CommandLine::runs
  std::string text;     // kText: the word; kRun: the file below the run's folder, "" for all of it
};

// The folder of the command line's run number `which`, or a file in it.
inline CommandWord RunWord(std::size_t which = 0, std::string_view file = "") {
  return {CommandWord::Kind::kRun, which, std::string(file)};
}
// Where the answer goes.
inline CommandWord OutWord() { return {CommandWord::Kind::kOut, 0, ""}; }

struct CommandLine {
  std::vector<CommandWord> words;
  std::vector<store::Run> runs;
  std::vector<std::pair<std::string, std::string>> links = {};  // name, path: beside the runs
  std::string type = "application/json";                        // of the answer
  http::Fields fields = {};                                     // that the answer has besides
  std::vector<std::string> writable = {};  // folders in which it may write besides
  std::string file_name;  // what the answer is called, by which commands know its form
  // Whether it may add to the cache of traces. Text written by strangers may not.
  bool writes_cache = true;
  // Whether it opens the store itself, and may be told the keys of its contents.
  bool reads_store = false;
  std::vector<std::string> variables = {};  // "NAME=VALUE", besides: what no command line may show
  // Makes the reply from the file with the answer; without it the file itself is the reply. The
  // file stays as long as the reply, even if that is a Pending.
  std::function<http::Reply(const std::string& path)> finish = {};
};

// The program's name for the traces of one run, in its working folder.
inline constexpr std::string_view kTracesLink = "TRACES";
Status MakeLink(const std::string& to, const std::string& link);
// The file with numbers that a job or its hosts sent, among the traces of the run.
std::string TelemetryName(const store::RunTable& metrics);

// Safe for many threads.
class Commands {
 public:
  // `program` is this one; `folder` is its own, emptied at the start; `cache_folder` has traces
  // read before.
  Commands(std::string program, std::string folder, std::string cache_folder, store::Store& store,
           CommandLimits limits);

  // The answer of the command, or its sentence as an error: 400 for a wrong request, 422 for
  // unusable data or data beyond the limits, 429 if no slot became free in time.
  http::Reply Run(CommandLine line);

  // The events in [from_ns, to_ns) of a trace; either bound may be "".
  http::Reply Window(const store::Run& run, const store::RunFile& file, std::string_view from_ns,
                     std::string_view to_ns, http::Fields fields);

  // The folder with the files of a run under their names, without those that were set aside, and
  // with its samples as telemetry. It is made if needed. All files are verified against the store:
  // kInternal or kNotFound for the first that is damaged or gone. The first call reads all files.
  Result<std::string> FolderOf(const store::Run& run);

  int running() const { return running_; }

 private:
  class Running;
  const std::string program_;
  const std::string folder_;
  const std::string cache_folder_;
  store::Store& store_;
  const CommandLimits limits_;
  std::atomic<int> running_ = 0;
  std::atomic<std::uint64_t> next_ = 0;
  std::mutex making_;  // folders of runs
  store::VerifiedContents verified_;
};

}  // namespace rankscope::service
