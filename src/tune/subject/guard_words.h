// What a tuner and its guard tell each other: a line of JSON each way for every order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/fields.h"

namespace rankscope::tune {

struct GuardOrder {
  // What is to be done:
  //   watch, forget  `group`, processes that end with the tuner
  //   lease          look at the folder's lease from now on
  //   apply          `content` and `command`, the service's new settings
  //   canary         for `time_ns`: watch the service, and put it back when it fails; the answer
  //                  comes in the end
  //   break          put it back in the canary, for the reason `why`
  //   restore, keep  the old settings, or the new ones, and no lease any more
  std::string what;
  std::int64_t group = 0;
  std::string content;
  std::vector<std::string> command;
  std::int64_t time_ns = 0;
  std::int64_t ttft_ns = 0, tpot_ns = 0, e2e_ns = 0;  // limits of the objective; 0: none
  std::string why;
};

struct GuardAnswer {
  std::string problem;        // why it could not be done; "" it was
  std::string broken;         // of a canary: why the old settings are back; "" it went well
  std::string seen;           // of a canary: what the service's metrics told, a sentence
  bool has_restored = false;  // what a dead tuner had left, when the guard began
};

}  // namespace rankscope::tune

namespace rankscope::json {
template <>
const Fields<tune::GuardOrder>& FieldsOf();
template <>
const Fields<tune::GuardAnswer>& FieldsOf();
}  // namespace rankscope::json
