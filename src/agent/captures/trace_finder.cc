#include "agent/captures/trace_finder.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "agent/captures/process_info.h"

namespace rankscope::agent {
namespace {

constexpr std::int64_t kSnapshotRestsMs = 1000;
constexpr std::size_t kMostLeftovers = 1000;

bool IsWholeSnapshot(const WrittenFile& file, Now now) {
  constexpr char kStop = '.';
  char last = 0;
  return now.unix_ms() - file.changed_unix_ms() >= kSnapshotRestsMs &&
         pread(file.descriptor(), &last, 1, file.bytes() - 1) == 1 && last == kStop;
}

}  // namespace

const ProcessFolder* TraceFinder::FolderFor(const SoughtTrace& sought, std::size_t which,
                                            std::string& problem) {
  Folders& folders = folders_[KeyOf(sought)];
  std::shared_ptr<const ProcessFolder>& folder = folders.opened[which];
  if (!folder) {
    auto opened = ProcessFolder::Open(root_, sought.writer, sought.paths[which]);
    // What it was told to write to is made once, before it begins.
    const bool is_missing = !opened.ok() && opened.status().code() == StatusCode::kNotFound;
    if (which == 0 && is_missing && !std::exchange(folders.is_made, true)) {
      const Status made = ProcessFolder::Make(root_, sought.writer, sought.paths[which]);
      opened = made.ok() ? ProcessFolder::Open(root_, sought.writer, sought.paths[which])
                         : Result<std::shared_ptr<const ProcessFolder>>(made);
    }
    if (opened.ok()) {
      folder = *std::move(opened);
    } else if (opened.status().code() != StatusCode::kNotFound || problem.empty()) {
      problem = opened.status().message();
    }
  }
  return folder.get();
}

bool TraceFinder::IsAlive(const TraceWriter& writer) const {
  return agent::IsAlive(root_, writer.pid) && StartTicksOf(root_, writer.pid) == writer.start_ticks;
}

std::vector<TraceLook> TraceFinder::Look(const std::vector<SoughtTrace>& all, Now now) {
  std::set<Key> wanted;
  for (const SoughtTrace& one : all) wanted.insert(KeyOf(one));
  for (const Leftover& one : leftovers_) wanted.insert(KeyOf(one.sought));
  std::erase_if(folders_, [&](const auto& one) { return !wanted.contains(one.first); });
  std::vector<TraceLook> looks;
  looks.reserve(all.size());
  for (const SoughtTrace& one : all) looks.push_back(LookFor(one, now));
  return looks;
}

TraceLook TraceFinder::LookFor(const SoughtTrace& sought, Now now) {
  // In this order: what a process wrote before it ended is found.
  TraceLook look{.is_alive = IsAlive(sought.writer)};
  for (std::size_t which = 0; which < sought.paths.size(); ++which) {
    const ProcessFolder* const folder = FolderFor(sought, which, look.problem);
    if (folder == nullptr) continue;
    const auto file = folder->Find(NameOf(sought.paths[which]), sought.since_unix_ms);
    if (!file.ok()) {
      if (file.status().code() != StatusCode::kNotFound) look.problem = file.status().message();
      continue;
    }
    if ((*file)->bytes() == 0 || (sought.is_snapshot && !IsWholeSnapshot(**file, now))) continue;
    look.trace = *file;
    look.path = sought.paths[which];
    break;
  }
  return look;
}

void TraceFinder::TidyUp(Leftover leftover) {
  if (leftovers_.size() >= kMostLeftovers) leftovers_.erase(leftovers_.begin());
  leftovers_.push_back(std::move(leftover));
}

bool TraceFinder::Remove(const SoughtTrace& sought, std::size_t which, std::string_view name,
                         Which files) {
  std::string problem;
  const ProcessFolder* const folder = FolderFor(sought, which, problem);
  if (folder == nullptr) return false;
  const auto file = folder->Find(name, sought.since_unix_ms);
  if (!file.ok() || (files == Which::kEmpty && (*file)->bytes() > 0)) return false;
  return (*file)->Remove();
}

bool TraceFinder::RemoveOf(Leftover& leftover, Now now) {
  const SoughtTrace& sought = leftover.sought;
  const bool is_alive = IsAlive(sought.writer);
  bool is_done = !is_alive || now.steady_ms > leftover.until_ms;
  for (std::size_t which = 0; which < sought.paths.size(); ++which) {
    if (sought.paths[which].empty()) continue;
    const std::string name(NameOf(sought.paths[which]));
    // What was begun is looked at once more: it may be left beside it.
    if (leftover.is_given_up && Remove(sought, which, name)) leftover.is_given_up = false;
    // A trace that is not there yet may be in the making.
    const bool may_come = leftover.is_given_up && !sought.is_snapshot && !is_done;
    if (may_come) continue;
    const Which files = leftover.takes_whole ? Which::kAny : Which::kEmpty;
    if (Remove(sought, which, name + ".tmp", files) && !leftover.is_given_up) is_done = true;
  }
  return is_done;
}

void TraceFinder::RemoveLeftovers(const std::vector<SoughtTrace>& all, Now now) {
  for (Leftover& one : leftovers_) {
    for (const SoughtTrace& other : all) {
      if (other.writer.pid != one.sought.writer.pid || other.capture == one.sought.capture)
        continue;
      for (std::string& path : one.sought.paths) {
        if (std::ranges::find(other.paths, path) != other.paths.end()) path.clear();
      }
    }
  }
  std::erase_if(leftovers_, [&](Leftover& one) { return RemoveOf(one, now); });
}

}  // namespace rankscope::agent
