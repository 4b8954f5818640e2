// `rankscope audit`: who did what at a server, and whether the log of it is whole.
#include <charconv>
#include <ctime>

#include "audit/open_lines.h"
#include "audit/read.h"
#include "cli/arguments/durations.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/output.h"
#include "cli/server/store.h"
#include "schemas/audit.h"
#include "table/or_null.h"

namespace rankscope::cli {
namespace {

struct AuditArguments {
  std::string data;
  std::string catalogue;
  std::string since;
  audit::Filter filter;
  int last = 1000;
  std::string expected;
  TableOutput output;
};

// A day or a time as it stands in the log, or an age.
Result<std::string> SinceOf(const std::string& text) {
  const bool is_time = text.size() >= 4 && text.find_first_not_of("0123456789") == 4;
  if (text.empty() || is_time) return text;
  auto age_s = ParseAge(text);
  if (!age_s.ok()) {
    return Error(StatusCode::kInvalidArgument,
                 "--since takes a day or time in UTC such as 2026-11-28, or an age such as 7d, not "
                 "'{}'",
                 text);
  }
  const std::time_t time = std::time(nullptr) - *age_s;
  std::tm parts{};
  char shown[32];
  if (gmtime_r(&time, &parts) == nullptr) return std::string();
  return std::string(shown, std::strftime(shown, sizeof(shown), "%Y-%m-%dT%H:%M:%SZ", &parts));
}

Status ShowAudit(const AuditArguments& arguments) {
  audit::Filter filter = arguments.filter;
  RS_ASSIGN_OR_RETURN(filter.since, SinceOf(arguments.since));
  RS_ASSIGN_OR_RETURN(const auto lines, audit::OpenLines(arguments.data, arguments.catalogue));
  RS_ASSIGN_OR_RETURN(const std::vector<api::AuditEntry> entries,
                      audit::ReadNewest(*lines, filter, static_cast<std::size_t>(arguments.last)));
  const auto& columns = SchemaOf<AuditRows>();
  auto table = columns.NewTable(std::string(AuditRows::kName));
  // As logs are read: the newest last.
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    table.Add({columns.number = entry->number, columns.time = entry->time,
               columns.who = TextOrNull(entry->who), columns.role = TextOrNull(entry->role),
               columns.team = TextOrNull(entry->team), columns.from = TextOrNull(entry->from),
               columns.act = TextOrNull(entry->act), columns.run = TextOrNull(entry->run),
               columns.target = TextOrNull(entry->target),
               columns.outcome = TextOrNull(entry->outcome),
               columns.status = entry->status > 0 ? Value(entry->status) : Value(kNull),
               columns.detail = TextOrNull(entry->detail)});
  }
  const Table made = std::move(table);
  return arguments.output.Write(made);
}

// "12:HASH", as the server's log has it.
Result<std::optional<audit::Head>> HeadOf(const std::string& text) {
  if (text.empty()) return std::optional<audit::Head>();
  audit::Head head;
  const std::size_t colon = text.find(':');
  const char* const end = text.data() + std::min(colon, text.size());
  const auto parsed = std::from_chars(text.data(), end, head.number);
  if (colon == std::string::npos || parsed.ptr != end || text.size() - colon != 65) {
    return Error(StatusCode::kInvalidArgument,
                 "--expect takes NUMBER:HASH, as audit verify prints it, not '{}'", text);
  }
  head.hash = text.substr(colon + 1);
  return std::optional(head);
}

Status Verify(const AuditArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const auto expected, HeadOf(arguments.expected));
  RS_ASSIGN_OR_RETURN(const auto lines, audit::OpenLines(arguments.data, arguments.catalogue));
  RS_ASSIGN_OR_RETURN(const audit::Verified verified, audit::Verify(*lines, expected));
  std::string text;
  for (const std::string& problem : verified.problems) text += problem + "\n";
  if (verified.more_problems > 0) text += fmt::format("{} more\n", verified.more_problems);
  text += fmt::format("{} lines, from number {} on; the last is {}:{}\n", verified.lines,
                      verified.first, verified.last.number, verified.last.hash);
  RS_RETURN_IF_ERROR(WriteOutput("", text));
  if (verified.problems.empty()) return OkStatus();
  return Error(StatusCode::kBadData, "{}: the audit log is not whole", arguments.data);
}

void AddPlace(CommandSpec& command, AuditArguments& arguments) {
  command.AddOption("DATA", arguments.data, "the server's data folder")
      .Type(kFolderType)
      .Required();
  AddCatalogue(command, arguments.catalogue);
}

void AddShow(CommandSpec& audit) {
  CommandSpec& command = audit.AddCommand("show", "who did what, the newest last");
  auto arguments = std::make_shared<AuditArguments>();
  AddPlace(command, *arguments);
  command.AddOption("--since", arguments->since, "2026-11-28, a longer time in UTC, or 7d");
  command.AddOption("--who", arguments->filter.who, "name of a token or person");
  command.AddOption("--run", arguments->filter.run, "its id");
  command.AddOption("--act", arguments->filter.act, "run.remove, or run. for all of runs");
  command.AddOption("--last", arguments->last, "entries at most")
      .Range(1, 10'000'000)
      .ShowDefault();
  arguments->output.AddTo(command);
  command.Footer(
      "Example:\n  rankscope audit show /var/lib/rankscope --since 7d --act run.remove --format "
      "csv");
  command.SetRun(MakeAction([arguments] { return ShowAudit(*arguments); }));
}

void AddVerify(CommandSpec& audit) {
  CommandSpec& command =
      audit.AddCommand("verify", "whether a line was changed, removed or put in");
  auto arguments = std::make_shared<AuditArguments>();
  AddPlace(command, *arguments);
  command.AddOption("--expect", arguments->expected,
                    "NUMBER:HASH that was noted elsewhere, such as in the server's log: this line "
                    "has to be there");
  command.Footer("Example:\n  rankscope audit verify /var/lib/rankscope");
  command.SetRun(MakeAction([arguments] { return Verify(*arguments); }));
}

}  // namespace

void AddAudit(CommandSpec& app) {
  CommandSpec& command = app.AddCommand("audit", "who did what at a server");
  AddShow(command);
  AddVerify(command);
  command.Footer("Example:\n  rankscope audit show /var/lib/rankscope --who ann");
}

}  // namespace rankscope::cli
