#include "app/traces/stacks.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "analysis/stacks/stack_profile.h"
#include "app/requests.h"
#include "formats/stacks/write_stacks.h"

namespace rankscope::app {
namespace {

stacks::Profile ProfileOf(ViewOf<StackProfile> table) {
  const auto& columns = SchemaOf<StackProfile>();
  stacks::Profile profile;
  std::map<std::string, std::uint32_t, std::less<>> number_of_name;
  profile.frames.reserve(table.row_count());
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const auto [name, is_new] =
        number_of_name.try_emplace(std::string(table.String(row, columns.name)),
                                   static_cast<std::uint32_t>(profile.names.size()));
    if (is_new) profile.names.push_back(name->first);
    const auto parent = table.Known(row, columns.parent);
    profile.frames.push_back(
        {parent ? static_cast<std::uint32_t>(*parent) : stacks::Profile::kNoParent, name->second,
         table.Int(row, columns.host_ns), table.Int(row, columns.device_ns)});
  }
  return profile;
}

// "rank 3", "8 ranks", or "a trace" of a rank that is not stated.
std::string NameOf(const OpenedJob::Ranks& ranks) {
  if (ranks.numbers.size() != 1) return fmt::format("{} ranks", ranks.numbers.size());
  return ranks.are_stated ? fmt::format("rank {}", *ranks.numbers.begin()) : "a trace";
}

}  // namespace

Result<std::string> StacksOf(const JobSpec& spec, const StacksSpec& stacks_spec,
                             Listener& listener) {
  const Request request{&StackProfileAnalysis(), {{"by_rank", stacks_spec.by_rank ? "1" : "0"}}};
  RS_ASSIGN_OR_RETURN(const auto job, OpenJobFor(spec, {request}, listener));
  RS_ASSIGN_OR_RETURN(const Table table, job->job().Run(request));
  const stacks::Profile profile = ProfileOf(table);
  const bool is_empty = std::ranges::none_of(
      profile.frames, [](const auto& frame) { return frame.host_ns > 0 || frame.device_ns > 0; });
  if (job->has_chosen_steps() && is_empty) {
    return Error(
        StatusCode::kNotFound,
        "nothing happens in the steps that --steps names; see: rankscope table step_times");
  }
  const bool is_speedscope = stacks_spec.format == StacksSpec::Format::kSpeedscope;
  const bool is_of_device = stacks_spec.weight == StacksSpec::Weight::kDevice;
  return stacks::Write(
      profile, is_speedscope ? stacks::Format::kSpeedscope : stacks::Format::kCollapsed,
      is_of_device ? stacks::Weight::kDevice : stacks::Weight::kHost, stacks_spec.most,
      fmt::format("{} time of {}", is_of_device ? "device" : "host", NameOf(job->ranks())));
}

}  // namespace rankscope::app
