#include "service/queue/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/durable.h"
#include "base/file.h"
#include "base/hash.h"
#include "store/run.h"

namespace rankscope::service {
namespace {

constexpr std::array<std::string_view, 5> kWords = {"begun", "failed", "stopped", "over", "alone"};

std::string LineOf(Journal::Event event, std::string_view run) {
  const std::string text = fmt::format("{} {}", kWords[static_cast<std::size_t>(event)], run);
  return fmt::format("{} {}\n", HashBytes(text).Hex().substr(0, 16), text);
}

void Count(std::map<std::string, Attempts, std::less<>>& attempts, Journal::Event event,
           std::string_view run) {
  if (event == Journal::Event::kOver) {
    if (const auto found = attempts.find(run); found != attempts.end()) attempts.erase(found);
    return;
  }
  Attempts& of_run = attempts[std::string(run)];
  const bool is_begun = event == Journal::Event::kBegun || event == Journal::Event::kAlone;
  if (is_begun) {
    ++of_run.begun;
    of_run.is_alone = event == Journal::Event::kAlone;
    of_run.alone += of_run.is_alone ? 1 : 0;
    return;
  }
  if (event == Journal::Event::kFailed) ++of_run.failed;
  if (event == Journal::Event::kStopped) --of_run.begun;
  // It ended, and not the server.
  if (of_run.is_alone) --of_run.alone;
  of_run.is_alone = false;
}

std::optional<std::pair<Journal::Event, std::string>> ParseJournal(std::string_view line) {
  if (line.size() < 18 || line[16] != ' ') return std::nullopt;
  const std::string_view text = line.substr(17);
  if (HashBytes(text).Hex().substr(0, 16) != line.substr(0, 16)) return std::nullopt;
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || !store::IsRunId(text.substr(space + 1)))
    return std::nullopt;
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i] == text.substr(0, space))
      return std::pair(static_cast<Journal::Event>(i), std::string(text.substr(space + 1)));
  }
  return std::nullopt;
}

// False when a line other than an unfinished last one is damaged.
bool Read(std::string_view text, std::map<std::string, Attempts, std::less<>>& attempts) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return true;
    const auto parsed = ParseJournal(text.substr(0, end));
    if (!parsed) return false;
    Count(attempts, parsed->first, parsed->second);
    text.remove_prefix(end + 1);
  }
  return true;
}

std::string Shortest(const std::map<std::string, Attempts, std::less<>>& attempts) {
  std::string text;
  for (const auto& [run, counts] : attempts) {
    const std::int64_t others = counts.begun - counts.alone;
    for (std::int64_t i = 0; i < others; ++i) text += LineOf(Journal::Event::kBegun, run);
    for (std::int64_t i = 0; i < counts.failed; ++i) text += LineOf(Journal::Event::kFailed, run);
    for (std::int64_t i = 0; i < counts.alone; ++i) text += LineOf(Journal::Event::kAlone, run);
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::Open(const std::string& path, std::string& message) {
  namespace fs = std::filesystem;
  std::map<std::string, Attempts, std::less<>> attempts;
  std::error_code error;
  if (fs::exists(path, error)) {
    RS_ASSIGN_OR_RETURN(const std::string found, ReadFile(path));
    if (!Read(found, attempts)) {
      attempts.clear();
      std::string aside = path + ".damaged";
      for (int i = 2; fs::exists(aside, error); ++i) aside = fmt::format("{}.damaged-{}", path, i);
      fs::rename(path, aside, error);
      if (error)
        return Error(StatusCode::kIo, "{}: damaged, and cannot be set aside: {}", path,
                     error.message());
      message = fmt::format("{}: damaged; set aside as {}, attempts are counted anew", path, aside);
    }
  }
  const std::string folder = fs::path(path).parent_path().string();
  const std::string text = Shortest(attempts);
  RS_RETURN_IF_ERROR(WriteDurably(path, text, folder));
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0)
    return Error(StatusCode::kIo, "{}: cannot open: {}", path, std::strerror(errno));
  auto journal = std::unique_ptr<Journal>(
      new Journal(path, descriptor, static_cast<std::int64_t>(text.size())));
  journal->attempts_ = std::move(attempts);
  return journal;
}

Journal::~Journal() { close(descriptor_); }

Status Journal::Add(Event event, std::string_view run) {
  const std::string line = LineOf(event, run);
  const std::scoped_lock lock(mutex_);
  // In one call, so that a line is there whole or is the last.
  if (write(descriptor_, line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
      fdatasync(descriptor_) != 0) {
    const Status status =
        Error(StatusCode::kIo, "{}: cannot write: {}", path_, std::strerror(errno));
    // A piece of a line would spoil the next.
    [[maybe_unused]] const int cut = ftruncate(descriptor_, size_);
    return status;
  }
  size_ += static_cast<std::int64_t>(line.size());
  Count(attempts_, event, run);
  return OkStatus();
}

Attempts Journal::Of(std::string_view run) const {
  const std::scoped_lock lock(mutex_);
  const auto found = attempts_.find(run);
  return found == attempts_.end() ? Attempts{} : found->second;
}

}  // namespace rankscope::service
