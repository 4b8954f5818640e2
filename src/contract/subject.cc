#include "contract/subject.h"

namespace rankscope {

std::string_view ToString(Subject subject) {
  switch (subject) {
    case Subject::kEvents:
      return "events";
    case Subject::kJob:
      return "job";
    case Subject::kPair:
      return "pair";
    case Subject::kSnapshot:
      return "snapshot";
    case Subject::kDumps:
      return "dumps";
    case Subject::kServing:
      return "serving";
    case Subject::kPostTraining:
      return "post-training";
    case Subject::kFleet:
      return "fleet";
  }
  return "";
}

}  // namespace rankscope
