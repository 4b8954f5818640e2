#include <fmt/core.h>

#include <map>

#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "report/words/finding_words.h"
#include "schemas/captures.h"
#include "table/terminal_text.h"

namespace rankscope {

void AppendQuality(std::string& out, const Report& report) {
  constexpr std::size_t kMost = 8;
  const RowsOf<DataQuality> quality(report);
  if (quality.empty()) return;
  AppendHeading(out, "DATA QUALITY");
  // One line per sentence: a thousand ranks with one flaw are one flaw.
  std::map<std::string_view, std::size_t> files;
  for (std::size_t row = 0; row < quality.rows(); ++row)
    ++files[quality.String(row, quality->message)];
  std::size_t shown = 0;
  for (const auto& [message, count] : files) {
    if (++shown > kMost) {
      out += fmt::format("  ... {} more: rankscope table data_quality\n", files.size() - kMost);
      break;
    }
    AppendWrapped(out, "  ",
                  fmt::format("{} ({})", SafeForTerminal(message), Plural(count, "file")));
  }
}

void AppendQualityCount(std::string& out, const Report& report) {
  const RowsOf<DataQuality> quality(report);
  if (quality.empty()) return;
  out += fmt::format("\n{} on the recordings: {}\n", Plural(quality.rows(), "remark"),
                     CommandWords(report, "rankscope table data_quality TRACES"));
}

}  // namespace rankscope
