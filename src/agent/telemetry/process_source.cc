#include "agent/telemetry/process_source.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "agent/base/fields.h"
#include "agent/base/process_file.h"
#include "agent/base/small_file.h"
#include "agent/telemetry/reading_files.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

namespace q = quantity;

class Reader {
 public:
  Reader(std::string root, const WatchedProcess& process, Readings& readings)
      : root_(std::move(root)),
        folder_(root_ + "/proc/" + std::to_string(process.pid)),
        process_(process),
        readings_(readings) {}

  // False: it has ended.
  bool Read() {
    const Result<std::string> stat = ReadSmallFile(folder_ + "/stat");
    if (!stat.ok() || !ReadStat(*stat)) return false;
    ReadStatus();
    ReadIo();
    ReadSchedstat();
    return true;
  }

 private:
  Labels With(std::string key, std::string value) const {
    Labels labels = labels_;
    labels.emplace_back(std::move(key), std::move(value));
    return labels;
  }

  // "4711 (python (a)) S ...": a name may have blanks and brackets.
  bool ReadStat(const std::string& stat) {
    const std::size_t open = stat.find('(');
    const std::size_t close = stat.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open) return false;
    const std::vector<std::string_view> words = Words(std::string_view(stat).substr(close + 1));
    // By proc(5), counted from the state, which is field 3.
    constexpr std::size_t kMajorFaults = 9, kUser = 11, kSystem = 12, kThreadCount = 17,
                          kResidentPages = 21;
    if (words.size() <= kResidentPages || words[0] == "Z" || words[0] == "X") return false;
    labels_ = {{"pid", std::to_string(process_.pid)},
               {"command", stat.substr(open + 1, close - open - 1)}};
    labels_.insert(labels_.end(), process_.labels.begin(), process_.labels.end());
    const double tick = 1.0 / static_cast<double>(std::max(1L, sysconf(_SC_CLK_TCK)));
    AddWord(readings_, q::kProcessCpu, With("mode", "user"), words[kUser], tick);
    AddWord(readings_, q::kProcessCpu, With("mode", "system"), words[kSystem], tick);
    AddWord(readings_, q::kProcessMajorFaults, labels_, words[kMajorFaults]);
    AddWord(readings_, q::kProcessThreads, labels_, words[kThreadCount]);
    AddWord(readings_, q::kProcessResident, labels_, words[kResidentPages],
            static_cast<double>(sysconf(_SC_PAGESIZE)));
    return true;
  }

  void ReadStatus() {
    const Result<std::string> text = ReadSmallFile(folder_ + "/status");
    if (!text.ok()) return;
    ForEachLine(*text, [&](std::string_view line) {
      constexpr std::string_view kEnd = "voluntary_ctxt_switches:";
      const std::vector<std::string_view> words = Words(line);
      if (words.size() != 2 || !words[0].ends_with(kEnd)) return;
      AddWord(readings_, q::kProcessContextSwitches,
              With("kind", words[0] == kEnd ? "voluntary" : "involuntary"), words[1]);
    });
  }

  // Of other users' processes it may not be read, without the right to act as those.
  void ReadIo() {
    const Result<std::string> text = ReadProcessFile(root_, process_.pid, "io");
    if (!text.ok()) return;
    ForEachLine(*text, [&](std::string_view line) {
      const std::vector<std::string_view> words = Words(line);
      if (words.size() != 2) return;
      if (words[0] == "rchar:")
        AddWord(readings_, q::kProcessIo, With("direction", "read"), words[1]);
      if (words[0] == "wchar:")
        AddWord(readings_, q::kProcessIo, With("direction", "write"), words[1]);
    });
  }

  // "ran_ns waited_ns slices"
  void ReadSchedstat() {
    const Result<std::string> text = ReadSmallFile(folder_ + "/schedstat");
    if (!text.ok()) return;
    const std::vector<std::string_view> words = Words(*text);
    if (words.size() == 3) AddWord(readings_, q::kProcessRunQueue, labels_, words[1], 1e-9);
  }

  const std::string root_;
  const std::string folder_;
  const WatchedProcess& process_;
  Readings& readings_;
  Labels labels_;
};

}  // namespace

Source ProcessSource(std::function<std::vector<WatchedProcess>()> which) {
  return {"process", std::chrono::milliseconds(10'000),
          [which = std::move(which)](const std::string& root, Readings& readings) {
            std::vector<WatchedProcess> watched = which();
            if (watched.size() > kMostWatched) watched.resize(kMostWatched);
            for (const WatchedProcess& one : watched) (void)Reader(root, one, readings).Read();
            return OkStatus();
          }};
}

}  // namespace rankscope::agent
