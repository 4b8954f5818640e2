// SnoopWindows: windows of snoop and offcpu for the processes of captures that request them. The
// helper of the host records them while the processes record.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agent/captures/asked_window.h"
#include "agent/captures/captures.h"

namespace rankscope::agent {

using AskedWindows = std::vector<std::shared_ptr<const AskedWindow>>;

// Safe for several threads.
class SnoopWindows {
 public:
  // `socket_path`: of the helper; empty: there is none.
  SnoopWindows(Captures& captures, std::string socket_path)
      : captures_(captures), socket_path_(std::move(socket_path)) {}

  // Starts windows of members that record, ends those whose captures are over, and reports the
  // results.
  void Tick();
  // For a member whose trace is there. They may still run: taking them waits for their end.
  AskedWindows WindowsOf(const std::string& capture, pid_t pid);

 private:
  static constexpr std::size_t kMostAtOnce = 32;  // each is a thread
  using Key = std::pair<std::string, pid_t>;
  struct Asked {
    AskedWindows windows;
    bool is_fetched = false;
    bool is_told = false;  // what became of them
  };
  void Begin(const Capture& capture, const CaptureMember& member);
  void Tell(const Key& key, Asked& asked);

  Captures& captures_;
  const std::string socket_path_;
  std::mutex mutex_;
  std::map<Key, Asked> asked_;
};

}  // namespace rankscope::agent
