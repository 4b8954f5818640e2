// Device hours by owner, from scheduler data (src/fleet/hours).
#pragma once

#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "table/table.h"

namespace rankscope::app {

struct HoursQuestion {
  std::string devices;  // files of fleet/hours/read_claims.h
  std::vector<std::string> sacct;
  std::vector<std::string> pods;
  std::vector<std::string> absences;
  std::string owners;  // rules; "": none
  std::vector<std::string> use;
  std::string use_unit;      // "ratio", "percent"; "": by the metric's name
  std::string since, until;  // times; until "": now
  std::string utc_offset;    // "+02:00", of times without a zone; "": UTC
  std::string by = "team";
  std::string every = "all";  // hour, day, week
};

struct HoursAnswer {
  Table capacity;  // fleet_capacity
  Table hours;     // fleet_hours
};

// kInvalidArgument for invalid times or an unknown grouping. The listener is told of claims on
// nodes without known devices. `now_s`: the clock, seconds since 1970.
Result<HoursAnswer> AskHours(const HoursQuestion& question, std::int64_t now_s, Listener& listener);

}  // namespace rankscope::app
