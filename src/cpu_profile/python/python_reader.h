// PythonReader: the stacks of Python threads, read from the interpreter's state while it runs.
//
// _PyRuntime -> interpreters -> threads -> frames -> code objects -> names and lines. Nothing is
// stopped or locked, so a stack may be torn: every pointer, length and loop is checked, and an
// inconsistent stack is dropped and counted. A malicious process only spoils its own samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "cpu_profile/image/memory.h"
#include "cpu_profile/python/line_table.h"
#include "cpu_profile/python/python_layout.h"
#include "cpu_profile/samples/profile.h"

namespace rankscope::cpu_profile {

// Address of a process's interpreter.
struct PythonPlace {
  PythonLayout layout;
  std::uint64_t runtime = 0;    // _PyRuntime
  std::uint64_t code_type = 0;  // PyCode_Type; 0: unknown, not checked
};

struct PythonThread {
  std::int64_t native_id = 0;
  Node stack = kNoFrames;
  bool holds_lock = false;
};

class PythonReader {
 public:
  // Both must outlive it.
  PythonReader(Memory& memory, StackTree& stacks, const PythonPlace& place)
      : memory_(memory), stacks_(stacks), place_(place) {}

  // The current stacks of all threads that run Python. False: even the list of threads was
  // unreadable. One system call per page read.
  bool Read(std::vector<PythonThread>& threads);
  // Names a frame whose code object and instruction were read elsewhere; nullopt: that code object
  // does not exist any more.
  struct NamedFrame {
    std::uint32_t function = 0;  // id in the tree of stacks
    std::int32_t line = 0;
  };
  std::optional<NamedFrame> NameOf(std::uint64_t code, std::uint64_t instruction);
  // Stacks that could not be read.
  std::uint64_t torn() const { return torn_; }

 private:
  static constexpr std::size_t kMostThreads = 2000;
  static constexpr std::size_t kMostInterpreters = 100;
  static constexpr std::size_t kMostFrames = 1000;
  static constexpr std::size_t kMostCodes = 20'000;
  static constexpr std::size_t kMostLineBytes = 64 << 10;
  // A code object is checked again after this many samples: its address may hold another one by
  // then.
  static constexpr std::uint64_t kTrusted = 16;

  struct Code {
    std::uint64_t file_name = 0, qualified_name = 0, line_table = 0;
    std::int32_t first_line = 0;
    std::uint32_t function = 0;
    std::uint64_t checked_at = 0;
    std::vector<LineRange> lines;
  };
  struct FrameAt {
    const Code* code;
    std::int32_t line;
  };

  std::uint64_t LockHolder(std::uint64_t interpreter);
  std::optional<Node> StackOf(std::uint64_t thread);
  const Code* CodeAt(std::uint64_t address);
  std::optional<std::string> TextAt(std::uint64_t address);

  Memory& memory_;
  StackTree& stacks_;
  const PythonPlace place_;
  std::uint64_t samples_ = 0;
  std::uint64_t torn_ = 0;
  std::unordered_map<std::uint64_t, Code> codes_;
};

}  // namespace rankscope::cpu_profile
