#include "formats/kineto/by_process/xla.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/saturating.h"
#include "formats/kineto/by_process/row_mover.h"
#include "formats/xplane/device_line.h"
#include "formats/xplane/device_work.h"
#include "formats/xplane/host_row.h"
#include "trace/hlo_name.h"

namespace rankscope::kineto {
namespace {

enum class Line : std::uint8_t { kOther, kHost, kWork, kSteps, kSummary };

class XlaReading {
 public:
  explicit XlaReading(UnsortedTrace& unsorted)
      : unsorted_(unsorted), trace_(unsorted.trace), mover_(unsorted.trace) {}

  bool Run() {
    if (!FindLines()) return false;
    FindBegins();
    for (Row row = 0; row < trace_.row_count(); ++row) {
      if (trace_.kind[row] != EventKind::kOther) continue;
      const Line line = line_of_[trace_.track[row]];
      if (line == Line::kHost) AddHost(row);
      if (line == Line::kSteps) AddStep(row);
      if (line == Line::kWork) AddWork(row);
      if (line == Line::kSummary) AddSummary(row);
    }
    return true;
  }

 private:
  static constexpr std::int64_t kHostPid = 0;

  std::string_view ProcessOf(const Track& track) const { return trace_.strings.Get(track.process); }

  // By track what it holds; false without a device.
  bool FindLines() {
    std::set<StringId> with_streams;  // devices
    for (const Track& track : trace_.tracks) {
      if (xplane::IsStream(trace_.strings.Get(track.name))) with_streams.insert(track.process);
    }
    bool has_device = false;
    for (const Track& track : trace_.tracks) {
      const std::string_view process = ProcessOf(track);
      Line line = Line::kOther;
      if (process.starts_with("/host:")) {
        line = Line::kHost;
      } else if (process.starts_with("/device:")) {
        has_device = true;
        switch (xplane::RoleOfLine(trace_.strings.Get(track.name),
                                   with_streams.contains(track.process))) {
          case xplane::LineRole::kWork:
            line = Line::kWork;
            break;
          case xplane::LineRole::kSteps:
            line = Line::kSteps;
            break;
          case xplane::LineRole::kSummary:
            line = Line::kSummary;
        }
      }
      line_of_.push_back(line);
    }
    return has_device;
  }

  // Of lines of work that have loops or branches.
  void FindBegins() {
    for (Row row = 0; row < trace_.row_count(); ++row) {
      if (IsOn(Line::kWork, row) &&
          RoleOf(ParseHloName(trace_.name_of(row)), "") == HloRole::kControlFlow)
        begins_[trace_.track[row]];
    }
    for (Row row = 0; row < trace_.row_count() && !begins_.empty(); ++row) {
      const auto begins = begins_.find(trace_.track[row]);
      if (begins != begins_.end()) begins->second.push_back(trace_.ts_ns[row]);
    }
    for (auto& [track, begins] : begins_) std::sort(begins.begin(), begins.end());
  }

  bool IsOn(Line line, Row row) const {
    return trace_.kind[row] == EventKind::kOther && line_of_[trace_.track[row]] == line;
  }

  const WorkHint* HintOf(Row row) {
    const auto& hints = unsorted_.hints;
    while (next_hint_ < hints.size() && hints[next_hint_].source < trace_.source[row]) ++next_hint_;
    const bool has_one =
        next_hint_ < hints.size() && hints[next_hint_].source == trace_.source[row];
    return has_one ? &hints[next_hint_] : nullptr;
  }

  // The row's place among those of devices; lines of parts of a device have the same ids as its
  // own.
  std::uint32_t DeviceTrack(Row row, Domain domain) {
    const std::uint32_t from = trace_.track[row];
    const Track track = trace_.tracks[from];
    const xplane::DeviceName device = xplane::ParseDeviceName(ProcessOf(track));
    const std::int64_t stream =
        device.part == 0 ? track.second : device.part << 32 | (track.second & 0xFFFFFFFF);
    return mover_.TrackOf(domain, device.number, stream, from);
  }

  void Rename(Row row, const std::string& name) {
    if (name != trace_.name_of(row)) trace_.name[row] = unsorted_.intern(name);
  }

