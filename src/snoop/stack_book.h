// StackBook: stacks by their ids. Native frames are unwound from copies of the stack; Python frames
// come from the interpreter state that the probe has read. Adds names to both.
//
// A stack is one list of frames: if Python called native code, the innermost native frames follow
// the Python frames, without those of the interpreter. Native frames between two Python frames are
// not shown.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu_profile/image/memory.h"
#include "cpu_profile/native/process_rules.h"
#include "cpu_profile/python/python_reader.h"
#include "snoop/bpf/records.h"

namespace rankscope::snoop {

struct StackFrame {
  std::string function;
  std::string file;       // Python: source file; native: library; empty: unknown
  std::int32_t line = 0;  // 0: unknown, as for all native code
  bool is_python = false;
};

// "train (train.py:12)", "at::empty (libtorch.so)".
std::string ToText(const StackFrame& frame);

struct StackBookCounts {
  std::uint64_t stacks = 0;      // seen, by id
  std::uint64_t cut = 0;         // without their outermost frames
  std::uint64_t no_names = 0;    // Python frames whose code was gone when its name was read
  std::uint64_t unreadable = 0;  // stacks with unreadable Python frames
};

// Outermost first.
using Frames = std::vector<StackFrame>;

class StackBook {
 public:
  StackBook(pid_t pid, std::int64_t pid_inside,
            const std::optional<cpu_profile::PythonPlace>& python);

  // Takes a record of the ring `stacks`; false: it is damaged. Unwinds it, and reads the names of
  // new Python code: 20 us for 15 frames.
  bool Add(std::span<const std::byte> record);
  // Picks up libraries that were loaded meanwhile.
  void Refresh();
  // Reads the symbols of new frames: before the process ends, if possible.
  void ReadNames();

  // By a stack's id; empty: unknown.
  Frames FramesOf(std::uint64_t id) const;
  // The name of a function at an address, such as a kernel's stub; empty: none.
  std::string NameAt(std::uint64_t address);
  const StackBookCounts& counts() const { return counts_; }

 private:
  struct Stack {
    std::vector<std::uint64_t> native;  // innermost first; addresses whose names are needed
    std::vector<StackFrame> python;     // innermost first
    bool native_is_cut = false;
    bool python_is_cut = false;
  };

  void Walk(const StackRecord& record, std::span<std::byte> bytes, Stack& stack);
  void ReadPython(const StackRecord& record, Stack& stack);
  bool IsAlive() const;

  const pid_t pid_;
  const std::int64_t pid_inside_;
  // The process whose root folder is used after the sampled process has ended: this one, if both
  // see the same files.
  const pid_t files_of_;
  cpu_profile::ProcessRules rules_;
  std::vector<cpu_profile::Mapping> maps_;
  cpu_profile::ProcessMemory memory_;
  cpu_profile::StackTree tree_;
  std::optional<cpu_profile::PythonReader> python_;
  std::unordered_map<std::uint64_t, Stack> stacks_;
  struct Named {
    std::string function, file;
  };
  std::unordered_map<std::uint64_t, Named> names_;
  std::vector<std::uint64_t> unnamed_;
  StackBookCounts counts_;
};

}  // namespace rankscope::snoop
