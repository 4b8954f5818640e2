#include "sql/job_reader.h"

#include <algorithm>

#include "base/saturating.h"
#include "facts/windows.h"

namespace rankscope::sql {
namespace {

// An id, or the text that the file has in its place (pid "Spans"), which the reader marks with -1.
std::string IdText(const RankTrace& trace, std::int64_t id, StringId text) {
  if (id == -1 && text != kEmptyString) return std::string(trace.strings.Get(text));
  return std::to_string(id);
}

// "pid 123 tid 456", "gpu 0 stream 7", "gpu 0 stream 7 (waits)", "gpu 0 stream 7 (annotations)".
std::string NameOf(const RankTrace& trace, const Track& track) {
  const std::string first = IdText(trace, track.first, track.process);
  const std::string second = IdText(trace, track.second, track.name);
  switch (track.domain) {
    case Domain::kDevice:
      return fmt::format("gpu {} stream {}", first, second);
    case Domain::kDeviceSync:
      return fmt::format("gpu {} stream {} (waits)", first, second);
    case Domain::kDeviceAnnotation:
      return fmt::format("gpu {} stream {} (annotations)", first, second);
    case Domain::kHost:
    case Domain::kOther:
      break;
  }
  return fmt::format("pid {} tid {}", first, second);
}

}  // namespace

OpenedTrace::OpenedTrace(RankTrace trace, const Capture& capture, std::int64_t origin_ns,
                         const KernelRules& rules)
    : trace_(std::move(trace)),
      rank_(capture.rank),
      capture_(capture.index),
      shift_ns_(SaturatingSubtract(trace_.meta.base_ns, origin_ns)),
      facts_(trace_, rules) {
  for (const Track& track : trace_.tracks) track_names_.push_back(NameOf(trace_, track));
}

const WorkPlaces& OpenedTrace::places() const {
  std::call_once(places_once_, [this] { places_.emplace(facts_, Windows::OfHost(facts_, {})); });
  return *places_;
}

const Step* OpenedTrace::StepOf(std::uint32_t row) const {
  const auto step = IsDeviceWork(trace_.kind[row]) ? facts_.launch_steps()[row]
                                                   : trace_.StepAt(trace_.ts_ns[row]);
  return step >= 0 && static_cast<std::size_t>(step) < trace_.steps.size()
             ? &trace_.steps[static_cast<std::size_t>(step)]
             : nullptr;
}

Result<std::shared_ptr<const OpenedTrace>> JobReader::Open(std::size_t capture) {
  Slot& slot = slots_[capture];
  const std::lock_guard lock(slot.mutex);
  if (!slot.trace) {
    MakeRoom();
    const std::shared_lock job_lock(job_mutex_);
    RS_ASSIGN_OR_RETURN(RankTrace trace, job_.OpenTrace(capture));
    slot.trace =
        std::make_shared<const OpenedTrace>(std::move(trace), context().captures[capture],
                                            context().origin_ns, job_.options().kernel_rules);
  }
  MarkAsLatest(capture);
  return slot.trace;
}

// Closes the traces that no task holds, used longest ago first, until one more may be opened.
void JobReader::MakeRoom() {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < open_.size() && open_.size() >= keep_open_;) {
    Slot& slot = slots_[open_[i]];
    const std::unique_lock slot_lock(slot.mutex, std::try_to_lock);
    // Copies are only made under the slot's mutex, so a count of one cannot rise.
    if (slot_lock.owns_lock() && slot.trace.use_count() == 1) {
      slot.trace.reset();
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

void JobReader::MarkAsLatest(std::size_t capture) {
  const std::lock_guard lock(mutex_);
  std::erase(open_, capture);
  open_.push_back(capture);
}

Result<const Table*> JobReader::TableOf(const Analysis& analysis) {
  const std::lock_guard lock(tables_mutex_);
  const auto known = tables_.find(analysis.name);
  if (known != tables_.end()) return &known->second;
  const std::unique_lock job_lock(job_mutex_);
  RS_ASSIGN_OR_RETURN(Table table, job_.Run({&analysis, {}}));
  return &tables_.emplace(analysis.name, std::move(table)).first->second;
}

}  // namespace rankscope::sql
