#include "serving/objective.h"

#include <algorithm>

#include "serving/base/words.h"

namespace rankscope::serving {

Result<Objective> ParseObjective(std::string_view text) {
  Objective objective;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = Trimmed(part.substr(0, equals));
    std::string_view value = Trimmed(part.substr(std::min(equals + 1, part.size())));
    Ns* const to = name == "ttft"   ? &objective.ttft
                   : name == "tpot" ? &objective.tpot
                   : name == "e2e"  ? &objective.e2e
                                    : nullptr;
    if (to == nullptr)
      return Error(StatusCode::kInvalidArgument,
                   "--slo: '{}' is none of ttft, tpot, e2e; such as ttft=500ms,tpot=50ms", name);
    double unit = 1e6;
    for (const auto& [ending, scale] :
         {std::pair(std::string_view("ns"), 1.0), std::pair(std::string_view("us"), 1e3),
          std::pair(std::string_view("ms"), 1e6), std::pair(std::string_view("s"), 1e9)}) {
      if (!value.ends_with(ending)) continue;
      value.remove_suffix(ending.size());
      unit = scale;
      break;
    }
    const auto number = ToNumber(Trimmed(value));
    *to = number && *number > 0 ? ToNs(*number, unit) : std::nullopt;
    if (!*to)
      return Error(StatusCode::kInvalidArgument,
                   "--slo: {} needs a duration above 0, such as {}=500ms", name, name);
  }
  if (!objective.has_any())
    return Error(StatusCode::kInvalidArgument,
                 "--slo names no limit; such as ttft=500ms,tpot=50ms");
  return objective;
}

}  // namespace rankscope::serving
