// Findings of what was measured without ranks (serving programs, post-training runs), and notes on
// their recordings: as text, JSON and Markdown. Their tables share these columns; `Findings` and
// `Notes` are RowsOf<...> (table_view.h).
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "json/writer.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/documents/markdown_report.h"
#include "table/terminal_text.h"

namespace rankscope {

// What follows the headline, which is the title of the first. `gain` is a sentence.
template <typename Findings>
void AppendWorstFinding(std::string& out, const Findings& rows, const std::string& gain) {
  AppendHeading(out, fmt::format("{} ({})", SafeForTerminal(rows.String(0, rows->id)),
                                 rows.String(0, rows->severity)));
  AppendWrapped(out, "  Seen: ", SafeForTerminal(rows.String(0, rows->evidence)) + ".");
  AppendWrapped(out, "  Change: ", SafeForTerminal(rows.String(0, rows->change)));
  AppendWrapped(out, "  ", gain);
}

// "Also: cold-start (low), ...: --table serving_findings".
template <typename Findings>
void AppendOtherFindings(std::string& out, const Findings& rows, std::string_view table) {
  std::string text;
  for (std::size_t row = 1; row < rows.rows(); ++row)
    text += fmt::format("{}{} ({})", row > 1 ? ", " : "", rows.String(row, rows->id),
                        rows.String(row, rows->severity));
  if (!text.empty())
    AppendWrapped(out, "  Also: ", SafeForTerminal(text) + fmt::format(": --table {}", table));
}

// "2 notes on the recordings, 7 findings that could not be looked for"; "" without any.
template <typename Notes>
std::string CountNotes(const Notes& rows) {
  std::size_t notes = 0, unchecked = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    ++(rows.Flag(row, rows->is_unchecked) ? unchecked : notes);
  std::string text;
  if (notes > 0) text = fmt::format("{} on the recordings", Plural(notes, "note"));
  if (unchecked > 0)
    text += fmt::format("{}{} that could not be looked for", text.empty() ? "" : ", ",
                        Plural(unchecked, "finding"));
  return text;
}

// The members "findings" and "not_evaluated". `own(row)` writes what a finding has beside, before
// why no gain is stated.
template <typename Findings, typename Notes, typename Own>
void WriteMeasuredFindings(json::Writer& writer, const Findings& rows, const Notes& notes,
                           const Own& own) {
  writer.Line().Key("findings").BeginArray();
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    writer.Line().BeginObject();
    writer.Member("id", rows.String(row, rows->id))
        .Member("severity", rows.String(row, rows->severity));
    writer.Member("title", rows.String(row, rows->title));
    writer.Member("evidence", rows.String(row, rows->evidence));
    writer.Member("recommendation", rows.String(row, rows->change));
    writer.Member("lost_pct", rows.Number(row, rows->lost_pct));
    writer.Member("gain_pct", rows.Number(row, rows->gain_pct));
    own(row);
    writer.TextMember("no_gain", rows.String(row, rows->no_gain)).EndObject();
  }
  writer.EndArray();
  writer.Line().Key("not_evaluated").BeginArray();
  for (std::size_t row = 0; row < notes.rows(); ++row)
    if (notes.Flag(row, notes->is_unchecked)) writer.Write(notes.String(row, notes->note));
  writer.EndArray();
}

// The chapters "Findings" and "Notes". `gain(row)` is a sentence.
template <typename Findings, typename Notes, typename Gain>
void AppendMeasuredMarkdown(std::string& out, const Findings& rows, const Notes& notes,
                            const Gain& gain) {
  if (!rows.empty()) out += "\n## Findings\n";
  for (std::size_t row = 0; row < rows.rows(); ++row)
    out += fmt::format("\n### {}: {} ({})\n\nSeen: {}.\n\nChange: {}\n\n{}\n",
                       rows.String(row, rows->id), EscapedMarkdown(rows.String(row, rows->title)),
                       rows.String(row, rows->severity),
                       EscapedMarkdown(rows.String(row, rows->evidence)),
                       EscapedMarkdown(rows.String(row, rows->change)), EscapedMarkdown(gain(row)));
  if (notes.rows() > 0) out += "\n## Notes\n\n";
  for (std::size_t row = 0; row < notes.rows(); ++row)
    out += fmt::format("- {}{}\n", notes.Flag(row, notes->is_unchecked) ? "not looked for: " : "",
                       EscapedMarkdown(notes.String(row, notes->note)));
}

}  // namespace rankscope
