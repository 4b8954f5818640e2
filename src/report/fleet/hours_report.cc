#include "report/fleet/hours_report.h"

#include <fmt/core.h>

#include "schemas/fleet_hours.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

std::string Hours(std::int64_t ms) {
  return fmt::format("{:.1f}", static_cast<double>(ms) / 3.6e6);
}

// "A to B: 96.0 device hours, 60.4% allocated, 3.1% down, ..."
std::string Sentence(ViewOf<FleetCapacity> rows, std::size_t row) {
  const auto& of = SchemaOf<FleetCapacity>();
  const std::int64_t all = rows.Int(row, of.capacity_ms);
  std::string text = fmt::format("{} to {}: {} device hours", rows.String(row, of.from),
                                 rows.String(row, of.until), Hours(all));
  if (all == 0) return text + "; no devices were named for that time\n";
  const auto part = [&](std::int64_t ms, const char* words) {
    if (ms == 0) return;
    text += fmt::format(
        ", {} {}", HumanPercent(100.0 * static_cast<double>(ms) / static_cast<double>(all)), words);
  };
  part(rows.Int(row, of.allocated_ms), "allocated");
  part(rows.Int(row, of.reserved_ms), "reserved");
  part(rows.Int(row, of.down_ms), "down");
  part(rows.Int(row, of.unallocated_ms), "unallocated");
  text += "\n";
  const std::int64_t known = rows.Known(row, of.use_known_ms).value_or(0);
  if (known == 0) return text;
  const auto pct = [](std::int64_t ms, std::int64_t of_ms) {
    return HumanPercent(100.0 * static_cast<double>(ms) / static_cast<double>(of_ms));
  };
  text += fmt::format("busy {} of what was allocated (known of {} of it)",
                      pct(rows.Int(row, of.busy_ms), known),
                      pct(known, rows.Int(row, of.allocated_ms)));
  if (const std::int64_t unclaimed = rows.Int(row, of.busy_unclaimed_ms); unclaimed > 0)
    text += fmt::format("; {} device hours busy that no job had", Hours(unclaimed));
  return text + "\n";
}

// Of the time of which it is known.
Value BusyPct(ViewOf<FleetHours> rows, std::size_t row) {
  const auto& of = SchemaOf<FleetHours>();
  const std::int64_t known = rows.Known(row, of.use_known_ms).value_or(0);
  if (known == 0) return kNull;
  return 100.0 * static_cast<double>(rows.Int(row, of.busy_ms)) / static_cast<double>(known);
}

Table Shown(ViewOf<FleetHours> rows, std::string_view from, const std::string& by) {
  const auto& of = SchemaOf<FleetHours>();
  Table shown("hours", {{.name = by, .type = ColumnType::kString},
                        {.name = "jobs", .type = ColumnType::kInt64},
                        {.name = "device_hours", .type = ColumnType::kDouble, .unit = "h"},
                        {.name = "share_pct", .type = ColumnType::kDouble, .unit = "%"},
                        {.name = "failed_pct", .type = ColumnType::kDouble, .unit = "%"},
                        {.name = "cancelled_pct", .type = ColumnType::kDouble, .unit = "%"},
                        {.name = "shared_pct", .type = ColumnType::kDouble, .unit = "%"},
                        {.name = "busy_pct", .type = ColumnType::kDouble, .unit = "%"}});
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    if (rows.String(row, of.from) != from) continue;
    const std::int64_t all = rows.Int(row, of.allocated_ms);
    const auto pct = [&](ColumnHandle<FleetHours, std::int64_t> column) {
      return all == 0 ? Value()
                      : Value(100.0 * static_cast<double>(rows.Int(row, column)) /
                              static_cast<double>(all));
    };
    const std::string value =
        rows.IsNull(row, of.value) ? "unattributed" : std::string(rows.String(row, of.value));
    const auto share = rows.Known(row, of.share_pct);
    shown.AddRow({Value(std::string_view(value)), Value(rows.Int(row, of.jobs)),
                  Value(rows.Double(row, of.device_hours)), share ? Value(*share) : Value(),
                  pct(of.failed_ms), pct(of.cancelled_ms), pct(of.shared_ms), BusyPct(rows, row)});
  }
  return shown;
}

}  // namespace

std::string WriteHoursText(const Table& capacity, const Table& hours, const std::string& by,
                           const TextOptions& options) {
  const ViewOf<FleetCapacity> periods = capacity;
  const auto& of = SchemaOf<FleetCapacity>();
  std::string text;
  for (std::size_t row = 0; row < periods.row_count(); ++row) {
    if (!text.empty()) text += "\n";
    text += Sentence(periods, row);
    const Table shown = Shown(hours, periods.String(row, of.from), by);
    if (shown.row_count() > 0) text += "\n" + WriteText(shown, options);
  }
  return text;
}

}  // namespace rankscope
