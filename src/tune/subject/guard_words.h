// The protocol between a tuner and its guard: for every order one line of JSON each way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/fields.h"

namespace rankscope::tune {

struct GuardOrder {
  // The order:
  //   watch, forget  `group`, processes that end with the tuner
  //   lease          read the folder's lease from now on
  //   apply          `content` and `command`, the service's new settings
  //   canary         watch the service for `time_ns`, and restore it when it fails; the answer
  //                  comes at the end
  //   break          restore it in the canary, for the reason `why`
  //   restore, keep  the old settings, or the new ones; both end the lease
  std::string what;
  std::int64_t group = 0;
  std::string content;
  std::vector<std::string> command;
  std::int64_t time_ns = 0;
  std::int64_t ttft_ns = 0, tpot_ns = 0, e2e_ns = 0;  // limits of the objective; 0: none
  std::string why;
};

struct GuardAnswer {
  std::string problem;        // why it failed; "": it succeeded
  std::string broken;         // of a canary: why the old settings are back; "": it went well
  std::string seen;           // of a canary: a sentence about the service's metrics
  bool has_restored = false;  // when it started, the guard restored what a dead tuner had left
};

}  // namespace rankscope::tune

namespace rankscope::json {
template <>
const Fields<tune::GuardOrder>& FieldsOf();
template <>
const Fields<tune::GuardAnswer>& FieldsOf();
}  // namespace rankscope::json
