// The tools: each is its words, its arguments and a function of the source.
#include <fmt/format.h>

#include <iterator>
#include <utility>
#include <vector>

#include "app/what_if.h"
#include "catalog/tables.h"
#include "mcp/explain.h"
#include "mcp/tool.h"

namespace rankscope::mcp {
namespace {

// What the call has heard belongs to the answer.
template <typename T>
ToolAnswer AnswerOf(T result, const Call& call) {
  if (!call.notices().empty()) result.notices = call.notices();
  return {.text = json::ToJson(result), .is_json = true};
}

Result<ToolAnswer> Findings(Source& source, const FindingsArguments& /*arguments*/, Call& call) {
  RS_ASSIGN_OR_RETURN(FindingsResult result, source.Findings(call));
  return AnswerOf(std::move(result), call);
}

Result<ToolAnswer> Explain(Source& /*source*/, const ExplainArguments& arguments, Call& /*call*/) {
  RS_ASSIGN_OR_RETURN(std::string page, Explained(arguments.id));
  return ToolAnswer{.text = std::move(page)};
}

Result<ToolAnswer> TableRows(Source& source, const TableArguments& arguments, Call& call) {
  RS_ASSIGN_OR_RETURN(RowsResult result, source.Rows(arguments, call));
  return AnswerOf(std::move(result), call);
}

Result<ToolAnswer> Query(Source& source, const QueryArguments& arguments, Call& call) {
  RS_ASSIGN_OR_RETURN(RowsResult result, source.Query(arguments, call));
  return AnswerOf(std::move(result), call);
}

Result<ToolAnswer> WhatIf(Source& source, const WhatIfArguments& arguments, Call& call) {
  RS_ASSIGN_OR_RETURN(RowsResult result, source.WhatIf(arguments, call));
  return AnswerOf(std::move(result), call);
}

Result<ToolAnswer> Diff(Source& source, const DiffArguments& arguments, Call& call) {
  RS_ASSIGN_OR_RETURN(DiffResult result, source.Diff(arguments, call));
  return AnswerOf(std::move(result), call);
}

Result<ToolAnswer> Fix(Source& source, const FixArguments& arguments, Call& call) {
  RS_ASSIGN_OR_RETURN(FixResult result, source.Fix(arguments, call));
  return AnswerOf(std::move(result), call);
}

template <typename Arguments>
using Run = Result<ToolAnswer> (*)(Source& source, const Arguments& arguments, Call& call);

// `tool` has the words.
template <typename Arguments>
Tool Declared(Tool tool, Run<Arguments> run) {
  tool.arguments = &json::FieldsOf<Arguments>();
  tool.prepare = [run](const json::Value& given) -> Result<ToolWork> {
    Arguments arguments;
    RS_RETURN_IF_ERROR(json::FieldsOf<Arguments>().Read(given, arguments));
    return ToolWork(
        [run, arguments](Source& source, Call& call) { return run(source, arguments, call); });
  };
  return tool;
}

std::string WhatIfDescription() {
  std::string text =
      "Replays the job with changes, all made at once: how long would a step take. Rows: each "
      "change as it was given, and all together last; gain_pct is of the step. Changes:";
  for (const app::ChangeForm& form : app::ChangeForms())
    fmt::format_to(std::back_inserter(text), "\n{}: {}", form.form, form.what);
  return text;
}

std::vector<Tool> MakeTools() {
  return {
      Declared<FindingsArguments>(
          {.name = "findings",
           .title = "Why the job is slow",
           .description =
               "Why this AI training or serving job is slow, by the traces of all its ranks: "
               "causes, the gravest first, each with its evidence, the ranks and lines of code "
               "where it sits, what to change, and what of a step that would gain. Begin here. An "
               "empty list is an answer, too: headline says what limits the job.",
           .result = &json::FieldsOf<FindingsResult>()},
          Findings),
      Declared<ExplainArguments>(
          {.name = "explain",
           .title = "What a finding or a table means",
           .description =
               "The page of a finding or of a verdict on the recording (how it shows, why it "
               "matters, what to change, with code), or a table's definition, columns and options. "
               "Without id: a line for each that there is.",
           .is_quick = true},
          Explain),
      Declared<TableArguments>(
          {.name = "table",
           .title = "Rows of a table",
           .description = "Rows of one of the tables of the job. Useful first: kernels_by_name, "
                          "time_breakdown, "
                          "step_times, contributions, exposed_by_group, idle_gaps, lines, blame, "
                          "memory_peaks, roofline. Times are nanoseconds.",
           .result = &json::FieldsOf<RowsResult>()},
          TableRows),
      Declared<QueryArguments>(
          {.name = "query",
           .title = "SQL over events and tables",
           .description =
               fmt::format("One SELECT over all ranks. Views: {}, and each table by its name; "
                           "explain kernels lists the columns. Sees the job and no files. "
                           "Aggregate in SQL rather than asking for many rows, such as: SELECT "
                           "line, sum(dur_ns) AS ns FROM kernels GROUP BY ALL ORDER BY ns DESC "
                           "LIMIT 10",
                           fmt::join(catalog::TableNames(Subject::kEvents), ", ")),
           .result = &json::FieldsOf<RowsResult>()},
          Query),
      Declared<WhatIfArguments>({.name = "whatif",
                                 .title = "What a step would take if",
                                 .description = WhatIfDescription(),
                                 .result = &json::FieldsOf<RowsResult>()},
                                WhatIf),
      Declared<DiffArguments>(
          {.name = "diff",
           .title = "What changed between two jobs",
           .description = "Compares two jobs, or ranks of one: how much slower test is than base, "
                          "whether that "
                          "is noise, what the change consists of, which findings appeared or went.",
           .result = &json::FieldsOf<DiffResult>()},
          Diff),
      Declared<FixArguments>(
          {.name = "fix",
           .title = "A patch of the code",
           .description =
               "A diff of the program's Python code for findings that lines of code mend (loaders, "
               "optimizers, precision, waits for the device, DDP, attention, ...), only where what "
               "is meant is certain, and what is to be changed by hand, with file and line. "
               "Changes nothing: show the diff before you apply it.",
           .result = &json::FieldsOf<FixResult>()},
          Fix),
  };
}

}  // namespace

std::span<const Tool> AllTools() {
  static const std::vector<Tool> tools = MakeTools();
  return tools;
}

}  // namespace rankscope::mcp
