#include "app/fleet/ask_hours.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "base/file.h"
#include "base/nearest_name.h"
#include "fleet/hours/hours_tables.h"
#include "fleet/hours/lines.h"
#include "fleet/hours/owners.h"
#include "fleet/hours/read_claims.h"
#include "fleet/hours/read_use.h"

namespace rankscope::app {
namespace {

// Of days, for each of which there may be a sum for each value: 27 years.
constexpr std::size_t kMostPeriods = 10'000;

Result<std::int64_t> OffsetOf(const std::string& text) {
  if (text.empty()) return 0;
  // Midnight there is so much before that of UTC.
  const auto midnight = fleet::ReadTime("1970-01-02T00:00:00" + text);
  if (!midnight || text == "Z")
    return Error(StatusCode::kInvalidArgument, "--utc-offset {}: such as +02:00", text);
  return 86'400 - *midnight / 1000;
}

// A word that no claim has would leave everything unattributed.
Status CheckBy(const std::string& by) {
  static const std::vector<std::string> kWords = {"team",    "product",   "model", "user",
                                                  "account", "partition", "qos",   "namespace",
                                                  "job",     "name",      "node",  "outcome"};
  if (by.starts_with("label:") || std::ranges::find(kWords, by) != kWords.end()) return OkStatus();
  const std::string_view nearest = NearestName(by, kWords);
  return Error(StatusCode::kInvalidArgument, "--by {}: {}{} or label:KEY", by,
               nearest.empty() ? "" : fmt::format("did you mean {}? It is one of ", nearest),
               fmt::join(kWords, ", "));
}

fleet::Every EveryOf(const std::string& every) {
  if (every == "hour") return fleet::Every::kHour;
  if (every == "day") return fleet::Every::kDay;
  return every == "week" ? fleet::Every::kWeek : fleet::Every::kAll;
}

template <typename Found>
Status ReadAll(const std::vector<std::string>& files,
               Status (*read)(const std::string& name, std::string_view text,
                              const fleet::ReadOptions& options, Found& found),
               const fleet::ReadOptions& options, Found& found) {
  for (const std::string& file : files) {
    RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
    RS_RETURN_IF_ERROR(read(file, text, options, found));
  }
  return OkStatus();
}

std::string FirstOf(const std::set<std::string>& names) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (++count > 3) return text + fmt::format(" and {} more", names.size() - 3);
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

Result<HoursAnswer> AskHours(const HoursQuestion& question, std::int64_t now_s,
                             Listener& listener) {
  RS_RETURN_IF_ERROR(CheckBy(question.by));
  RS_ASSIGN_OR_RETURN(const std::int64_t offset, OffsetOf(question.utc_offset));
  const fleet::ReadOptions options{.offset_s = offset, .now_ms = now_s * 1000};
  fleet::PeriodSpec period{
      .until_ms = options.now_ms, .every = EveryOf(question.every), .by = question.by};
  for (const auto& [name, text, at] : {std::tuple("--since", &question.since, &period.from_ms),
                                       {"--until", &question.until, &period.until_ms}}) {
    if (text->empty()) continue;
    const std::optional<std::int64_t> time = fleet::ReadTime(*text, offset);
    if (!time)
      return Error(StatusCode::kInvalidArgument,
                   "{} {}: such as 2026-11-01 or 2026-11-01T08:00:00Z", name, *text);
    *at = *time;
  }
  if (period.until_ms <= period.from_ms)
    return Error(StatusCode::kInvalidArgument, "--until is not behind --since");
  if (static_cast<std::size_t>((period.until_ms - period.from_ms) / 3'600'000) > 24 * kMostPeriods)
    return Error(StatusCode::kInvalidArgument, "--since and --until are too far apart");
  std::vector<fleet::Capacity> capacity;
  std::vector<fleet::Claim> claims;
  std::vector<fleet::Absence> absences;
  RS_RETURN_IF_ERROR(ReadAll({question.devices}, fleet::ReadDevices, options, capacity));
  RS_RETURN_IF_ERROR(ReadAll(question.sacct, fleet::ReadSacct, options, claims));
  fleet::PodClaims pods;
  RS_RETURN_IF_ERROR(ReadAll(question.pods, fleet::ReadPods, options, pods));
  std::ranges::move(pods.claims, std::back_inserter(claims));
  if (!pods.uncounted.empty())
    listener.OnNotice(
        fmt::format("pods have {}, which are not counted: of NVIDIA and AMD whole "
                    "and shared GPUs and MIG slices are",
                    FirstOf(pods.uncounted)));
  RS_RETURN_IF_ERROR(ReadAll(question.absences, fleet::ReadAbsences, options, absences));
  if (!question.owners.empty()) {
    RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(question.owners));
    RS_ASSIGN_OR_RETURN(const fleet::OwnerRules rules,
                        fleet::OwnerRules::Read(question.owners, text));
    for (fleet::Claim& claim : claims) rules.Apply(claim);
  }
  std::vector<fleet::UseSeries> use;
  const fleet::UseUnit unit = question.use_unit == "ratio"     ? fleet::UseUnit::kRatio
                              : question.use_unit == "percent" ? fleet::UseUnit::kPercent
                                                               : fleet::UseUnit::kByName;
  for (const std::string& file : question.use) {
    RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
    RS_RETURN_IF_ERROR(fleet::ReadUse(file, text, unit, use));
  }
  const fleet::Partition partition = fleet::DivideHours(capacity, claims, absences, use, period);
  if (!partition.nodes_of_use_alone.empty())
    listener.OnNotice(fmt::format("{} names no devices of {}, of which --use tells: not counted",
                                  question.devices, FirstOf(partition.nodes_of_use_alone)));
  if (partition.beyond_capacity_ms > 0)
    listener.OnNotice(fmt::format(
        "{:.2f} device hours are on nodes at times for which {} names no devices ({}); they are in "
        "no row",
        static_cast<double>(partition.beyond_capacity_ms) / 3'600'000, question.devices,
        FirstOf(partition.unknown_nodes)));
  return HoursAnswer{fleet::CapacityTable(partition), fleet::HoursTable(partition)};
}

}  // namespace rankscope::app
