#include "rerun/record.h"

#include <chrono>

#include "base/process.h"
#include "rerun/hooks.h"
#include "rerun/run_times.h"

namespace rankscope::rerun {

Result<std::vector<std::string>> Record(const RecordSpec& spec,
                                        const std::function<bool()>& is_stopped) {
  RS_ASSIGN_OR_RETURN(const std::string hooks, WriteHooks(spec.work));
  const HookWish wish{.out = spec.out,
                      .records = true,
                      .warmup = spec.warmup,
                      .steps = spec.steps,
                      .ends_behind = spec.ends_behind};
  const ProcessSpec process{
      .words = spec.command, .environment = EnvironmentOf(wish, hooks), .folder = spec.folder};
  RS_ASSIGN_OR_RETURN(const ProcessEnd end,
                      RunProcess(process, std::chrono::hours(24 * 365), is_stopped));
  RS_ASSIGN_OR_RETURN(std::vector<std::string> traces, RecordingsIn(spec.out));
  if (end.exit_code != 0)
    return Error(StatusCode::kBadData, "the command ended with {}{}", end.exit_code,
                 traces.empty() ? "" : fmt::format("; what it did before is in {}", spec.out));
  if (traces.empty())
    return Error(StatusCode::kBadData,
                 "nothing was recorded: no process of the command imported torch and ended more "
                 "than {} steps of an optimizer (--warmup)",
                 spec.warmup);
  return traces;
}

}  // namespace rankscope::rerun
