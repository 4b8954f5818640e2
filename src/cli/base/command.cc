#include "cli/base/command.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "base/number_set.h"
#include "base/shell_words.h"
#include "cli/base/messages.h"
#include "cli/base/standard_input.h"

namespace rankscope::cli {

namespace {

// "base" -> "BASE".
std::string PlaceOf(std::string side) {
  for (char& c : side) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return side;
}

}  // namespace

int Fail(const Status& status) {
  Tell(status.message());
  return status.code() == StatusCode::kInvalidArgument ? kBadUsage : kCouldNot;
}

void KernelClassesArgument::AddTo(CommandSpec& app) {
  app.AddOption("--kernel-classes", path_,
                "names of kernels that are told apart before the built-in ones: lines CLASS "
                "PATTERN..., such as: other_communication my_all_to_all (rankscope list "
                "kernel_classes)")
      .Type(kFileType);
}

void JobArguments::AddTo(CommandSpec& app, Paths count) {
  if (count == Paths::kOne) {
    app.AddOption(
           "PATH", [this](const std::string& path) { paths_ = {path}; },
           "a trace file, a folder or a quoted glob; - is standard input")
        .Required();
  } else {
    app.AddOption("PATH", paths_, "trace files, folders or globs; - is standard input")
        .Required(count == Paths::kMany);
  }
  AddSelection(app);
  AddShared(app);
}

void JobArguments::AddSide(CommandSpec& app, const std::string& side) {
  side_ = side;
  const std::string place = PlaceOf(side);
  app.AddOption(
         place, [this](const std::string& path) { paths_ = {path}; },
         "a trace file, a folder or a quoted glob")
      .Type("PATH")
      .Required();
  AddSelection(app);
}

void JobArguments::AddSelection(CommandSpec& app) {
  const std::string of = side_.empty() ? "" : " of " + PlaceOf(side_);
  app.AddOption(OptionOf("ranks"), ranks_, fmt::format("only these ranks{}, such as 0,4-7", of));
  app.AddOption(OptionOf("steps"), steps_, fmt::format("only these steps{}, such as 12,13", of));
  app.AddOption(OptionOf("capture"), capture_,
                fmt::format("which recordings{}: latest (the latest group with the most ranks), "
                            "all, or a group's number",
                            of))
      .ShowDefault();
}

std::string JobArguments::OptionOf(std::string_view name) const {
  return side_.empty() ? fmt::format("--{}", name) : fmt::format("--{}-{}", side_, name);
}

void JobArguments::AddShared(CommandSpec& app) {
  app.AddOption("--jobs,-j", jobs_, "threads to use (default: one per core)").Range(1, 1024);
  kernel_classes_.AddTo(app);
  app.AddOption("--cache-dir", cache_dir_,
                "folder for the cache, which several users may share (default: "
                "$RANKSCOPE_CACHE_DIR, else rankscope in the user's cache folder)")
      .Type(kFolderType);
  app.AddOption("--cache-size", cache_size_, "largest size of a cache folder").ShowDefault();
  app.AddFlag("--no-cache", no_cache_, "neither read nor write the cache");
}

namespace {

std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

}  // namespace

std::string JobArguments::Words() const {
  constexpr std::size_t kMostPaths = 3;
  std::vector<std::string> words;
  if (paths_.empty() || paths_.size() > kMostPaths) {
    words.emplace_back("TRACES");
  } else {
    for (const std::string& path : paths_) words.push_back(ShellWord(path));
  }
  const auto add = [&](const char* option, const std::string& value) {
    words.insert(words.end(), {option, ShellWord(value)});
  };
  if (!side_.empty()) return fmt::format("{}", fmt::join(words, " "));
  if (!ranks_.empty()) add("--ranks", ranks_);
  if (!steps_.empty()) add("--steps", steps_);
  if (capture_ != kLatestCapture) add("--capture", capture_);
  if (!kernel_classes_.path().empty()) add("--kernel-classes", kernel_classes_.path());
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> JobArguments::FromAnywhere() const {
  std::vector<std::string> words;
  for (const std::string& path : paths_) words.push_back(AbsolutePath(path));
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--ranks", ranks_);
  add("--steps", steps_);
  add("--capture", capture_);
  if (!kernel_classes_.path().empty())
    add("--kernel-classes", AbsolutePath(kernel_classes_.path()));
  if (jobs_ > 0) add("--jobs", std::to_string(jobs_));
  return words;
}

void JobArguments::TakeShared(const JobArguments& from) {
  jobs_ = from.jobs_;
  kernel_classes_ = from.kernel_classes_;
  cache_dir_ = from.cache_dir_;
  cache_size_ = from.cache_size_;
  no_cache_ = from.no_cache_;
}

Result<app::JobSpec> JobArguments::Spec() const {
  app::JobSpec spec{.paths = paths_, .threads = jobs_};
  RS_RETURN_IF_ERROR(TakeStandardInput(spec.paths));
  spec.called = Words();
  spec.capture_option = OptionOf("capture");
  spec.kernel_classes_file = kernel_classes_.path();
  spec.cache = app::CacheOfEnvironment();
  spec.cache.enabled = !no_cache_;
  if (!cache_dir_.empty()) spec.cache.folder = cache_dir_;
  RS_ASSIGN_OR_RETURN(spec.cache.limit_bytes, ParseByteSize(cache_size_));
  if (!ranks_.empty()) {
    RS_ASSIGN_OR_RETURN(spec.ranks, ParseNumberSet(ranks_));
  }
  if (!steps_.empty()) {
    RS_ASSIGN_OR_RETURN(spec.steps, ParseNumberSet(steps_));
  }
  RS_ASSIGN_OR_RETURN(spec.captures, app::ParseCaptureChoice(capture_, spec.capture_option));
  return spec;
}

std::string ProgramVersion() { return RANKSCOPE_VERSION; }

Action MakeAction(std::function<Status()> run) {
  return [run = std::move(run)] {
    const Status status = run();
    return status.ok() ? static_cast<int>(kDone) : Fail(status);
  };
}

Action MakeActionWithCode(std::function<Result<ExitCode>()> run) {
  return [run = std::move(run)] {
    const Result<ExitCode> code = run();
    return code.ok() ? static_cast<int>(*code) : Fail(code.status());
  };
}

Result<app::Settings> ParseSettings(const std::vector<std::string>& settings) {
  app::Settings options;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error(StatusCode::kInvalidArgument, "--set takes OPTION=VALUE, not '{}'", setting);
    }
    options[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return options;
}

}  // namespace rankscope::cli
