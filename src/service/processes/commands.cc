#include "service/processes/commands.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "service/processes/child.h"
#include "service/processes/last_sentence.h"
#include "service/requests/page.h"
#include "service/requests/reply.h"
#include "store/blob_place.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A folder for one answer, removed with what is in it.
class AnswerFolder {
 public:
  explicit AnswerFolder(std::string path) : path_(std::move(path)) {
    std::error_code error;
    fs::create_directories(WorkingFolder(), error);
  }
  ~AnswerFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  AnswerFolder(const AnswerFolder&) = delete;
  AnswerFolder& operator=(const AnswerFolder&) = delete;
  const std::string& path() const { return path_; }
  // Where the command works; nothing is there but links to its runs, so that no name of a run meets
  // a file of the answer.
  std::string WorkingFolder() const { return path_ + "/runs"; }

 private:
  std::string path_;
};

// By what commands call the folders of runs, and so what they print: no path of this machine.
std::vector<std::string> ShownNames(const std::vector<store::Run>& runs) {
  if (runs.size() < 2) return {std::string(kTracesLink)};
  std::vector<std::string> names;
  for (const store::Run& run : runs) {
    const bool is_plain = !run.name.empty() && run.name.size() <= 100 && run.name.front() != '-' &&
                          run.name.front() != '.' && std::ranges::all_of(run.name, [](char c) {
                            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                                   (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
                          });
    names.push_back(is_plain ? run.name : "run-" + run.id);
  }
  if (names[0] == names[1]) return {"BASE", "TEST"};
  return names;
}

constexpr int kBadUsage = 2;  // the program's exit code

}  // namespace

Status MakeLink(const std::string& to, const std::string& link) {
  std::error_code error;
  fs::create_symlink(to, link, error);
  if (error) return Error(StatusCode::kIo, "{}: cannot make: {}", link, error.message());
  return OkStatus();
}

std::string TelemetryName(const store::RunTable& metrics) {
  return fmt::format("metrics-{}.telemetry.json", metrics.sha256);
}

// What a command that opens the store itself needs where contents lie in S3 or runs in a database:
// addresses, keys and passwords.
void AddStoreVariables(std::vector<std::string>& variables) {
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const std::string_view name = variable.substr(0, variable.find('='));
    const bool is_of_libpq = name.starts_with("PG") || name == "HOME";  // HOME: ~/.pgpass
    if (is_of_libpq ||
        std::ranges::find(store::kBlobVariables, name) != store::kBlobVariables.end())
      variables.emplace_back(variable);
  }
}

