#include "agent/telemetry/network_sources.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "agent/base/fields.h"
#include "agent/base/small_file.h"
#include "agent/telemetry/reading_files.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

namespace q = quantity;
using std::chrono::milliseconds;

// The words of "Tcp: RetransSegs OutRsts" and "Tcp: 5 7", pair by pair. Other lines, and pairs of
// lines that do not fit together, are left out.
std::map<std::string, std::string, std::less<>> PairsOf(std::string_view text,
                                                        std::string_view protocol) {
  std::map<std::string, std::string, std::less<>> pairs;
  std::vector<std::string_view> names;
  ForEachLine(text, [&](std::string_view line) {
    const std::vector<std::string_view> words = Words(line);
    if (words.empty() || words[0] != protocol) return;
    if (names.empty()) {
      names = words;
      return;
    }
    if (names.size() != words.size()) return;
    for (std::size_t i = 1; i < words.size(); ++i) pairs.emplace(names[i], words[i]);
  });
  return pairs;
}

Status ReadTcp(const std::string& root, Readings& readings) {
  RS_ASSIGN_OR_RETURN(const std::string snmp, ReadSmallFile(root + "/proc/net/snmp"));
  const auto tcp = PairsOf(snmp, "Tcp:");
  const auto add = [&](const auto& pairs, std::string_view name, const quantity::Quantity& quantity,
                       Labels labels) {
    const auto found = pairs.find(name);
    if (found != pairs.end()) AddWord(readings, quantity, std::move(labels), found->second);
  };
  add(tcp, "InSegs", q::kTcpSegments, {{"direction", "receive"}});
  add(tcp, "OutSegs", q::kTcpSegments, {{"direction", "transmit"}});
  add(tcp, "RetransSegs", q::kTcpRetransmits, {});
  for (const std::string_view name : {"AttemptFails", "EstabResets", "InErrs", "OutRsts"})
    add(tcp, name, q::kTcpEvents, {{"event", std::string(name)}});
  // Kernels without it have the numbers above all the same.
  if (const auto netstat = ReadSmallFile(root + "/proc/net/netstat"); netstat.ok()) {
    const auto more = PairsOf(*netstat, "TcpExt:");
    for (const std::string_view name :
         {"TCPTimeouts", "TCPLostRetransmit", "TCPSynRetrans", "TCPFastRetrans", "ListenOverflows",
          "ListenDrops", "TCPMemoryPressures", "TCPAbortOnMemory", "TCPRcvQDrop"})
      add(more, name, q::kTcpEvents, {{"event", std::string(name)}});
  }
  if (!tcp.empty()) return OkStatus();
  return Error(StatusCode::kNotFound, "{}/proc/net/snmp: no line of TCP", root);
}

// "TCP: inuse 5 orphan 0 tw 2 alloc 9 mem 1": counts, and memory in pages.
void AddSockets(std::string_view text, Readings& readings) {
  const auto page = static_cast<double>(std::max(1L, sysconf(_SC_PAGESIZE)));
  ForEachLine(text, [&](std::string_view line) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() < 3 || !words[0].ends_with(':')) return;
    const std::string protocol(words[0].substr(0, words[0].size() - 1));
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
      if (words[i] == "mem") {
        AddWord(readings, q::kSocketMemory, {{"protocol", protocol}}, words[i + 1], page);
      } else if (words[i] != "memory") {
        // "memory", of fragments, is in bytes and next to nothing.
        AddWord(readings, q::kSockets, {{"protocol", protocol}, {"kind", std::string(words[i])}},
                words[i + 1]);
      }
    }
  });
}

Status ReadSockets(const std::string& root, Readings& readings) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(root + "/proc/net/sockstat"));
  AddSockets(text, readings);
  if (const auto six = ReadSmallFile(root + "/proc/net/sockstat6"); six.ok())
    AddSockets(*six, readings);
  return OkStatus();
}

constexpr std::size_t kMostMounts = 32;

// The mounts of a client, by /proc/self/mountstats:
//
//   device server:/data mounted on /data with fstype nfs4 statvers=1.1
//           bytes:  NORMAL_READ NORMAL_WRITE DIRECT_READ DIRECT_WRITE SERVER_READ SERVER_WRITE ...
//           per-op statistics
//                   READ: OPS TRANSMISSIONS TIMEOUTS SENT RECEIVED QUEUE_MS RTT_MS EXECUTE_MS ...
//
// Nothing is asked of a server, so that one which hangs holds up nobody.
class MountReader {
 public:
  explicit MountReader(Readings& readings) : readings_(readings) {}

  void Line(std::string_view line) {
    const std::vector<std::string_view> words = Words(line);
    if (words.empty()) return;
    if (words[0] == "device") {
      const bool is_nfs = words.size() > 7 && words[2] == "mounted" && words[6] == "fstype" &&
                          words[7].starts_with("nfs") && words[7] != "nfsd";
      mount_ = is_nfs && count_ < kMostMounts ? std::string(words[4]) : "";
      in_operations_ = false;
      if (!mount_.empty()) ++count_;
      return;
    }
    if (mount_.empty()) return;
    if (words[0] == "bytes:" && words.size() > 6) {
      AddWord(readings_, q::kNfsBytes, {{"mount", mount_}, {"direction", "read"}}, words[5]);
      AddWord(readings_, q::kNfsBytes, {{"mount", mount_}, {"direction", "write"}}, words[6]);
    }
    if (words[0] == "per-op") {
      in_operations_ = true;
    } else if (in_operations_ && words.size() > 8 && words[0].ends_with(':')) {
      Operation(words);
    }
  }

  std::size_t count() const { return count_; }

 private:
  void Operation(const std::vector<std::string_view>& words) {
    static constexpr std::array<std::string_view, 8> kTold = {
        "READ", "WRITE", "GETATTR", "LOOKUP", "OPEN", "READDIR", "COMMIT", "ACCESS"};
    const std::string operation(words[0].substr(0, words[0].size() - 1));
    if (std::ranges::find(kTold, operation) == kTold.end()) return;
    const Labels labels = {{"mount", mount_}, {"operation", operation}};
    AddWord(readings_, q::kNfsOperations, labels, words[1]);
    AddWord(readings_, q::kNfsTransmissions, labels, words[2]);
    AddWord(readings_, q::kNfsTimeouts, labels, words[3]);
    AddWord(readings_, q::kNfsTime, labels, words[8], 1e-3);
  }

  Readings& readings_;
  std::string mount_;  // "" outside of one that is told
  bool in_operations_ = false;
  std::size_t count_ = 0;
};

Status ReadNfs(const std::string& root, Readings& readings) {
  const std::string path = root + "/proc/self/mountstats";
  RS_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path));
  MountReader reader(readings);
  ForEachLine(text, [&](std::string_view line) { reader.Line(line); });
  if (reader.count() > 0) return OkStatus();
  return Error(StatusCode::kNotFound, "{}: no NFS file system is mounted", path);
}

}  // namespace

Source TcpSource() { return {"tcp", milliseconds(10'000), ReadTcp}; }
Source SocketSource() { return {"sockstat", milliseconds(10'000), ReadSockets}; }
Source NfsSource() { return {"nfs", milliseconds(10'000), ReadNfs}; }

}  // namespace rankscope::agent
