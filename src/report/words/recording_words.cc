#include "report/words/recording_words.h"

#include <fmt/core.h>

#include "report/base/table_view.h"
#include "schemas/captures.h"

namespace rankscope {

RecordingSentences DescribeRecording(const Report& report) {
  RecordingSentences said;
  const RowsOf<Recording> rows(report);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::string_view ranks = rows.String(row, rows->ranks);
    const bool is_one = ranks.find_first_of("-,") == std::string_view::npos;
    const std::string who = ranks.empty() || report.ranks.size() < 2
                                ? ""
                                : fmt::format("Rank{} {}: ", is_one ? "" : "s", ranks);
    const std::string_view severity = rows.String(row, rows->severity);
    const std::string sentence = who + std::string(rows.String(row, rows->message));
    (severity == "high" ? said.grave : said.others).push_back(sentence);
    if (severity == "medium") said.notable.push_back(sentence);
  }
  return said;
}

std::string RecordingVerdict(const Report& report) {
  const std::vector<std::string> grave = DescribeRecording(report).grave;
  if (grave.empty()) return "";
  // A command in brackets is for who reads it all.
  const std::string& text = grave.front();
  const std::size_t end = std::min(text.find(" (rankscope "), text.find(". "));
  return end == std::string::npos ? text : text.substr(0, end) + ".";
}

bool HasVerdict(const Report& report, std::string_view code) {
  const RowsOf<Recording> recording(report);
  for (std::size_t row = 0; row < recording.rows(); ++row) {
    if (recording.String(row, recording->code) == code) return true;
  }
  return false;
}

}  // namespace rankscope
