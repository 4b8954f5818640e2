// StackBook: stacks by their numbers: native frames walked from copies of the stack, Python's from
// what the probe read of the interpreter, names of both.
//
// A stack is one line of frames: where native code was called by Python, the innermost native
// frames stand behind Python's, and the interpreter's own are left out. Native frames between two
// of Python's are not shown.
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
  std::string file;       // of Python its source, of native code its library; empty: not known
  std::int32_t line = 0;  // 0: not known, as of all native code
  bool is_python = false;
};

// "train (train.py:12)", "at::empty (libtorch.so)".
std::string ToText(const StackFrame& frame);

struct StackBookCounts {
  std::uint64_t stacks = 0;      // that were seen, by number
  std::uint64_t cut = 0;         // whose outermost frames are missing
  std::uint64_t no_names = 0;    // Python frames whose code was gone when its name was read
  std::uint64_t unreadable = 0;  // whose Python frames could not be read
};

// Outermost first.
using Frames = std::vector<StackFrame>;

class StackBook {
 public:
  StackBook(pid_t pid, std::int64_t pid_inside,
            const std::optional<cpu_profile::PythonPlace>& python);

  // A record of the ring `stacks`; false: it is damaged. Walks it, and reads names of Python's
  // code that is new: 20 us for 15 frames.
  bool Add(std::span<const std::byte> record);
  // Libraries that were loaded meanwhile are known from here on.
  void Refresh();
  // Reads symbols of what is new: before the process ends, if it can be told.
  void ReadNames();

  // By the number of a stack; empty: it is not known.
  Frames FramesOf(std::uint64_t id) const;
  // The name of a function at an address, as of a kernel's stub; empty: none.
  std::string NameAt(std::uint64_t address);
  const StackBookCounts& counts() const { return counts_; }

 private:
  struct Stack {
    std::vector<std::uint64_t> native;  // innermost first, addresses to name
    std::vector<StackFrame> python;     // innermost first
    bool native_is_cut = false;
    bool python_is_cut = false;
  };

  void Walk(const StackRecord& record, std::span<std::byte> bytes, Stack& stack);
  void ReadPython(const StackRecord& record, Stack& stack);
  bool IsAlive() const;

  const pid_t pid_;
  const std::int64_t pid_inside_;
  // Whose root is that of the process, though it ended: this one's, where both see the same files.
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
