#include "engine/discover.h"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "engine/ascend_folder.h"
#include "engine/xla_folder.h"
#include "formats/base/head.h"
#include "formats/et/reader.h"
#include "formats/format.h"
#include "telemetry/telemetry.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

bool HasEnding(std::string_view name, std::string_view ending) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  return name.ends_with(ending);
}

bool LooksLikeTrace(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.starts_with('.') || name == "truth.json" || IsBesideAscendTrace(path) ||
      IsBesideXplane(path))
    return false;
  static const std::vector<std::string_view> kEndings = TraceEndings();
  return std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return HasEnding(name, ending); });
}

// "no .json, .sqlite or .xplane.pb file (.gz, .zst)".
std::string NoTrace() {
  const std::vector<std::string_view> endings = TraceEndings();
  return fmt::format("no {} or {} file (.gz, .zst)",
                     fmt::join(endings.begin(), endings.end() - 1, ", "), endings.back());
}

bool IsVisible(const fs::path& path) { return !path.filename().string().starts_with('.'); }

using IsWanted = bool (*)(const fs::path&);

using FileId = std::pair<dev_t, ino_t>;

std::optional<FileId> IdOf(const fs::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileId(info.st_dev, info.st_ino);
}

// What lies in one folder; folders in it go to `below`.
Status ListFolder(const fs::path& folder, IsWanted is_wanted, FoundFiles& found,
                  std::vector<fs::path>& below) {
  std::error_code error;
  auto entry = fs::directory_iterator(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    const fs::path& path = entry->path();
    if (entry->is_directory(ignored)) {
      if (IsVisible(path)) below.push_back(path);
    } else if (!entry->is_regular_file(ignored)) {
      continue;
    } else if (is_wanted(path)) {
      found.paths.push_back(path.string());
    } else if (found.snapshot.empty() && HasEnding(path.filename().string(), ".pickle")) {
      found.snapshot = path.string();
    }
  }
  if (!error) return OkStatus();
  return Error(StatusCode::kIo, "{}: cannot list the folder: {}", folder.string(), error.message());
}

Status AddFolder(const std::string& named, IsWanted is_wanted, FoundFiles& found) {
  std::vector<fs::path> waiting;
  RS_RETURN_IF_ERROR(ListFolder(named, is_wanted, found, waiting));
  std::set<FileId> seen;  // links may lead in circles
  while (!waiting.empty()) {
    const fs::path folder = std::move(waiting.back());
    waiting.pop_back();
    const auto id = IdOf(folder);
    if (id && !seen.insert(*id).second) continue;
    if (Status status = ListFolder(folder, is_wanted, found, waiting); !status.ok())
      found.unlisted.emplace_back(folder.string(), std::move(status));
  }
  return OkStatus();
}

Status AddGlob(const std::string& pattern, IsWanted is_wanted, FoundFiles& found) {
  glob_t matches{};
  std::vector<std::string> matching;
  const int result = glob(pattern.c_str(), GLOB_TILDE, nullptr, &matches);
  for (std::size_t i = 0; result == 0 && i < matches.gl_pathc; ++i) {
    matching.emplace_back(matches.gl_pathv[i]);
  }
  globfree(&matches);
  if (result == GLOB_NOMATCH)
    return Error(StatusCode::kNotFound, "{}: no file matches the pattern", pattern);
  if (result != 0) return Error(StatusCode::kIo, "{}: cannot expand the pattern", pattern);
  for (const std::string& path : matching) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      RS_RETURN_IF_ERROR(AddFolder(path, is_wanted, found));
    } else {
      found.paths.push_back(path);
    }
  }
  return OkStatus();
}

// One path per file, however it was named.
void RemoveDuplicates(std::vector<std::string>& files) {
  std::sort(files.begin(), files.end());
  std::set<FileId> seen;
  std::erase_if(files, [&](const std::string& path) {
    const auto id = IdOf(path);
    return id && !seen.insert(*id).second;
  });
}

// `none` says what there is none of.
Result<FoundFiles> Find(const std::vector<std::string>& paths, IsWanted is_wanted,
                        std::string_view none) {
  FoundFiles found;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      const std::size_t before = found.paths.size();
      const std::size_t unlisted = found.unlisted.size();
      RS_RETURN_IF_ERROR(AddFolder(path, is_wanted, found));
      if (found.paths.size() > before) continue;
      if (found.unlisted.size() > unlisted) return found.unlisted.back().second;
      return Error(
          StatusCode::kNotFound, "{}: {} below this folder{}", path, none,
          found.snapshot.empty()
              ? ""
              : fmt::format("; a memory snapshot is there: rankscope memory {}", found.snapshot));
    }
    if (fs::exists(path, error)) {
      found.paths.push_back(path);
    } else if (path.find_first_of("*?[") != std::string::npos) {
      RS_RETURN_IF_ERROR(AddGlob(path, is_wanted, found));
    } else {
      return Error(StatusCode::kNotFound, "{}: no such file or folder", path);
    }
  }
  RemoveDuplicates(found.paths);
  std::sort(found.unlisted.begin(), found.unlisted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  if (found.paths.empty()) return Error(StatusCode::kNotFound, "{}: {} there", paths.front(), none);
  return found;
}

struct ExecutionFile {
  std::string file;
  std::optional<std::int64_t> pid;
};

