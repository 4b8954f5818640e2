#include "agent/captures/process_info.h"

#include <unistd.h>

#include <array>
#include <charconv>

#include "agent/base/fields.h"
#include "agent/base/process_file.h"
#include "agent/base/small_file.h"

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostEnvironment = std::size_t{1} << 20;

std::string Folder(const std::string& root, pid_t pid) {
  return root + "/proc/" + std::to_string(pid);
}

// The words of /proc/PID/stat behind the command, which may hold blanks and parentheses itself:
// "4711 (python (a)) S 1 ...".
std::string StatOf(const std::string& root, pid_t pid) {
  if (pid <= 0) return {};
  const Result<std::string> stat = ReadSmallFile(Folder(root, pid) + "/stat");
  if (!stat.ok()) return {};
  const std::size_t end = stat->rfind(')');
  return end != std::string::npos && end + 2 < stat->size() ? stat->substr(end + 2) : "";
}

using Variables = std::map<std::string, std::string, std::less<>>;

std::string First(const Variables& variables, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = variables.find(name);
    if (found != variables.end() && !found->second.empty()) return found->second;
  }
  return {};
}

std::optional<std::int64_t> Number(const Variables& variables,
                                   std::initializer_list<std::string_view> names) {
  const std::string text = First(variables, names);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

Variables ParseEnvironment(std::string_view bytes) {
  Variables variables;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    const std::string_view one = bytes.substr(0, end);
    bytes = end == std::string_view::npos ? "" : bytes.substr(end + 1);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    variables.emplace(std::string(one.substr(0, equals)), std::string(one.substr(equals + 1)));
  }
  return variables;
}

CgroupPlace ReadPlace(const std::string& root, pid_t pid) {
  const auto cgroup = ReadSmallFile(Folder(root, pid) + "/cgroup");
  return cgroup.ok() ? PlaceIn(*cgroup) : CgroupPlace();
}

ProcessInfo ReadProcessInfo(const std::string& root, pid_t pid) {
  ProcessInfo info;
  info.pid = pid;
  info.start_ticks = StartTicksOf(root, pid);
  const std::string folder = Folder(root, pid);
  if (const auto command = ReadSmallFile(folder + "/comm"); command.ok()) {
    info.is_known = true;
    info.command = command->substr(0, command->find('\n'));
  }
  info.placed.place = ReadPlace(root, pid);
  const auto environment = ReadProcessFile(root, pid, "environ", kMostEnvironment);
  if (!environment.ok()) return info;
  const Variables variables = ParseEnvironment(*environment);
  info.user = First(variables, {"USER", "LOGNAME"});
  info.job_id = First(variables, {"SLURM_JOB_ID", "TORCHELASTIC_RUN_ID"});
  info.job_name = First(variables, {"SLURM_JOB_NAME", "RANKSCOPE_JOB", "POD_NAME"});
  info.rank = Number(variables, {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"});
  info.local_rank =
      Number(variables, {"LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK"});
  info.world_size =
      Number(variables, {"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
  info.trace_folder = First(variables, {"KINETO_ONDEMAND_TRACE_DIR"});
  return info;
}

std::string RootOfProcesses(const std::string& root) {
  return access((root + "/proc/self/status").c_str(), F_OK) == 0 ? root : "";
}

bool IsAlive(const std::string& root, pid_t pid) {
  const std::string stat = StatOf(root, pid);
  // Z: ended, and its parent has not looked yet.
  return !stat.empty() && stat.front() != 'Z' && stat.front() != 'X';
}

std::uint64_t StartTicksOf(const std::string& root, pid_t pid) {
  constexpr std::size_t kBehindState = 19;
  const std::string stat = StatOf(root, pid);
  const std::vector<std::string_view> words = Words(stat);
  std::uint64_t ticks = 0;
  if (words.size() > kBehindState) {
    const std::string_view word = words[kBehindState];
    std::from_chars(word.data(), word.data() + word.size(), ticks);
  }
  return ticks;
}

}  // namespace rankscope::agent
