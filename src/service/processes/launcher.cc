#include "service/processes/launcher.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "json/reader.h"
#include "service/processes/child.h"

extern char** environ;

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSaid = 2000;
// What it may print; more is no hand-over.
constexpr std::uint64_t kMostPrinted = std::uint64_t{16} << 20;
constexpr std::chrono::milliseconds kLauncherLookAround{100};
constexpr std::int64_t kMostTime_s = 3600;

Result<LauncherConfig> ParseLauncher(std::string_view text) {
  RS_ASSIGN_OR_RETURN(const json::Reader reader,
                      json::Reader::Parse(text, StatusCode::kInvalidArgument));
  LauncherConfig config;
  RS_ASSIGN_OR_RETURN(const auto members, reader.root().NeedMembers());
  for (const json::Member& member : members) {
    if (member.name == "argv") {
      RS_ASSIGN_OR_RETURN(const auto words, member.value.NeedItems());
      for (const json::Value& word : words) {
        RS_ASSIGN_OR_RETURN(const std::string_view one, word.NeedText());
        config.argv.emplace_back(one);
      }
    } else if (member.name == "time_s") {
      RS_ASSIGN_OR_RETURN(const std::int64_t seconds, member.value.NeedInteger(1, kMostTime_s));
      config.time = std::chrono::seconds(seconds);
    } else {
      return member.value.Wrong("is not known; argv and time_s are");
    }
  }
  if (config.argv.empty() || config.argv.front().empty())
    return Error(StatusCode::kInvalidArgument, "argv is to be a list that begins with a program");
  return config;
}

// The path of a program, as a shell finds it. "" when there is none.
std::string FindProgram(const std::string& name) {
  if (name.find('/') != name.npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/bin:/bin" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    std::string found = fmt::format("{}/{}", folder, name);
    if (!folder.empty() && access(found.c_str(), X_OK) == 0) return found;
  }
  return "";
}

std::uint64_t BytesOf(const std::string& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  return error ? 0 : bytes;
}

// The end of what it printed, without what lies before.
std::string LastOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::uint64_t bytes = BytesOf(path);
  if (bytes > kMostSaid) file.seekg(static_cast<std::streamoff>(bytes - kMostSaid));
  std::string text(std::min<std::uint64_t>(bytes, kMostSaid), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// Why it was ended before it ended; "": it ended by itself.
std::string WaitForEnd(const Child& child, const ChildCommand& command, std::chrono::seconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (!child.WaitFor(kLauncherLookAround)) {
    if (BytesOf(command.output_file) + BytesOf(command.error_file) > kMostPrinted)
      return fmt::format("printed more than {} MB", kMostPrinted >> 20U);
    if (std::chrono::steady_clock::now() >= until)
      return fmt::format("took longer than its {} s", time.count());
  }
  return "";
}

// Removed at its end.
struct Folder {
  explicit Folder(std::string its_path) : path(std::move(its_path)) {
    std::error_code error;
    fs::create_directories(path, error);
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string path;
};

}  // namespace

Result<LauncherConfig> ReadLauncher(const std::string& path) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  auto config = ParseLauncher(text);
  if (!config.ok())
    return Error(StatusCode::kInvalidArgument, "{}: {}", path, config.status().message());
  config->argv.front() = FindProgram(config->argv.front());
  if (config->argv.front().empty())
    return Error(StatusCode::kInvalidArgument, "{}: argv[0] is no program that can be run", path);
  return config;
}

Result<std::string> Launch(const LauncherConfig& config, const LaunchOrder& order,
                           const std::string& folder) {
  const Folder own(folder);
  ChildCommand command{.words = config.argv,
                       .folder = own.path,
                       .output_file = own.path + "/output",
                       .error_file = own.path + "/errors",
                       .nice = 0};
  for (std::string& word : command.words) {
    if (word == "{run}") {
      word = order.run;
    } else if (word == "{finding}") {
      word = order.finding;
    } else if (word == "{slo}") {
      word = order.slo;
    }
  }
  for (char** variable = environ; *variable != nullptr; ++variable)
    command.variables.emplace_back(*variable);
  for (const auto& [name, value] :
       {std::pair("RANKSCOPE_RUN", order.run), std::pair("RANKSCOPE_FINDING", order.finding),
        std::pair("RANKSCOPE_SLO", order.slo), std::pair("RANKSCOPE_USER", order.who)})
    command.variables.push_back(fmt::format("{}={}", name, value));
  RS_ASSIGN_OR_RETURN(const auto child, Child::Start(command));
  const std::string too_much = WaitForEnd(*child, command, config.time);
  if (!too_much.empty()) child->Kill();
  const ChildEnd end = child->End();
  const std::string said = LastOf(command.output_file);
  const std::string complained = LastOf(command.error_file);
  if (!too_much.empty())
    return Error(StatusCode::kBadData, "the launcher {} and was ended: {}", too_much,
                 complained.empty() ? said : complained);
  if (!end.ok())
    return Error(StatusCode::kBadData, "the launcher failed, {}: {}", Describe(end),
                 complained.empty() ? said : complained);
  return said;
}

}  // namespace rankscope::service