  void Be(Row row, EventKind kind, std::string_view category, std::uint32_t track) {
    trace_.category[row] = unsorted_.category(category);
    mover_.Move(row, kind, track);
  }

  void AddHost(Row row) {
    const WorkHint* const hint = HintOf(row);
    const xplane::HostRow host =
        xplane::HostRowNamed(trace_.name_of(row), trace_.correlation[row] > 0);
    const std::string_view category = host.category;  // of no text of the trace
    const bool is_mark = hint != nullptr && hint->step >= 0;
    const EventKind kind = is_mark ? EventKind::kUserAnnotation : host.kind;
    Rename(row, is_mark ? fmt::format("ProfilerStep#{}", hint->step) : std::string(host.name));
    if (kind != EventKind::kRuntime) trace_.correlation[row] = kNoCorrelation;
    const std::uint32_t from = trace_.track[row];
    Be(row, kind, is_mark ? "step" : category,
       mover_.TrackOf(Domain::kHost, kHostPid, trace_.tracks[from].second, from));
  }

  void AddSummary(Row row) {
    const std::string line(trace_.strings.Get(trace_.tracks[trace_.track[row]].name));
    trace_.correlation[row] = kNoCorrelation;
    Be(row, EventKind::kDeviceAnnotation, line, DeviceTrack(row, Domain::kDeviceAnnotation));
  }

  void AddStep(Row row) {
    const std::int64_t device =
        xplane::ParseDeviceName(ProcessOf(trace_.tracks[trace_.track[row]])).number;
    const std::int64_t begin = trace_.ts_ns[row];
    const std::int64_t duration = trace_.dur_ns[row];
    const std::int64_t count = steps_of_[device]++;
    if (duration >= 0)
      unsorted_.state_step({xplane::StepNumberOf(trace_.name_of(row)).value_or(count), device,
                            begin, SaturatingAdd(begin, duration)});
    AddSummary(row);
  }

  void AddWork(Row row) {
    const WorkHint* const hint = HintOf(row);
    // Copies: texts of the trace move when it gets new ones.
    const std::string name(trace_.name_of(row));
    const std::string details(hint == nullptr ? "" : trace_.strings.Get(hint->details));
    const std::string stated(hint == nullptr ? "" : trace_.strings.Get(hint->task));
    const HloRole role = RoleOf(ParseHloName(name), stated);
    if (role == HloRole::kControlFlow && HoldsOthers(row)) return AddSummary(row);
    const bool has_copy_details = details.find("kind_src:") != std::string::npos;
    const xplane::DeviceWork work = xplane::WorkNamed(name, role, has_copy_details);
    std::string_view category = "kernel";
    if (!stated.empty()) category = stated;
    if (work.kind == EventKind::kKernel) {
      trace_.aux[row] = static_cast<std::uint32_t>(trace_.kernels.size());
      trace_.kernels.push_back(xplane::ReadKernelDetails(details));
    } else {
      category = work.kind == EventKind::kMemset ? "gpu_memset" : "gpu_memcpy";
      trace_.aux[row] = static_cast<std::uint32_t>(trace_.copies.size());
      trace_.copies.push_back({.bytes = xplane::BytesOfCopy(details)});
    }
    Rename(row, std::string(work.name));
    Be(row, work.kind, category, DeviceTrack(row, Domain::kDevice));
  }

  // A loop or branch is on the line together with the instructions inside: its time is theirs.
  bool HoldsOthers(Row row) {
    const std::vector<std::int64_t>& begins = begins_[trace_.track[row]];
    const std::int64_t end = SaturatingAdd(trace_.ts_ns[row], trace_.dur_ns[row]);
    const auto first = std::lower_bound(begins.begin(), begins.end(), trace_.ts_ns[row]);
    return std::lower_bound(first, begins.end(), end) - first > 1;
  }

  UnsortedTrace& unsorted_;
  RankTrace& trace_;
  RowMover mover_;
  std::vector<Line> line_of_;                                  // by track of the file
  std::map<std::uint32_t, std::vector<std::int64_t>> begins_;  // of lines with loops, by track
  std::map<std::int64_t, std::int64_t> steps_of_;              // by device
  std::size_t next_hint_ = 0;
};

}  // namespace

bool ReadXla(UnsortedTrace& unsorted) { return XlaReading(unsorted).Run(); }

}  // namespace rankscope::kineto
