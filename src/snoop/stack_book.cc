#include "snoop/stack_book.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cpu_profile/image/proc_text.h"
#include "cpu_profile/native/stack_walk.h"
#include "cpu_profile/native/symbols.h"

namespace rankscope::snoop {
namespace {

constexpr std::string_view kEvaluates = "_PyEval_EvalFrameDefault";

// Whether two processes see the same files by the same paths.
bool SeesTheSameFiles(pid_t a, pid_t b) {
  for (const std::string_view what : {"ns/mnt", "root"}) {
    struct stat of_a {
    }, of_b{};
    if (stat(fmt::format("/proc/{}/{}", a, what).c_str(), &of_a) != 0 ||
        stat(fmt::format("/proc/{}/{}", b, what).c_str(), &of_b) != 0 ||
        of_a.st_ino != of_b.st_ino || of_a.st_dev != of_b.st_dev)
      return false;
  }
  return true;
}

}  // namespace

std::string ToText(const StackFrame& frame) {
  if (frame.file.empty()) return frame.function;
  const std::string_view file =
      std::string_view(frame.file).substr(frame.file.find_last_of('/') + 1);
  if (frame.line == 0) return fmt::format("{} ({})", frame.function, file);
  return fmt::format("{} ({}:{})", frame.function, file, frame.line);
}

StackBook::StackBook(pid_t pid, std::int64_t pid_inside,
                     const std::optional<cpu_profile::PythonPlace>& python)
    : pid_(pid),
      pid_inside_(pid_inside),
      files_of_(SeesTheSameFiles(pid, getpid()) ? getpid() : pid),
      rules_(files_of_),
      memory_(pid) {
  if (python) python_.emplace(memory_, tree_, *python);
  Refresh();
}

bool StackBook::IsAlive() const { return kill(pid_, 0) == 0 || errno == EPERM; }

void StackBook::Refresh() {
  std::vector<cpu_profile::Mapping> maps = cpu_profile::ParseMaps(
      cpu_profile::ReadProcText(fmt::format("/proc/{}/maps", pid_), 16 << 20));
  // Of a process that ended the last ones hold.
  if (maps.empty()) return;
  maps_ = std::move(maps);
  rules_.Use(maps_);
}

bool StackBook::Add(std::span<const std::byte> record) {
  constexpr std::size_t kHead = sizeof(StackRecord) - kStackBytes;
  if (record.size() < kHead || record.size() > sizeof(StackRecord)) return false;
  const auto whole = std::make_unique<StackRecord>();
  std::memcpy(static_cast<void*>(whole.get()), record.data(), record.size());
  if (whole->stack_bytes > record.size() - kHead || whole->python_count > kMostPythonFrames)
    return false;
  Stack stack;
  Walk(*whole, std::as_writable_bytes(std::span(whole->bytes, whole->stack_bytes)), stack);
  ReadPython(*whole, stack);
  ++counts_.stacks;
  if (stack.native_is_cut || stack.python_is_cut) ++counts_.cut;
  for (const std::uint64_t address : stack.native) {
    if (!names_.contains(address)) unnamed_.push_back(address);
  }
  stacks_[whole->id] = std::move(stack);
  return true;
}

void StackBook::Walk(const StackRecord& record, std::span<std::byte> bytes, Stack& stack) {
  const std::uint64_t begin = record.registers[cpu_profile::kStackPointer];
  for (const auto& [at, was] : record.replaced) {
    if (at >= begin && at - begin + sizeof(was) <= bytes.size())
      std::memcpy(bytes.data() + (at - begin), &was, sizeof(was));
  }
  cpu_profile::Registers registers;
  for (int i = 0; i < cpu_profile::kRegisters; ++i) registers.Set(i, record.registers[i]);
  const cpu_profile::WalkEnd end =
      WalkStack(registers, {.begin = begin, .bytes = bytes}, rules_, stack.native);
  stack.native_is_cut = end == cpu_profile::WalkEnd::kCut;
  // An address behind a call may be the next function's.
  for (std::size_t i = 1; i < stack.native.size(); ++i) --stack.native[i];
}

void StackBook::ReadPython(const StackRecord& record, Stack& stack) {
  stack.python_is_cut = record.python_state == kPythonCut;
  if (record.python_state == kPythonUnreadable) ++counts_.unreadable;
  if (!python_) return;
  for (std::uint32_t i = 0; i < record.python_count; ++i) {
    const auto named = python_->NameOf(record.python[i].code, record.python[i].instruction);
    StackFrame frame{
        .function = "(Python code that is gone)", .file = "", .line = 0, .is_python = true};
    if (named) {
      const cpu_profile::Function& function = tree_.function(named->function);
      frame.function = function.name;
      frame.file = function.file;
      frame.line = named->line;
    } else {
      ++counts_.no_names;
    }
    stack.python.push_back(std::move(frame));
  }
}

void StackBook::ReadNames() {
  if (unnamed_.empty()) return;
  if (IsAlive()) Refresh();
  for (const auto& [address, name] :
       cpu_profile::NamesOf(files_of_, pid_inside_, maps_, std::move(unnamed_)))
    names_[address] = {name.function, name.file};
  unnamed_.clear();
}

std::string StackBook::NameAt(std::uint64_t address) {
  const cpu_profile::Mapping* mapping = cpu_profile::FindMapping(maps_, address);
  if (mapping == nullptr || !mapping->is_code) return "";
  if (!names_.contains(address)) {
    unnamed_.push_back(address);
    ReadNames();
  }
  const auto found = names_.find(address);
  return found == names_.end() ? "" : found->second.function;
}

Frames StackBook::FramesOf(std::uint64_t id) const {
  Frames frames;
  const auto found = stacks_.find(id);
  if (found == stacks_.end()) return frames;
  const Stack& stack = found->second;
  std::vector<StackFrame> native;
  bool reached_python = false;
  for (const std::uint64_t address : stack.native) {
    const auto name = names_.find(address);
    if (name == names_.end()) continue;
    if (!stack.python.empty() && name->second.function.starts_with(kEvaluates)) {
      reached_python = true;
      break;
    }
    native.push_back({name->second.function, name->second.file, 0, false});
  }
  if (stack.python_is_cut) frames.push_back({"(outer Python frames)", "", 0, true});
  frames.insert(frames.end(), stack.python.rbegin(), stack.python.rend());
  if (stack.native_is_cut && !reached_python)
    frames.push_back({"(outer native frames)", "", 0, false});
  frames.insert(frames.end(), native.rbegin(), native.rend());
  return frames;
}

}  // namespace rankscope::snoop
