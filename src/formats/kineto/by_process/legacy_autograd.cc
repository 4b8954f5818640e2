#include "formats/kineto/by_process/legacy_autograd.h"

#include <string_view>
#include <vector>

#include "formats/kineto/by_process/arrows.h"
#include "formats/kineto/by_process/row_mover.h"

namespace rankscope::kineto {
namespace {

enum class AutogradProcess : std::uint8_t { kOther, kHost, kDevice };

// "CPU functions"; "CUDA functions", "XPU functions".
AutogradProcess ProcessOf(std::string_view name) {
  constexpr std::string_view kEnding = " functions";
  if (!name.ends_with(kEnding)) return AutogradProcess::kOther;
  name.remove_suffix(kEnding.size());
  if (name == "CPU") return AutogradProcess::kHost;
  for (const std::string_view device : {"CUDA", "HIP", "XPU", "MTIA", "HPU", "PrivateUse1"}) {
    if (name == device) return AutogradProcess::kDevice;
  }
  return AutogradProcess::kOther;
}

bool IsAutogradArrow(std::string_view category) { return category.starts_with("cpu_to_"); }

}  // namespace

bool ReadLegacyAutograd(UnsortedTrace& unsorted) {
  RankTrace& trace = unsorted.trace;
  std::vector<AutogradProcess> process_of;
  bool any = false;
  for (const Track& track : trace.tracks) {
    process_of.push_back(ProcessOf(trace.strings.Get(track.process)));
    any |= process_of.back() != AutogradProcess::kOther;
  }
  if (!any) return false;

  const std::size_t rows = trace.row_count();
  ArrowRules rules{.is_arrow = IsAutogradArrow,
                   .is_call = std::vector<bool>(rows),
                   .is_work = std::vector<bool>(rows)};
  for (Row row = 0; row < rows; ++row) {
    if (trace.kind[row] != EventKind::kOther) continue;
    rules.is_call[row] = process_of[trace.track[row]] == AutogradProcess::kHost;
    rules.is_work[row] = process_of[trace.track[row]] == AutogradProcess::kDevice;
  }
  LinkByArrows(unsorted, rules);

  RowMover mover(trace);
  for (Row row = 0; row < rows; ++row) {
    const std::uint32_t like = trace.track[row];
    const std::int64_t thread = trace.tracks[like].second;
    if (rules.is_call[row]) {
      mover.Move(row, EventKind::kCpuOp, mover.TrackOf(Domain::kHost, 0, thread, like));
    } else if (rules.is_work[row]) {
      trace.aux[row] = static_cast<std::uint32_t>(trace.kernels.size());
      trace.kernels.push_back({});
      mover.Move(row, EventKind::kKernel, mover.TrackOf(Domain::kDevice, thread, 0, like));
    }
  }
  return true;
}

}  // namespace rankscope::kineto
