#include "analysis/highest_devices.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/saturating.h"

namespace rankscope {
namespace {

// The rows of one device of one capture.
struct DeviceRows {
  std::size_t capture = 0;
  std::int64_t rank = 0;
  std::int64_t capture_index = 0;
  std::int64_t device = 0;  // the host has none: -1
  std::optional<std::int64_t> level;
  Table table;

  // What comes first is kept.
  friend bool operator<(const DeviceRows& a, const DeviceRows& b) {
    if (a.level != b.level) return a.level > b.level;
    return std::tie(a.rank, a.capture_index, a.device) <
           std::tie(b.rank, b.capture_index, b.device);
  }
};

// The devices of a partial, by type and number.
std::map<std::pair<std::string, std::int64_t>, DeviceRows> Split(const Table& table,
                                                                 std::string_view column,
                                                                 HighestDevices::Level level) {
  const std::size_t type = *table.Find("device_type");
  const std::size_t id = *table.Find("device");
  const std::size_t value = *table.Find(column);
  std::map<std::pair<std::string, std::int64_t>, DeviceRows> devices;
  std::vector<Value> cells;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const std::int64_t device = table.IsNull(row, id) ? -1 : table.Int(row, id);
    const auto [place, is_new] =
        devices.try_emplace({std::string(table.String(row, type)), device});
    DeviceRows& of_device = place->second;
    if (is_new) {
      of_device.device = device;
      of_device.table = Table(table.name(), table.columns());
    }
    cells.clear();
    for (std::size_t i = 0; i < table.column_count(); ++i) cells.push_back(table.At(row, i));
    of_device.table.AddRow(cells);
    if (table.IsNull(row, value)) continue;
    const std::int64_t amount = table.Int(row, value);
    if (!of_device.level) {
      of_device.level = amount;
    } else if (level == HighestDevices::Level::kSum) {
      of_device.level = SaturatingAdd(*of_device.level, amount);
    } else {
      of_device.level = std::max(*of_device.level, amount);
    }
  }
  return devices;
}

}  // namespace

Result<HighestDevices> HighestDevices::Of(PartialStream& partials, const JobContext& job,
                                          std::int64_t most, std::string_view column, Level level) {
  HighestDevices result;
  std::map<std::string, std::set<DeviceRows>> of_type;
  Partial partial;
  while (true) {
    RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
    if (!more) break;
    for (auto& [key, rows] : Split(partial.tables[0], column, level)) {
      rows.capture = partial.capture;
      rows.rank = job.captures[partial.capture].rank;
      rows.capture_index = job.captures[partial.capture].index;
      std::set<DeviceRows>& kept = of_type[key.first];
      kept.insert(std::move(rows));
      if (std::ssize(kept) > most) kept.erase(std::prev(kept.end()));
    }
  }
  for (const auto& [type, kept] : of_type) {
    for (const DeviceRows& rows : kept) result.kept_.push_back({rows.capture, {rows.table}});
  }
  return result;
}

Result<bool> HighestDevices::Next(Partial& partial) {
  if (next_ == kept_.size()) return false;
  partial = std::move(kept_[next_++]);
  return true;
}

}  // namespace rankscope
