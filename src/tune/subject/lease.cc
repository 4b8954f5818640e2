#include "tune/subject/lease.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "base/durable.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/process.h"

namespace rankscope::tune {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPermissions = 07777;

std::string LeasePath(const std::string& folder) { return folder + "/lease.json"; }
std::string OldPath(const std::string& folder) { return folder + "/old-settings"; }

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Whole, durable, and with the rights of the file that was there.
Status PutFile(const Lease& lease, const std::string& content) {
  const std::string beside = fs::path(lease.file).parent_path().string();
  RS_ASSIGN_OR_RETURN(const auto file, PendingFile::Create(beside));
  RS_RETURN_IF_ERROR(file->Write(content));
  if (lease.had_file)
    RS_RETURN_IF_ERROR(file->SetRights(static_cast<mode_t>(lease.mode),
                                       static_cast<uid_t>(lease.user),
                                       static_cast<gid_t>(lease.group)));
  return file->MoveTo(lease.file);
}

std::string ApplyingPath(const std::string& folder) { return folder + "/applying"; }

// When a process began, in ticks since the machine did, so that a number is not taken for another
// process; "" there is none.
std::string BeginOf(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string stat;
  std::getline(file, stat);
  // Behind the name, which may hold anything, the 20th word.
  const std::size_t name = stat.rfind(')');
  if (name == std::string::npos) return "";
  std::istringstream words(stat.substr(name + 1));
  std::string word;
  for (int i = 0; i < 20; ++i) words >> word;
  return word;
}

Status NoteApplying(const std::string& folder, pid_t process) {
  return WriteFileAtomically(ApplyingPath(folder),
                             fmt::format("{} {}\n", process, BeginOf(process)));
}

// What runs on when the guard was killed would change the service behind the back of who restores
// it.
void EndOrphan(const std::string& folder) {
  const Result<std::string> text = ReadFile(ApplyingPath(folder));
  if (!text.ok()) return;
  std::istringstream words(*text);
  pid_t process = 0;
  std::string begin;
  words >> process >> begin;
  if (process > 1 && !begin.empty() && BeginOf(process) == begin) kill(-process, SIGKILL);
  std::error_code ignored;
  fs::remove(ApplyingPath(folder), ignored);
}

Status RunApply(const Lease& lease, const std::string& folder,
                const std::vector<std::string>& words) {
  if (words.empty()) return OkStatus();
  const ProcessSpec spec{.words = words, .folder = lease.folder, .log = folder + "/apply.log"};
  RS_ASSIGN_OR_RETURN(Process process, Process::Start(spec));
  RS_RETURN_IF_ERROR(NoteApplying(folder, process.group()));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(lease.apply_within_s);
  constexpr std::chrono::milliseconds kLook{5};
  while (!process.HasEnded() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(kLook);
  if (!process.HasEnded()) {
    process.Kill();
    return Error(StatusCode::kResource,
                 "'{}' took longer than {} s (apply_within_s); {} has what it said", words.front(),
                 lease.apply_within_s, spec.log);
  }
  const int code = process.exit_code();
  std::error_code ignored;
  fs::remove(ApplyingPath(folder), ignored);
  // What it started in the background is the service.
  process.Release();
  if (code == 0) return OkStatus();
  return Error(StatusCode::kBadData, "'{}' ended with {}; {} has what it said", words.front(), code,
               spec.log);
}

// The lease and the old settings get the next free number.
Status MoveAside(const std::string& folder) {
  std::error_code error;
  int number = 1;
  while (fs::exists(fmt::format("{}.{}", LeasePath(folder), number), error)) ++number;
  // The lease goes last: one that is there has its settings.
  for (const std::string& path : {OldPath(folder), LeasePath(folder)}) {
    if (!fs::exists(path, error)) continue;
    fs::copy_file(path, fmt::format("{}.{}", path, number), error);
    if (error) return Error(StatusCode::kIo, "{}: {}", path, error.message());
  }
  return SyncFolder(folder);
}

}  // namespace

Result<std::string> LeaseFolderOf(const std::string& url, const std::string& file) {
  std::string state = Environment("XDG_STATE_HOME");
  if (!state.starts_with('/')) {
    const std::string home = Environment("HOME");
    if (!home.starts_with('/'))
      return Error(StatusCode::kInvalidArgument,
                   "neither XDG_STATE_HOME nor HOME says where the lease of a service is to lie");
    state = home + "/.local/state";
  }
  return fmt::format("{}/rankscope/tune/{}", state, HashBytes(url + "\n" + file).Hex());
}

Status BeginLease(const std::string& folder, Lease lease) {
  RS_RETURN_IF_ERROR(MakeFolder(folder));
  RS_ASSIGN_OR_RETURN(const auto before, ReadLease(folder));
  if (before && before->state == Lease::kHeld)
    return Error(StatusCode::kBadData, "{} is still held by a lease in {}", before->url, folder);
  if (before && before->state == Lease::kKept) RS_RETURN_IF_ERROR(MoveAside(folder));
  lease.state = Lease::kTaken;
  if (!lease.file.empty()) {
    std::error_code error;
    lease.file = fs::weakly_canonical(lease.file, error).string();
    if (error) return Error(StatusCode::kIo, "{}: {}", lease.file, error.message());
    struct stat about {};
    lease.had_file = stat(lease.file.c_str(), &about) == 0;
    if (lease.had_file) {
      if (!S_ISREG(about.st_mode))
        return Error(StatusCode::kInvalidArgument, "{}: it is no file of settings", lease.file);
      lease.mode = about.st_mode & kPermissions;
      lease.user = about.st_uid;
      lease.group = about.st_gid;
      RS_ASSIGN_OR_RETURN(const std::string old, ReadFile(lease.file));
      RS_RETURN_IF_ERROR(WriteDurably(OldPath(folder), old, folder));
    } else if (errno != ENOENT) {
      return Error(StatusCode::kIo, "{}: {}", lease.file, std::strerror(errno));
    }
  }
  return WriteLease(folder, lease);
}

Result<std::optional<Lease>> ReadLease(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(LeasePath(folder), error)) return std::optional<Lease>();
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(LeasePath(folder)));
  Result<Lease> lease = json::FromJson<Lease>(text);
  if (!lease.ok())
    return Error(StatusCode::kBadData,
                 "{}: {}: put the settings back by hand, then remove the folder", LeasePath(folder),
                 lease.status().message());
  return std::optional<Lease>(std::move(*lease));
}

