#include "cli/arguments/run_arguments.h"

#include <map>

namespace rankscope::cli {
namespace {

// NAME=VALUE, or NAME alone.
Result<std::map<std::string, std::string>> ParseTags(const std::vector<std::string>& tags) {
  std::map<std::string, std::string> parsed;
  for (const std::string& tag : tags) {
    const std::size_t equals = tag.find('=');
    const std::string name = tag.substr(0, equals);
    if (name.empty())
      return Error(StatusCode::kInvalidArgument, "--tag {}: a tag is NAME=VALUE or NAME", tag);
    parsed[name] = equals == std::string::npos ? std::string() : tag.substr(equals + 1);
  }
  return parsed;
}

}  // namespace

void RunArguments::AddTo(CommandSpec& app) {
  app.AddOption("--name", run_.name, "of the run (default: the folder's)");
  app.AddOption("--user", run_.user, "whose job it is");
  app.AddOption("--team", run_.team, "of which team");
  app.AddOption("--model", run_.model, "what it trains or serves");
  app.AddOption("--product", run_.product, "what that is for");
  app.AddOption("--framework", run_.framework, "such as PyTorch 2.9");
  app.AddOption("--hardware", run_.hardware, "(default: the first device's name)");
  app.AddOption("--tag", tags_, "NAME=VALUE; the tag keep: never removed by gc").OneEach();
}

Result<store::Run> RunArguments::Read(const std::vector<std::string>& paths,
                                      app::RunKind kind) const {
  store::Run run = run_;
  RS_ASSIGN_OR_RETURN(run.tags, ParseTags(tags_));
  RS_RETURN_IF_ERROR(store::CheckTags(run.tags));
  if (!run.name.empty()) return run;
  RS_ASSIGN_OR_RETURN(run.name, app::NameOfRun(paths, kind));
  return run;
}

}  // namespace rankscope::cli
