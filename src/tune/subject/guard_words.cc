#include "tune/subject/guard_words.h"

namespace rankscope::json {

using tune::GuardAnswer;
using tune::GuardOrder;

template <>
const Fields<GuardOrder>& FieldsOf() {
  static const Fields<GuardOrder> fields =
      Fields<GuardOrder>("GuardOrder", "what a tuner's guard is to do", Use::kRecord)
          .Add<&GuardOrder::what>({.name = "what"})
          .Add<&GuardOrder::group>({.name = "group"})
          .Add<&GuardOrder::content>({.name = "content"})
          .Add<&GuardOrder::command>({.name = "command"})
          .Add<&GuardOrder::time_ns>({.name = "time_ns", .unit = "ns"})
          .Add<&GuardOrder::ttft_ns>({.name = "ttft_ns", .unit = "ns"})
          .Add<&GuardOrder::tpot_ns>({.name = "tpot_ns", .unit = "ns"})
          .Add<&GuardOrder::e2e_ns>({.name = "e2e_ns", .unit = "ns"})
          .Add<&GuardOrder::why>({.name = "why"});
  return fields;
}

template <>
const Fields<GuardAnswer>& FieldsOf() {
  static const Fields<GuardAnswer> fields =
      Fields<GuardAnswer>("GuardAnswer", "what came of it", Use::kRecord)
          .Add<&GuardAnswer::problem>({.name = "problem"})
          .Add<&GuardAnswer::broken>({.name = "broken"})
          .Add<&GuardAnswer::seen>({.name = "seen"})
          .Add<&GuardAnswer::has_restored>({.name = "has_restored"});
  return fields;
}

}  // namespace rankscope::json
