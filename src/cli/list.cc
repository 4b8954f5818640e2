#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "analysis/list.h"
#include "cli/command.h"

namespace rankscope::cli {
namespace {

template <typename... Args>
void Print(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

void DescribeOne(const Analysis& analysis, std::string& out) {
  Print(out, "{}: {}\n\n{}\n\ncolumns\n", analysis.name, analysis.summary, analysis.definition);
  for (const ColumnSpec& column : analysis.columns) {
    const std::string type = column.unit.empty()
                                 ? std::string(ToString(column.type))
                                 : fmt::format("{}, {}", ToString(column.type), column.unit);
    Print(out, "  {:<26} {:<14} {}\n", column.name, type, column.doc);
  }
  Print(out, "\noptions (--set OPTION=VALUE)\n");
  for (const OptionSpec& option : analysis.AllOptions()) {
    Print(out, "  {:<26} {:<14} {}\n", option.name, option.default_value, option.doc);
  }
  if (analysis.AllOptions().empty()) Print(out, "  none\n");
  Print(out, "\nexample\n  {}\n", analysis.example);
}

constexpr std::string_view kCompatTitle = "Tables of other tools";
constexpr std::string_view kCompatAbout =
    "The columns and numbers of the tool's own tables, defects included, for people who come from "
    "it; [hta.md](hta.md) says where they differ from the tables above, and why.";

// Names and summaries, each group in a table of its own.
void ListNames(std::string& out) {
  for (const Group group : {Group::kDefault, Group::kCompat}) {
    std::size_t width = 0;
    for (const Analysis* analysis : AllAnalyses()) {
      if (analysis->group == group) width = std::max(width, analysis->name.size());
    }
    if (group == Group::kCompat && width > 0) Print(out, "\n{}\n", kCompatTitle);
    for (const Analysis* analysis : AllAnalyses()) {
      if (analysis->group == group)
        Print(out, "{:<{}}  {}\n", analysis->name, width, analysis->summary);
    }
  }
}

// docs/tables.md: everything that `list NAME` says, of every analysis.
void DescribeAllInMarkdown(std::string& out) {
  Print(out,
        "# Tables\n\nEvery analysis, its definition and columns. Made by `rankscope list "
        "--markdown`; times in `ns` are int64.\n");
  bool is_compat = false;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->group == Group::kCompat && !is_compat) {
      Print(out, "\n# {}\n\n{}\n", kCompatTitle, kCompatAbout);
      is_compat = true;
    }
    Print(
        out,
        "\n## {}\n\n{}.\n\n{}\n\n    {}\n\n| column | type | unit | meaning |\n|---|---|---|---|\n",
        analysis->name, analysis->summary, analysis->definition, analysis->example);
    for (const ColumnSpec& column : analysis->columns) {
      Print(out, "| {} | {} | {} | {} |\n", column.name, ToString(column.type), column.unit,
            column.doc);
    }
    if (analysis->AllOptions().empty()) continue;
    Print(out, "\n| option | default | meaning |\n|---|---|---|\n");
    for (const OptionSpec& option : analysis->AllOptions()) {
      Print(out, "| {} | {} | {} |\n", option.name, option.default_value, option.doc);
    }
  }
}

Status Run(const std::string& name, bool markdown) {
  std::string out;
  if (markdown) {
    DescribeAllInMarkdown(out);
  } else if (!name.empty()) {
    RS_ASSIGN_OR_RETURN(const Analysis* analysis, FindAnalysis(name));
    DescribeOne(*analysis, out);
  } else {
    ListNames(out);
  }
  return WriteOutput("", out);
}

}  // namespace

void AddList(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("list", "list the analyses, or describe one");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "an analysis")->type_name(kAnalysisType);
  auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "every analysis as a Markdown page");
  command->footer("Example:\n  rankscope list time_breakdown");
  command->callback([&action, name, markdown] {
    action = MakeAction([name, markdown] { return Run(*name, *markdown); });
  });
}

}  // namespace rankscope::cli
