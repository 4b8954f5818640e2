// Answers that this program computes in a process of its own: SQL, what-if, diff, tables that no
// report has, windows of traces. Each child sees the files of its runs and may write to a folder of
// its own, and is bounded in time and memory; it ends when who asked leaves.
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

// One word of a command line: a text, which is passed on as it is whatever it says, or a place that
// the server knows when the command starts.
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
  // Whether it may add to the cache of traces; what strangers wrote may not.
  bool writes_cache = true;
  // Whether it opens the store itself, and may be told the keys of its contents.
  bool reads_store = false;
  std::vector<std::string> variables = {};  // "NAME=VALUE", besides: what no command line may show
  // What is made of the file with the answer; without, the file itself is it. The file stays for as
  // long as the reply, also where that is a Pending.
  std::function<http::Reply(const std::string& path)> finish = {};
};

// What the program calls the traces of one run, in a folder of which it works.
inline constexpr std::string_view kTracesLink = "TRACES";
Status MakeLink(const std::string& to, const std::string& link);
// Of numbers that a job or its hosts told, among the traces of the run.
std::string TelemetryName(const store::RunTable& metrics);

// Safe for many threads.
class Commands {
 public:
  // `program` is this one; `folder` is its own, emptied on beginning; `cache_folder` has traces
  // that were read before.
  Commands(std::string program, std::string folder, std::string cache_folder, store::Store& store,
           CommandLimits limits);

  // The answer of the command, or its sentence as an error: 400 for what was asked wrongly, 422 for
  // data that cannot be used and for what is beyond the limits, 429 when nothing became free in
  // time.
  http::Reply Run(CommandLine line);

  // What happened in [from_ns, to_ns) of a trace, either of which may be "".
  http::Reply Window(const store::Run& run, const store::RunFile& file, std::string_view from_ns,
                     std::string_view to_ns, http::Fields fields);

  // The folder with the files of a run under their names, but for those that were set aside, and
  // its samples as telemetry; made when it is not there. All of them are what was stored: kInternal
  // or kNotFound for the first that is damaged or gone. The first time it costs reading all.
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
