#include "serving/base/data.h"

#include <string_view>

namespace rankscope::serving {

std::string_view ToString(Side side) {
  switch (side) {
    case Side::kClient:
      return "client";
    case Side::kProxy:
      return "proxy";
    case Side::kServer:
      return "server";
  }
  return "";
}

std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return "done";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kCancelled:
      return "cancelled";
  }
  return "";
}

std::string_view ToString(LoadKind kind) {
  switch (kind) {
    case LoadKind::kOpen:
      return "open";
    case LoadKind::kClosed:
      return "closed";
    case LoadKind::kReplay:
      return "replay";
  }
  return "";
}

}  // namespace rankscope::serving