// A command on its way; in the order: Start until it has room, Finish or Cancel.
class Commands::Running {
 public:
  Running(Commands& owner, CommandLine line)
      : owner_(owner),
        line_(std::move(line)),
        folder_(std::make_shared<AnswerFolder>(
            fmt::format("{}/answers/{}", owner.folder_, owner.next_++))),
        give_up_(Clock::now() + owner.limits_.waiting) {}
  ~Running() {
    child_.reset();
    if (has_place_) --owner_.running_;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  int Start() {
    if (!TakePlace()) {
      if (Clock::now() < give_up_) return http::Pending::kAskAgain;
      refused_ = ErrorReply(429, "busy", "the server computes for others; ask again later");
      refused_->fields.emplace_back("Retry-After", "10");
      return http::Pending::kDone;
    }
    const Status started = StartChild();
    if (started.ok()) return child_->descriptor();
    // A content that is gone is no address that is not there.
    const bool is_damaged =
        started.code() == StatusCode::kInternal || started.code() == StatusCode::kNotFound;
    refused_ = is_damaged ? DamagedReply(started) : ErrorReply(started);
    return http::Pending::kDone;
  }

  http::Reply Finish() {
    if (refused_) return *std::move(refused_);
    const ChildEnd end = child_->End();
    if (end.ok()) return Answer();
    const std::string errors = folder_->path() + "/errors";
    std::string sentence = LastSentence(errors);
    // What is wrong with the words themselves is said before there is a command to say it.
    if (sentence.empty() && end.exit_code == kBadUsage) sentence = FirstLine(errors);
    if (was_cancelled_) {
      return ErrorReply(422, "too_slow",
                        fmt::format("it took longer than the {} s that this server gives it",
                                    owner_.limits_.time.count() / 1000));
    }
    if (end.signal != 0 || sentence.empty()) {
      return ErrorReply(422, "too_much",
                        fmt::format("it needs more memory or room than this server gives it ({})",
                                    Describe(end)));
    }
    if (sentence.starts_with(kOutOfMemory)) {
      return ErrorReply(422, "too_much",
                        "it needs more memory than this server gives it: add a LIMIT, or select "
                        "less");
    }
    return ErrorReply(
        Error(end.exit_code == kBadUsage ? StatusCode::kInvalidArgument : StatusCode::kBadData,
              "{}", sentence));
  }

  void Cancel() {
    was_cancelled_ = true;
    if (child_ != nullptr) child_->Kill();
  }

 private:
  bool TakePlace() {
    int running = owner_.running_;
    while (running < owner_.limits_.at_once) {
      if (owner_.running_.compare_exchange_weak(running, running + 1)) return has_place_ = true;
    }
    return false;
  }

  std::string out() const { return folder_->path() + "/" + line_.file_name; }

  Status StartChild() {
    ChildCommand command{.words = {owner_.program_},
                         .folder = folder_->WorkingFolder(),
                         .variables = {"RANKSCOPE_CACHE_DIR=" + owner_.cache_folder_,
                                       "TMPDIR=" + folder_->path(), "LC_ALL=C.UTF-8"},
                         .output_file = folder_->path() + "/output",
                         .error_file = folder_->path() + "/errors",
                         .memory_bytes = owner_.limits_.memory_bytes,
                         .most_file_bytes = owner_.limits_.most_output_bytes,
                         .writable = {folder_->path()}};
    if (line_.writes_cache) command.writable.push_back(owner_.cache_folder_);
    command.writable.insert(command.writable.end(), line_.writable.begin(), line_.writable.end());
    if (line_.reads_store) AddStoreVariables(command.variables);
    command.variables.insert(command.variables.end(), line_.variables.begin(),
                             line_.variables.end());
    const std::vector<std::string> names = ShownNames(line_.runs);
    for (std::size_t i = 0; i < line_.runs.size(); ++i) {
      const std::vector<std::string> inputs = store::InputsOf(line_.runs[i]);
      holds_.push_back(owner_.store_.blobs().Hold(inputs));
      store::Prefetch(owner_.store_.blobs(), inputs);
      RS_ASSIGN_OR_RETURN(const std::string folder, owner_.FolderOf(line_.runs[i]));
      RS_RETURN_IF_ERROR(MakeLink(folder, folder_->WorkingFolder() + "/" + names[i]));
    }
    for (const auto& [name, path] : line_.links)
      RS_RETURN_IF_ERROR(MakeLink(path, folder_->WorkingFolder() + "/" + name));
    for (const CommandWord& word : line_.words) command.words.push_back(TextOf(word, names));
    RS_ASSIGN_OR_RETURN(child_, Child::Start(command));
    return OkStatus();
  }

  std::string TextOf(const CommandWord& word, const std::vector<std::string>& names) const {
    switch (word.kind) {
      case CommandWord::Kind::kText:
        return word.text;
      case CommandWord::Kind::kRun:
        RS_CHECK(word.run < names.size(), "word of run {} of {}", word.run, names.size());
        return word.text.empty() ? names[word.run] : names[word.run] + "/" + word.text;
      case CommandWord::Kind::kOut:
        return out();
    }
    return {};
  }

  http::Reply Answer() {
    std::error_code error;
    const auto bytes = fs::file_size(out(), error);
    if (error) return ErrorReply(500, "internal", "the command gave no answer");
    if (line_.finish) return Finished(line_.finish(out()));
    http::Reply reply;
    reply.fields = line_.fields;
    reply.fields.emplace_back("Content-Type", line_.type);
    reply.fields.emplace_back("Cache-Control", "no-store");
    reply.body = http::FilePart{.path = out(), .offset = 0, .bytes = bytes, .keep = folder_};
    return reply;
  }

  // What is read in turn waits without one of the places of commands.
  http::Reply Finished(http::Reply reply) const {
    auto* const pending = std::get_if<http::Pending>(&reply.body);
    if (pending == nullptr) return reply;
    pending->finish = [finish = std::move(pending->finish), folder = folder_] { return finish(); };
    return reply;
  }

  Commands& owner_;
  const CommandLine line_;
  const std::shared_ptr<AnswerFolder> folder_;
  const Clock::time_point give_up_;
  std::vector<std::shared_ptr<const void>> holds_;  // contents of the runs
  bool has_place_ = false;
  std::atomic<bool> was_cancelled_ = false;
  std::unique_ptr<Child> child_;
  std::optional<http::Reply> refused_;
};

Commands::Commands(std::string program, std::string folder, std::string cache_folder,
                   store::Store& store, CommandLimits limits)
    : program_(std::move(program)),
      folder_(std::move(folder)),
      cache_folder_(std::move(cache_folder)),
      store_(store),
      limits_(limits) {
  std::error_code error;
  fs::remove_all(folder_, error);
  fs::create_directories(folder_ + "/runs", error);
}

http::Reply Commands::Run(CommandLine line) {
  const auto running = std::make_shared<Running>(*this, std::move(line));
  http::Reply reply;
  reply.body = http::Pending{.start = [running] { return running->Start(); },
                             .finish = [running] { return running->Finish(); },
                             .cancel = [running] { running->Cancel(); },
                             .time = limits_.time};
  return reply;
}

http::Reply Commands::Window(const store::Run& run, const store::RunFile& file,
                             std::string_view from_ns, std::string_view to_ns,
                             http::Fields fields) {
  std::string range;
  for (const std::string_view end : {from_ns, to_ns}) {
    const auto number = ParseInteger(end);
    if (!number || *number < 0) {
      return ErrorReply(400, "bad_request",
                        "from_ns and to_ns are both whole numbers of nanoseconds from 0 on");
    }
    range += fmt::format("{}{}ns", range.empty() ? "" : "-", *number);
  }
  CommandLine line;
  line.words = {"trace", "filter", RunWord(0, file.name), "--time", range, "-o", OutWord()};
  line.runs = {run};
  line.fields = std::move(fields);
  line.type = "application/gzip";
  line.file_name = "window.json.gz";
  return Run(std::move(line));
}

Result<std::string> Commands::FolderOf(const store::Run& run) {
  std::string names;
  std::vector<const store::RunFile*> files;
  for (const store::RunFile& file : run.files) {
    if (std::ranges::find(run.set_aside, file.name, &store::SetAside::file) != run.set_aside.end())
      continue;
    files.push_back(&file);
    names += file.sha256 + file.name + '\n';
  }
  std::vector<const store::RunTable*> metrics;
  for (const store::RunTable& samples : run.metrics) {
    if (std::ranges::find(run.set_aside, TelemetryName(samples), &store::SetAside::file) !=
        run.set_aside.end())
      continue;
    metrics.push_back(&samples);
    names += samples.sha256 + '\n';
  }
  std::string folder =
      fmt::format("{}/runs/{}-{}", folder_, run.id, store::Sha256Of(names).substr(0, 16));
  std::error_code error;
  // What is damaged is read by nobody, neither when the folder is made nor later.
  for (const store::RunFile* file : files)
    RS_RETURN_IF_ERROR(verified_.PathOf(store_.blobs(), file->sha256).status());
  for (const store::RunTable* samples : metrics)
    RS_RETURN_IF_ERROR(verified_.PathOf(store_.blobs(), samples->sha256).status());
  if (fs::exists(folder, error)) return folder;
  const std::scoped_lock lock(making_);
  if (fs::exists(folder, error)) return folder;
  const std::string pending = folder + ".pending";
  fs::remove_all(pending, error);
  const auto add_link = [&](const std::string& sha256, const std::string& name) -> Status {
    RS_ASSIGN_OR_RETURN(const std::string content, store_.blobs().PathOf(sha256));
    const fs::path link = fs::path(pending) / name;
    fs::create_directories(link.parent_path(), error);
    if (!error) fs::create_symlink(fs::absolute(content), link, error);
    if (error && error != std::errc::file_exists)
      return Error(StatusCode::kIo, "{}: cannot make: {}", link.string(), error.message());
    return OkStatus();
  };
  for (const store::RunFile* file : files) RS_RETURN_IF_ERROR(add_link(file->sha256, file->name));
  // Numbers of hosts and devices go with traces under a name that says so.
  for (const store::RunTable* samples : metrics)
    RS_RETURN_IF_ERROR(add_link(samples->sha256, TelemetryName(*samples)));
  fs::rename(pending, folder, error);
  if (error) return Error(StatusCode::kIo, "{}: cannot make: {}", folder, error.message());
  return folder;
}

}  // namespace rankscope::service
