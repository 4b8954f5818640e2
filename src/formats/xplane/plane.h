// A plane of an XPlane file: its lines, and the names of its events and stats by number. Everything
// points into the bytes of the file. A damaged plane is read up to the damage, which sets
// `is_damaged`.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/hlo_name.h"

namespace rankscope::xplane {

struct Stat {
  std::string_view name;
  std::int64_t number = 0;
  std::string_view text;  // "" for a number
};

// Shared by all events with one id.
struct EventName {
  std::string_view name;
  std::string_view category;  // "hlo_category"; or ""
  HloRole role = HloRole::kCompute;
};

struct Plane {
  std::string_view name;
  boost::unordered_flat_map<std::int64_t, EventName> events;
  boost::unordered_flat_map<std::int64_t, std::string_view> stats;
  std::vector<std::string_view> lines;  // messages, like those below
  std::vector<std::string_view> own_stats;

  // Empty if the id has no name.
  EventName EventNameOf(std::int64_t id) const;
  std::string_view StatNameOf(std::int64_t id) const;
};

struct Line {
  std::int64_t id = 0;
  std::string_view name;
  std::int64_t timestamp_ns = 0;
};

Plane ReadPlane(std::string_view bytes, bool& is_damaged);
// Reads a line without its events.
Line ReadLine(std::string_view bytes, bool& is_damaged);
Stat ReadStat(std::string_view bytes, const Plane& of, bool& is_damaged);

}  // namespace rankscope::xplane
