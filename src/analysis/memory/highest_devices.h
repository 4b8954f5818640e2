// Partials of memory tables with only the devices that use the most memory: a report on a thousand
// ranks shows a few.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "stage/reducer.h"

namespace rankscope {

// For each device type, keeps the devices with the highest `level` of a column, among equals those
// of the lowest rank, capture and device. The memory used grows with the number of devices kept.
class HighestDevices {
 public:
  enum class Level : std::uint8_t { kLargest, kSum };

  // most = 0: all devices. The schema of the tables has the columns device_type and device.
  template <typename T>
  HighestDevices(std::int64_t most, const T& schema, ColumnHandle<T, std::int64_t> column,
                 Level level)
      : most_(most),
        device_type_(schema.device_type.index()),
        device_(schema.device.index()),
        column_(column.index()),
        level_(level) {}

  void Add(const Capture& capture, Table table);
  void Merge(HighestDevices&& other);
  // The kept rows, device by device; they are handed over.
  PerCapture<Table> TakeRows();

 private:
  // The rows of one device of one capture.
  struct DeviceRows {
    std::int64_t rank = 0;
    std::int64_t capture = 0;
    std::int64_t device = 0;  // the host has none: -1
    std::optional<std::int64_t> level;
    Table table;

    // What comes first is kept.
    friend bool operator<(const DeviceRows& a, const DeviceRows& b) {
      if (a.level != b.level) return a.level > b.level;
      return std::tie(a.rank, a.capture, a.device) < std::tie(b.rank, b.capture, b.device);
    }
  };
  using DeviceKey = std::pair<std::string, std::int64_t>;  // type and number

  std::map<DeviceKey, DeviceRows> Split(const Table& table) const;
  void Keep(const std::string& type, DeviceRows rows);

  std::int64_t most_;
  // Columns by their index.
  std::size_t device_type_;
  std::size_t device_;
  std::size_t column_;
  Level level_;
  std::map<std::string, std::set<DeviceRows>> of_type_;
  PerCapture<Table> all_;  // in place of of_type_ when all are kept
};

}  // namespace rankscope
