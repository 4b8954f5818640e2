// Questions over all runs, as rankscope fleet answers them.
#include <array>
#include <filesystem>
#include <string_view>

#include "service/processes/commands.h"
#include "service/requests/reply.h"
#include "service/routes/routes.h"

namespace rankscope::service {
namespace {

// By what the command calls the store: sentences name no path of this machine.
constexpr std::string_view kDataLink = "DATA";

// A question and what it may be asked with; the program checks the values.
struct Question {
  std::string_view name;
  std::string_view pattern;
  std::string_view summary;
  std::array<std::string_view, 4> options;  // "" is none
};
constexpr std::array<Question, 5> kQuestions = {{
    {"overview",
     "/api/v1/fleet/overview",
     "where the GPU hours of all runs go; as rankscope fleet overview",
     {"since", "until", "by", "top"}},
    {"kernels",
     "/api/v1/fleet/kernels",
     "the kernels of all runs that cost most; as rankscope fleet kernels",
     {"since", "until", "top", ""}},
    {"regressions",
     "/api/v1/fleet/regressions",
     "which kernels got slower, since when and why; as rankscope fleet regressions",
     {"since", "until", "split", "top"}},
    {"findings",
     "/api/v1/fleet/findings",
     "the findings that cost most; as rankscope fleet findings",
     {"since", "until", "by", ""}},
    {"models",
     "/api/v1/fleet/models",
     "models over time; as rankscope fleet models",
     {"since", "until", "model", "every"}},
}};

http::Reply Ask(const Question& question, const StorePlace& place, Commands& commands,
                const Call& call) {
  // What is asked is of all runs: sums of those of one team would tell of the others.
  if (!call.who.SeesTeam(kAllTeams))
    return ErrorReply(
        403, "forbidden",
        "questions over all runs need a token that sees every team ('*' in its line)");
  std::error_code error;
  std::filesystem::create_directories(place.data + "/fleet", error);
  CommandLine line;
  line.words = {"fleet", question.name, kDataLink, "--format", "json", "-o", OutWord()};
  for (const std::string_view option : question.options) {
    const std::string_view value = option.empty() ? "" : call.Query(option);
    // In one word: a value that begins with a dash is none of the command's options.
    if (!value.empty()) line.words.push_back(fmt::format("--{}={}", option, value));
  }
  line.links = {{std::string(kDataLink), place.data}};
  line.writable = {place.data + "/fleet"};
  if (std::filesystem::exists(place.copies, error)) line.writable.push_back(place.copies);
  line.variables = {"RANKSCOPE_CATALOGUE=" + place.catalogue,
                    "RANKSCOPE_BLOB_CACHE_DIR=" + place.copies};
  line.reads_store = true;
  line.file_name = "fleet.json";
  line.writes_cache = false;
  return commands.Run(std::move(line));
}

std::string_view AboutOf(std::string_view option) {
  if (option == "since") return "the first day, YYYY-MM-DD";
  if (option == "until") return "the last day";
  if (option == "by") return "team, model, user, framework, driver, device, host, job, ...";
  if (option == "top") return "so many rows of kernels";
  if (option == "split") return "the first day of the second part";
  if (option == "model") return "this one alone";
  return "day, week or month";
}

}  // namespace

std::vector<Route> FleetRoutes(const StorePlace& place, Commands& commands) {
  std::vector<Route> routes;
  for (const Question& question : kQuestions) {
    Route route{.method = "GET",
                .pattern = question.pattern,
                .answer = [&question, place, &commands](
                              const Call& call) { return Ask(question, place, commands, call); },
                .summary = question.summary,
                .sends = {"application/json"}};
    for (const std::string_view option : question.options) {
      if (!option.empty()) route.parameters.push_back({option, "query", "string", AboutOf(option)});
    }
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace rankscope::service
