#include <fmt/format.h>

#include "analysis/list.h"
#include "cli/command.h"

namespace rankscope::cli {
namespace {

void DescribeOne(const Analysis& analysis) {
  fmt::print("{}: {}\n\n{}\n\ncolumns\n", analysis.name, analysis.summary, analysis.definition);
  for (const ColumnSpec& column : analysis.columns) {
    const std::string type = column.unit.empty()
                                 ? std::string(ToString(column.type))
                                 : fmt::format("{}, {}", ToString(column.type), column.unit);
    fmt::print("  {:<26} {:<14} {}\n", column.name, type, column.doc);
  }
  fmt::print("\noptions (--set OPTION=VALUE)\n");
  for (const OptionSpec& option : analysis.options) {
    fmt::print("  {:<26} {:<14} {}\n", option.name, option.default_value, option.doc);
  }
  if (analysis.options.empty()) fmt::print("  none\n");
  fmt::print("\nexample\n  {}\n", analysis.example);
}

// docs/tables.md: everything that `list NAME` says, of every analysis.
void PrintMarkdown() {
  fmt::print(
      "# Tables\n\nEvery analysis, its definition and columns. Made by `rankscope list "
      "--markdown`; times in `ns` are int64.\n");
  for (const Analysis* analysis : AllAnalyses()) {
    fmt::print(
        "\n## {}\n\n{}.\n\n{}\n\n    {}\n\n| column | type | unit | meaning |\n|---|---|---|---|\n",
        analysis->name, analysis->summary, analysis->definition, analysis->example);
    for (const ColumnSpec& column : analysis->columns) {
      fmt::print("| {} | {} | {} | {} |\n", column.name, ToString(column.type), column.unit,
                 column.doc);
    }
    if (analysis->options.empty()) continue;
    fmt::print("\n| option | default | meaning |\n|---|---|---|\n");
    for (const OptionSpec& option : analysis->options) {
      fmt::print("| {} | {} | {} |\n", option.name, option.default_value, option.doc);
    }
  }
}

int Run(const std::string& name, bool markdown) {
  if (markdown) {
    PrintMarkdown();
    return kDone;
  }
  if (!name.empty()) {
    const auto analysis = FindAnalysis(name);
    if (!analysis.ok()) return Fail(analysis.status());
    DescribeOne(**analysis);
    return kDone;
  }
  for (const Analysis* analysis : AllAnalyses())
    fmt::print("{:<18} {}\n", analysis->name, analysis->summary);
  return kDone;
}

}  // namespace

void AddList(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("list", "list the analyses, or describe one");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "an analysis");
  auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "every analysis as a Markdown page");
  command->footer("Example:\n  rankscope list time_breakdown");
  command->callback(
      [&action, name, markdown] { action = [name, markdown] { return Run(*name, *markdown); }; });
}

}  // namespace rankscope::cli
