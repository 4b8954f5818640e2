#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"
#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/memory/memory_report.h"
#include "schemas/snapshot.h"
#include "table/human_number.h"
#include "table/style.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

constexpr std::size_t kMemoryTextMostRows = 10;
constexpr std::size_t kMemoryTextNameWidth = 38;

std::string Fitted(std::string_view text, std::size_t width) {
  std::string safe = ShortenMiddle(SafeForTerminal(text), width);
  const std::size_t has = CountCodePoints(safe);
  if (has < width) safe.append(width - has, ' ');
  return safe;
}

std::string Cell(std::optional<double> value, std::string_view unit) {
  return fmt::format("{:>10}", HumanValue(value, unit));
}

// The rows of a table as lines of `line(rows, row)`, which leaves rows out with "".
template <typename T, typename LineOf>
void AppendRows(std::string& out, const MemoryReport& report, const std::string& heading,
                std::size_t most, LineOf line) {
  const RowsOf<T> rows(report.Find(T::kName));
  std::string lines;
  std::size_t said = 0;
  std::size_t left = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::string text = line(rows, row);
    if (text.empty()) continue;
    if (said == most) {
      ++left;
      continue;
    }
    ++said;
    lines += text + "\n";
  }
  if (said == 0) return;
  AppendHeading(out, heading);
  out += lines;
  if (left > 0) out += Marked(Style::kAside, fmt::format("  {} more: --full", left)) + "\n";
}

std::string Titled(std::string_view title, std::initializer_list<std::string_view> columns) {
  std::string text = fmt::format("{:<{}}", title, kMemoryTextNameWidth + 2);
  for (const std::string_view column : columns) text += fmt::format("{:>10}", column);
  return text;
}

template <typename Rows>
std::string NameOf(const Rows& rows, std::size_t row, bool has_devices) {
  const std::string_view place = rows.String(row, rows->place);
  const std::string device = has_devices ? fmt::format("{} ", *rows.Int(row, rows->device)) : "";
  return fmt::format(
      "  {}{}", device,
      Fitted(place.empty() ? "(no stack)" : place, kMemoryTextNameWidth - device.size()));
}

}  // namespace

std::string WriteMemoryText(const MemoryReport& report, const MemoryTextOptions& options) {
  std::string out;
  for (const MemoryWords& words : WordsOfMemory(report)) {
    AppendWrapped(out, "", Marked(Style::kHeading, SafeForTerminal(words.headline)));
    for (const std::string& reason : words.reasons)
      AppendWrapped(out, "  - ", SafeForTerminal(reason));
  }
  out += "\n";
  AppendWrapped(out, "  ", SafeForTerminal(report.path));
  if (!report.later.empty()) AppendWrapped(out, "  later: ", SafeForTerminal(report.later));
  if (!report.settings.empty())
    AppendWrapped(out, "  PYTORCH_CUDA_ALLOC_CONF=", SafeForTerminal(report.settings));

  const std::size_t most = options.full ? SIZE_MAX : kMemoryTextMostRows;
  const bool has_devices = RowsOf<SnapshotSummary>(report.Find(SnapshotSummary::kName)).rows() > 1;
  AppendRows<SnapshotLeaks>(
      out, report, Titled("WHAT GREW", {"growth", "now", "new", "kept"}), most,
      [&](const auto& rows, std::size_t row) {
        if (*rows.Int(row, rows->growth_bytes) == 0 && *rows.Int(row, rows->new_bytes) == 0)
          return std::string();
        return NameOf(rows, row, has_devices) +
               Cell(rows.Number(row, rows->growth_bytes), "bytes") +
               Cell(rows.Number(row, rows->after_bytes), "bytes") +
               Cell(rows.Number(row, rows->new_bytes), "bytes") +
               Cell(rows.Number(row, rows->kept_bytes), "bytes");
      });
  AppendRows<SnapshotPeak>(
      out, report, Titled("HELD AT THE PEAK", {"bytes", "of peak", "count", "by"}), most,
      [&](const auto& rows, std::size_t row) {
        return NameOf(rows, row, has_devices) + Cell(rows.Number(row, rows->bytes), "bytes") +
               Cell(rows.Number(row, rows->of_peak_pct), "%") +
               Cell(rows.Number(row, rows->count), "") + " " +
               std::string(rows.String(row, rows->category));
      });
  AppendRows<SnapshotCategories>(
      out, report, Titled("BY WHAT THE PROGRAM DID", {"at peak", "at end", "allocated", "count"}),
      most, [&](const auto& rows, std::size_t row) {
        const std::string device =
            has_devices ? fmt::format("{} ", *rows.Int(row, rows->device)) : "";
        return "  " + device +
               Fitted(rows.String(row, rows->category), kMemoryTextNameWidth - device.size()) +
               Cell(rows.Number(row, rows->peak_bytes), "bytes") +
               Cell(rows.Number(row, rows->end_bytes), "bytes") +
               Cell(rows.Number(row, rows->allocated_bytes), "bytes") +
               Cell(rows.Number(row, rows->allocations), "");
      });
  AppendRows<SnapshotFragmentation>(
      out, report, Titled("RESERVED AT THE END", {"reserved", "used", "unused", "largest"}), most,
      [&](const auto& rows, std::size_t row) {
        const std::string device =
            has_devices ? fmt::format("{} ", *rows.Int(row, rows->device)) : "";
        const std::string_view pool = rows.String(row, rows->pool);
        const std::string name = fmt::format(
            "{} segments, stream {}{}", rows.String(row, rows->type), *rows.Int(row, rows->stream),
            pool.empty() ? "" : fmt::format(", pool {}", pool));
        const double unused =
            *rows.Number(row, rows->split_bytes) + *rows.Number(row, rows->idle_segment_bytes);
        return "  " + device + Fitted(name, kMemoryTextNameWidth - device.size()) +
               Cell(rows.Number(row, rows->reserved_bytes), "bytes") +
               Cell(*rows.Number(row, rows->reserved_bytes) - unused, "bytes") +
               Cell(unused, "bytes") + Cell(rows.Number(row, rows->largest_free_bytes), "bytes");
      });
  AppendRows<TimelineCategories>(
      out, report, Titled("BY CATEGORY", {"at peak", "of peak", "most", "at end"}), most,
      [&](const auto& rows, std::size_t row) {
        return "  " + Fitted(rows.String(row, rows->category), kMemoryTextNameWidth) +
               Cell(rows.Number(row, rows->peak_bytes), "bytes") +
               Cell(rows.Number(row, rows->of_peak_pct), "%") +
               Cell(rows.Number(row, rows->own_peak_bytes), "bytes") +
               Cell(rows.Number(row, rows->end_bytes), "bytes");
      });
  if (!report.is_timeline)
    out +=
        "\nThe timeline with stacks: --format html -o memory.html; one table: --table "
        "snapshot_stacks\n";
  return Resolve(out, options.colour);
}

}  // namespace rankscope
