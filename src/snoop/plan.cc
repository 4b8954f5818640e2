#include "snoop/plan.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "cpu_profile/image/elf_file.h"
#include "cpu_profile/image/memory.h"
#include "cpu_profile/image/proc_text.h"
#include "cpu_profile/python/find_python.h"
#include "snoop/sites.h"

namespace rankscope::snoop {
namespace {

using cpu_profile::ElfFile;
using cpu_profile::Mapping;

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool IsWanted(const Call& call, const PlanOptions& options) {
  return call.is_of_memory() ? options.memory : options.launches;
}

class Planner {
 public:
  explicit Planner(const PlanOptions& options) : options_(options) {}

  void AddLibrary(const std::string& path, Level level) {
    const std::string file = cpu_profile::FileOfMapping(options_.pid, path);
    const std::size_t before = plan_.calls.size();
    if (level == Level::kAllocator) AddSites(file, path);
    const bool has_sites = plan_.calls.size() > before;
    const Result<ElfFile> elf = ElfFile::Open(file);
    if (!elf.ok()) {
      plan_.notes.push_back(fmt::format("{} cannot be read: {}", path, elf.status().message()));
      return;
    }
    // One function may have several names.
    std::set<std::uint64_t> seen;
    elf->ForEachFunction([&](std::string_view name, std::uint64_t address) {
      Call call;
      if (level == Level::kAllocator) {
        // Sites tell more, and of the same.
        if (has_sites || !IsAllocatorMethod(name, call)) return;
      } else {
        const Call* known = FindCall(level, name);
        if (known == nullptr) return;
        call = *known;
      }
      const auto offset = elf->OffsetOf(address);
      if (!offset || !IsWanted(call, options_) || !seen.insert(*offset).second) return;
      call.library = BaseName(path);
      Add(call, {.file = file, .offset = *offset});
    });
    if (plan_.calls.size() > before) {
      plan_.libraries.push_back(path);
    } else if (!is_program_) {
      plan_.notes.push_back(fmt::format(
          "{} exports none of the calls that are known: it was stripped of them", path));
    }
  }
  // The runtime may be linked into the program.
  void AddProgram(const std::string& path) {
    is_program_ = true;
    for (const Level level : {Level::kRuntime, Level::kHip}) AddLibrary(path, level);
    is_program_ = false;
  }

  Plan Take() { return std::move(plan_); }

 private:
  void AddSites(const std::string& file, const std::string& path) {
    for (const Site& site : SitesOf(file)) {
      Call call;
      if (!IsAllocatorSite(site, call) || !IsWanted(call, options_)) continue;
      call.library = BaseName(path);
      Add(call, {.file = file, .offset = site.offset, .semaphore = site.semaphore});
    }
  }
  void Add(const Call& call, Probe probe) {
    if (plan_.calls.size() >= kMostCalls) return;
    probe.call = static_cast<std::uint32_t>(plan_.calls.size());
    plan_.calls.push_back(call);
    // The return first: what is entered is then seen to return.
    if (call.returns()) {
      plan_.probes.push_back(probe);
      plan_.probes.back().at_return = true;
    }
    plan_.probes.push_back(probe);
  }

