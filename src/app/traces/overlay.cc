#include <algorithm>
#include <utility>
#include <vector>

#include "app/kernel_rules.h"
#include "app/traces/convert.h"
#include "facts/path_charges.h"
#include "facts/trace_facts.h"
#include "formats/format.h"
#include "formats/kineto/overlay.h"
#include "formats/kineto/reader.h"
#include "tools/write_traces.h"

namespace rankscope::app {
namespace {

bool IsWork(ChargeCause cause) {
  return cause != ChargeCause::kLaunch && cause != ChargeCause::kKernelGap &&
         cause != ChargeCause::kUnexplained;
}

// A row that lies on the thread or stream of a charge.
Row RowAt(const RankTrace& trace, const Charge& charge) {
  return charge.row != kNoRow ? charge.row : trace.tracks[charge.track].begin;
}

kineto::Overlay OverlayOf(const RankTrace& trace, const std::vector<Charge>& charges) {
  kineto::Overlay overlay;
  const Charge* before = nullptr;   // the work before
  const Charge* between = nullptr;  // the first of what lies between the two
  for (const Charge& charge : charges) {
    const std::string_view cause = ToString(charge.cause);
    const bool is_work = IsWork(charge.cause);
    overlay.parts.push_back({.begin_ns = charge.begin_ns,
                             .end_ns = charge.end_ns,
                             .row = is_work ? charge.row : kNoRow,
                             .cause = cause,
                             .name = charge.row == kNoRow ? "" : trace.name_of(charge.row)});
    if (!is_work) {
      if (between == nullptr) between = &charge;
      continue;
    }
    if (before != nullptr && (before->track != charge.track || between != nullptr)) {
      const Charge& reason = between != nullptr ? *between : charge;
      // A viewer binds an arrow to the slice around its end: a launch begins with its call, and
      // work that ends is left at its last moment.
      const bool is_launch = reason.cause == ChargeCause::kLaunch;
      overlay.arrows.push_back(
          {.from_row = RowAt(trace, *before),
           .to_row = RowAt(trace, charge),
           .from_ns = is_launch ? before->end_ns : std::max(before->begin_ns, before->end_ns - 1),
           .to_ns = charge.begin_ns,
           .name = between != nullptr ? ToString(reason.cause) : "waits for"});
    }
    before = &charge;
    between = nullptr;
  }
  return overlay;
}

}  // namespace

Status OverlayCriticalPath(const std::string& from, const std::string& to, const OverlaySpec& spec,
                           int threads) {
  RS_RETURN_IF_ERROR(tools::CheckOutput(to, {{.path = from}}));
  if (to.ends_with(".zst"))
    return Error(StatusCode::kInvalidArgument,
                 "--overlay writes .json and .json.gz; convert its result to zstd");
  RS_RETURN_IF_ERROR(CheckIsKineto(from));
  RS_ASSIGN_OR_RETURN(KernelRules rules, ReadKernelRules(spec.kernel_classes_file));
  kineto::ReadOptions options;
  options.threads = threads;
  RS_ASSIGN_OR_RETURN(const RankTrace trace, kineto::ReadTrace(from, options));
  const TraceFacts facts(trace, std::move(rules));
  kineto::Overlay overlay = OverlayOf(trace, facts.path());
  overlay.only_path = spec.only_path;
  return kineto::WriteOverlay(trace, overlay, to);
}

}  // namespace rankscope::app