// The processes of the first events of a trace; none of what is no trace of Kineto's.
std::set<std::int64_t> ProcessesOf(const std::string& file) {
  constexpr std::size_t kLooked = std::size_t{1} << 20;
  constexpr std::string_view kKey = "\"pid\":";
  std::set<std::int64_t> processes;
  const auto source = OpenByteSource(file);
  if (!source.ok() || !CheckIsKineto(file).ok()) return processes;
  std::string text(kLooked, '\0');
  std::size_t size = 0;
  while (const std::size_t read = (*source)->Read(text.data() + size, text.size() - size)) {
    size += read;
    if (size == text.size()) break;
  }
  const std::string_view looked(text.data(), size);
  for (std::size_t at = looked.find(kKey); at != std::string_view::npos;
       at = looked.find(kKey, at + 1)) {
    std::string_view value = looked.substr(at + kKey.size(), 32);
    value.remove_prefix(std::min(value.size(), value.find_first_not_of(" \"")));
    std::int64_t process = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), process);
    if (error == std::errc() && end != value.data() + value.size()) processes.insert(process);
  }
  return processes;
}

// "rank03_et.json" -> {3}.
std::vector<std::string> NumbersOf(const std::string& file) {
  std::vector<std::string> numbers;
  bool in_number = false;
  for (const char c : fs::path(file).filename().string()) {
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit && !in_number) numbers.emplace_back();
    if (is_digit) {
      if (numbers.back() == "0") numbers.back().clear();
      numbers.back() += c;
    }
    in_number = is_digit;
  }
  return numbers;
}

// The one among `traces` that it belongs to, if one can be told.
TraceInput* TraceOf(const ExecutionFile& execution, std::vector<TraceInput>& traces,
                    const std::vector<std::set<std::int64_t>>& processes) {
  if (!execution.pid) return nullptr;
  const auto folder_of = [](const std::string& file) { return fs::path(file).parent_path(); };
  std::vector<TraceInput*> found;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (traces[i].execution_trace.empty() && processes[i].contains(*execution.pid))
      found.push_back(&traces[i]);
  }
  const auto prefer = [&](const auto& is_preferred) {
    if (found.size() > 1 && std::any_of(found.begin(), found.end(), is_preferred))
      std::erase_if(found, [&](const TraceInput* trace) { return !is_preferred(trace); });
  };
  prefer(
      [&](const TraceInput* trace) { return folder_of(trace->file) == folder_of(execution.file); });
  prefer(
      [&](const TraceInput* trace) { return NumbersOf(trace->file) == NumbersOf(execution.file); });
  return found.size() == 1 ? found[0] : nullptr;
}

}  // namespace

std::vector<TraceInput> TracesIn(const std::vector<std::string>& files) {
  std::vector<TraceInput> traces;
  std::vector<ExecutionFile> executions;
  for (const std::string& file : files) {
    const std::string head = HeadOf(file);
    if (et::IsExecutionTrace(head)) {
      executions.push_back({file, et::PidOf(head)});
      continue;
    }
    const std::vector<std::string> parts = PartsOf(file, head);
    if (parts.empty()) {
      traces.push_back(
          {.file = file, .name = file, .rank = RankBesideAscendTrace(file).value_or(-1)});
      continue;
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
      traces.push_back({.file = file,
                        .part = static_cast<int>(part),
                        .parts = static_cast<int>(parts.size()),
                        .name = file + "/" + parts[part]});
    }
  }
  if (executions.empty()) return traces;
  std::vector<std::set<std::int64_t>> processes;
  processes.reserve(traces.size());
  for (const TraceInput& trace : traces) {
    processes.push_back(trace.part == kWholeFile ? ProcessesOf(trace.file)
                                                 : std::set<std::int64_t>());
  }
  for (const ExecutionFile& execution : executions) {
    if (TraceInput* const trace = TraceOf(execution, traces, processes)) {
      trace->execution_trace = execution.file;
    } else {
      traces.push_back({.file = execution.file, .name = execution.file});
    }
  }
  std::sort(traces.begin(), traces.end(), [](const TraceInput& a, const TraceInput& b) {
    return std::tie(a.file, a.part) < std::tie(b.file, b.part);
  });
  return traces;
}

Result<FoundFiles> FindTraceFiles(const std::vector<std::string>& paths) {
  const std::string none = NoTrace();
  RS_ASSIGN_OR_RETURN(FoundFiles found, Find(paths, LooksLikeTrace, none));
  const auto traces_end =
      std::stable_partition(found.paths.begin(), found.paths.end(), std::not_fn(IsBesideTraces));
  found.telemetry.assign(traces_end, found.paths.end());
  found.paths.erase(traces_end, found.paths.end());
  if (found.paths.empty())
    return Error(StatusCode::kNotFound,
                 "{}: {}, but for telemetry and windows of snoop, which lie beside traces",
                 paths.front(), none);
  return found;
}

std::vector<std::string> FindMemorySnapshots(const std::vector<std::string>& paths) {
  const auto is_snapshot = [](const fs::path& path) {
    const std::string name = path.filename().string();
    return IsVisible(path) && HasEnding(name, ".pickle");
  };
  FoundFiles found;
  for (const std::string& path : paths) {
    std::error_code error;
    // What cannot be listed is said by who looks for traces.
    if (fs::is_directory(path, error)) (void)AddFolder(path, is_snapshot, found);
  }
  RemoveDuplicates(found.paths);
  return found.paths;
}

Result<FoundFiles> FindFiles(const std::vector<std::string>& paths) {
  return Find(paths, IsVisible, "no file");
}

}  // namespace rankscope