  const PlanOptions& options_;
  bool is_program_ = false;
  Plan plan_;
};

// "NSpid:\t812\t7": the last is the one by which the process knows itself.
std::uint32_t PidInside(pid_t pid) {
  const std::string status =
      cpu_profile::ReadProcText(fmt::format("/proc/{}/status", pid), 64 << 10);
  const std::size_t at = status.find("\nNSpid:");
  if (at == std::string::npos) return static_cast<std::uint32_t>(pid);
  const std::string_view line =
      std::string_view(status).substr(at + 7, status.find('\n', at + 1) - at - 7);
  const std::string_view last = line.substr(line.find_last_of(" \t") + 1);
  std::uint32_t inside = static_cast<std::uint32_t>(pid);
  std::from_chars(last.data(), last.data() + last.size(), inside);
  return inside;
}

PythonAt ForProbes(const cpu_profile::PythonPlace& place) {
  const cpu_profile::PythonLayout& layout = place.layout;
  PythonAt at{};
  at.runtime = place.runtime;
  at.interpreters = layout.interpreters;
  at.next_interpreter = layout.next_interpreter;
  at.threads = layout.threads;
  at.next_thread = layout.next_thread;
  at.native_id = layout.native_id;
  at.current_frame = layout.current_frame;
  at.frame_in_c_frame = layout.frame_in_c_frame;
  at.previous_frame = layout.previous_frame;
  at.code = layout.code;
  at.instruction = layout.instruction;
  at.owner = layout.owner;
  at.has_python = 1;
  at.has_c_frame = layout.has_c_frame ? 1 : 0;
  return at;
}

void SetConfig(const PlanOptions& options, const std::vector<Mapping>& maps, Plan& plan) {
  plan.config.process = PidInside(options.pid);
  plan.config.most_per_second = options.most_per_second;
  plan.config.takes_stacks = options.stacks ? 1 : 0;
  struct stat name_space {};
  if (stat(fmt::format("/proc/{}/ns/pid", options.pid).c_str(), &name_space) == 0) {
    plan.config.namespace_device = name_space.st_dev;
    plan.config.namespace_inode = name_space.st_ino;
  }
  std::ranges::copy(CodeRangesOf(maps), plan.config.code);
  if (!options.stacks) return;
  cpu_profile::ProcessMemory memory(options.pid);
  const Result<cpu_profile::PythonPlace> python =
      cpu_profile::FindPython(options.pid, maps, memory);
  if (python.ok()) {
    plan.python = *python;
    plan.config.python = ForProbes(*python);
  } else if (python.status().message().find("runs no Python") == std::string::npos) {
    plan.notes.push_back("stacks have no Python frames: " + python.status().message());
  }
}

}  // namespace

Result<std::vector<Mapping>> MapsOf(pid_t pid) {
  const std::string text = cpu_profile::ReadProcText(fmt::format("/proc/{}/maps", pid), 16 << 20);
  if (text.empty()) {
    struct stat folder {};
    if (stat(fmt::format("/proc/{}", pid).c_str(), &folder) != 0)
      return Error(StatusCode::kNotFound,
                   "there is no process {}: ps -e lists those that run, by their numbers on this "
                   "host and not in a container",
                   pid);
    return Error(StatusCode::kIo,
                 "the memory map of process {} cannot be read: it is another user's, for which "
                 "snoop needs CAP_SYS_PTRACE or root, or it has ended",
                 pid);
  }
  return cpu_profile::ParseMaps(text);
}

std::optional<Level> LevelOf(std::string_view file_name) {
  const auto is = [&](std::string_view name) { return file_name.starts_with(name); };
  // PyTorch's wheels name it libcudart-d0da41ae.so.11.0.
  if (is("libcudart")) return Level::kRuntime;
  if (is("libamdhip64")) return Level::kHip;
  if (is("libcuda.so")) return Level::kDriver;
  if (is("libc10_cuda") || is("libc10_hip")) return Level::kAllocator;
  return std::nullopt;
}

std::vector<std::string> NewLibraries(const std::vector<Mapping>& maps,
                                      std::set<std::string>& known) {
  std::vector<std::string> found;
  for (const Mapping& one : maps) {
    if (LevelOf(BaseName(one.path)) && known.insert(one.path).second) found.push_back(one.path);
  }
  return found;
}

std::vector<CodeRange> CodeRangesOf(const std::vector<Mapping>& maps) {
  std::vector<CodeRange> ranges;
  for (const Mapping& one : maps) {
    if (!one.is_code || !one.path.starts_with('/')) continue;
    ranges.push_back({one.begin, one.end - one.begin});
  }
  const auto gap_behind = [&](std::size_t i) {
    return ranges[i + 1].begin - (ranges[i].begin + ranges[i].bytes);
  };
  while (ranges.size() > kMostCodeRanges) {
    std::size_t smallest = 0;
    for (std::size_t i = 1; i + 1 < ranges.size(); ++i) {
      if (gap_behind(i) < gap_behind(smallest)) smallest = i;
    }
    const CodeRange& next = ranges[smallest + 1];
    ranges[smallest].bytes = next.begin + next.bytes - ranges[smallest].begin;
    ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(smallest) + 1);
  }
  return ranges;
}

Result<Plan> PlanForStacks(const PlanOptions& options) {
  RS_ASSIGN_OR_RETURN(const std::vector<Mapping> maps, MapsOf(options.pid));
  Plan plan;
  SetConfig(options, maps, plan);
  return plan;
}

Result<Plan> PlanFor(const PlanOptions& options) {
  RS_ASSIGN_OR_RETURN(const std::vector<Mapping> maps, MapsOf(options.pid));
  Planner planner(options);
  std::set<std::string> looked_at;
  for (const std::string& path : NewLibraries(maps, looked_at))
    planner.AddLibrary(path, *LevelOf(BaseName(path)));
  const std::string program = cpu_profile::ProgramOf(options.pid);
  if (!program.empty() && !looked_at.contains(program)) planner.AddProgram(program);
  Plan plan = planner.Take();
  plan.looked_at = std::move(looked_at);
  if (plan.calls.empty()) {
    std::string why = "it has mapped none of libcudart, libcuda, libamdhip64 and libc10_cuda (yet)";
    if (!plan.notes.empty()) why = fmt::format("{}", fmt::join(plan.notes, "; "));
    return Error(StatusCode::kNotFound, "process {} calls no accelerator that snoop knows: {}",
                 options.pid, why);
  }
  SetConfig(options, maps, plan);
  return plan;
}

}  // namespace rankscope::snoop