Status WriteLease(const std::string& folder, const Lease& lease) {
  return WriteDurably(LeasePath(folder), json::ToJson(lease) + "\n", folder);
}

Status ChangeService(Lease& lease, const std::string& folder, const std::string& content,
                     const std::vector<std::string>& apply) {
  if (lease.state != Lease::kHeld) {
    lease.state = Lease::kHeld;
    RS_RETURN_IF_ERROR(WriteLease(folder, lease));
  }
  if (!lease.file.empty()) RS_RETURN_IF_ERROR(PutFile(lease, content));
  return RunApply(lease, folder, apply);
}

Status RestoreService(const std::string& folder) {
  RS_ASSIGN_OR_RETURN(std::optional<Lease> lease, ReadLease(folder));
  if (!lease || lease->state != Lease::kHeld) return OkStatus();
  EndOrphan(folder);
  if (!lease->file.empty()) {
    if (lease->had_file) {
      RS_ASSIGN_OR_RETURN(const std::string old, ReadFile(OldPath(folder)));
      RS_RETURN_IF_ERROR(PutFile(*lease, old));
    } else {
      RS_RETURN_IF_ERROR(RemoveDurably(lease->file));
    }
  }
  RS_RETURN_IF_ERROR(RunApply(*lease, folder, lease->apply));
  RS_ASSIGN_OR_RETURN(const std::string why,
                      WaitReady(
                          lease->ready_check(), std::chrono::seconds(lease->ready_within_s),
                          [] { return std::string(); }, [] { return false; }));
  if (!why.empty())
    return Error(StatusCode::kIo, "{} has its old settings again and is not ready: {}", lease->url,
                 why);
  lease->state = Lease::kRestored;
  return WriteLease(folder, *lease);
}

}  // namespace rankscope::tune

namespace rankscope::json {

template <>
const Fields<tune::Lease>& FieldsOf() {
  using tune::Lease;
  static const Fields<Lease> fields =
      Fields<Lease>("TuneLease", "what a service ran with before it was tuned", Use::kRecord)
          .Add<&Lease::state>({.name = "state"})
          .Add<&Lease::adapter>({.name = "adapter"})
          .Add<&Lease::tuner>({.name = "tuner"})
          .Add<&Lease::begun_ns>({.name = "begun_ns", .unit = "ns"})
          .Add<&Lease::url>({.name = "url"})
          .Add<&Lease::ready_path>({.name = "ready_path"})
          .Add<&Lease::ready_within_s>({.name = "ready_within_s", .unit = "s"})
          .Add<&Lease::ca_file>({.name = "ca_file"})
          .Add<&Lease::folder>({.name = "folder"})
          .Add<&Lease::file>({.name = "file"})
          .Add<&Lease::had_file>({.name = "had_file"})
          .Add<&Lease::mode>({.name = "mode"})
          .Add<&Lease::user>({.name = "user"})
          .Add<&Lease::group>({.name = "group"})
          .Add<&Lease::apply>({.name = "apply"})
          .Add<&Lease::apply_within_s>({.name = "apply_within_s", .unit = "s"});
  return fields;
}

}  // namespace rankscope::json
