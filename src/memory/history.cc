#include "memory/history.h"

#include <algorithm>

namespace rankscope::memory {

using snapshot::Action;
using snapshot::BlockState;
using snapshot::Event;

namespace {

constexpr std::uint32_t kNone = 0xffffffff;

std::int64_t Signed(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); }

}  // namespace

History::History(const snapshot::Snapshot& snapshot, const snapshot::Device& device)
    : snapshot_(snapshot), device_(device) {
  FindAllocations();
  FindLevels();
}

std::int64_t History::TimeNs(std::int64_t index) const {
  if (index == kBefore || index == kNever) return snapshot::kNoTime;
  const std::int64_t first = event(0).time_us;
  const std::int64_t time = event(index).time_us;
  if (first == snapshot::kNoTime || time == snapshot::kNoTime) return snapshot::kNoTime;
  // A clock of the year 0 or 200,000 is none.
  constexpr std::int64_t kMost = std::int64_t{1} << 52;
  return std::clamp(time / 2 - first / 2, -kMost, kMost) * 2000 + (time % 2 - first % 2) * 1000;
}

void History::FindAllocations() {
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> live;
  of_event_.assign(device_.count, kNone);
  std::vector<Allocation> begun;
  std::vector<Allocation> of_before;
  constexpr std::uint32_t kOfBefore = 0x80000000;  // numbers of of_before
  const auto find = [&](std::uint32_t number) -> Allocation& {
    return (number & kOfBefore) != 0 ? of_before[number & ~kOfBefore] : begun[number];
  };
  const auto add_before = [&](Allocation allocation) {
    of_before.push_back(allocation);
    return static_cast<std::uint32_t>(of_before.size() - 1) | kOfBefore;
  };

  for (std::int64_t i = 0; i < event_count(); ++i) {
    const Event& event = this->event(i);
    auto& number = of_event_[static_cast<std::size_t>(i)];
    if (event.action == Action::kAlloc) {
      const auto [place, is_new] =
          live.try_emplace(event.address, static_cast<std::uint32_t>(begun.size()));
      if (!is_new) {
        // Its free was lost: it ended when its address was given out again.
        Allocation& lost = find(place->second);
        lost.end = i;
        replaced_.emplace(i, place->second);
        lost.freed = std::min(lost.freed, i);
        place->second = static_cast<std::uint32_t>(begun.size());
      }
      number = static_cast<std::uint32_t>(begun.size());
      begun.push_back({event.address, event.bytes, i, kNever, kNever, event.stack, event.metadata});
    } else if (event.action == Action::kFreeRequested || event.action == Action::kFreeCompleted) {
      auto place = live.find(event.address);
      if (place == live.end()) {
        Allocation allocation{event.address, event.bytes, kBefore,       kNever,
                              kNever,        event.stack, event.metadata};
        // Its request is of before, too.
        if (event.action == Action::kFreeCompleted) allocation.freed = kBefore;
        place = live.emplace(event.address, add_before(allocation)).first;
      }
      number = place->second;
      Allocation& allocation = find(number);
      if (event.action == Action::kFreeRequested) {
        if (allocation.freed == kNever) allocation.freed = i;
      } else {
        allocation.freed = std::min(allocation.freed, i);
        allocation.end = i;
        live.erase(place);
      }
    }
  }

  // What is left must be what the segments hold.
  for (const snapshot::Segment& segment : snapshot_.segments) {
    if (segment.device != device_.index) continue;
    for (std::uint32_t i = 0; i < segment.block_count; ++i) {
      const snapshot::Block& block = snapshot_.blocks[segment.first_block + i];
      if (block.state == BlockState::kInactive) continue;
      const auto place = live.find(block.address);
      if (place == live.end()) {
        add_before({block.address, block.requested_bytes, kBefore,
                    block.state == BlockState::kPendingFree ? kBefore : kNever, kNever, block.stack,
                    kEmptyString});
        continue;
      }
      const Allocation& allocation = find(place->second);
      if (allocation.bytes != block.requested_bytes)
        disagreeing_bytes_ += std::abs(Signed(allocation.bytes) - Signed(block.requested_bytes));
      live.erase(place);
    }
  }
  for (const auto& [address, number] : live) disagreeing_bytes_ += Signed(find(number).bytes);

  allocations_ = std::move(of_before);
  const auto offset = static_cast<std::uint32_t>(allocations_.size());
  allocations_.insert(allocations_.end(), begun.begin(), begun.end());
  const auto renumber = [&](std::uint32_t& number) {
    if (number != kNone) number = (number & kOfBefore) != 0 ? number & ~kOfBefore : number + offset;
  };
  for (std::uint32_t& number : of_event_) renumber(number);
  for (auto& [event, number] : replaced_) renumber(number);
}

std::int64_t History::ChangeOf(std::int64_t index) const {
  const Event& event = this->event(index);
  const std::uint32_t number = of_event_[static_cast<std::size_t>(index)];
  switch (event.action) {
    case Action::kAlloc:
    case Action::kSegmentAlloc:
    case Action::kSegmentMap:
      return Signed(event.bytes);
    case Action::kFreeRequested:
      return allocations_[number].freed == index ? -Signed(allocations_[number].bytes) : 0;
    case Action::kFreeCompleted:
      return allocations_[number].end == index ? -Signed(allocations_[number].bytes) : 0;
    case Action::kSegmentFree:
    case Action::kSegmentUnmap:
      return -Signed(event.bytes);
    default:
      return 0;
  }
}

void History::Apply(std::int64_t index, Levels& levels) const {
  const Event& event = this->event(index);
  const std::int64_t change = ChangeOf(index);
  switch (event.action) {
    case Action::kAlloc:
      levels.allocated += change;
      levels.active += change;
      if (const auto lost = replaced_.find(index); lost != replaced_.end()) {
        const Allocation& allocation = allocations_[lost->second];
        levels.active -= Signed(allocation.bytes);
        if (allocation.freed == index) levels.allocated -= Signed(allocation.bytes);
      }
      break;
    case Action::kFreeRequested:
      levels.allocated += change;
      break;
    case Action::kFreeCompleted: {
      levels.active += change;
      // Where the request was lost, the program gave it back here.
      const Allocation& allocation = allocations_[of_event_[static_cast<std::size_t>(index)]];
      if (allocation.freed == index) levels.allocated += change;
      break;
    }
    case Action::kSegmentAlloc:
    case Action::kSegmentMap:
    case Action::kSegmentFree:
    case Action::kSegmentUnmap:
      levels.reserved += change;
      break;
    default:
      break;
  }
}

void History::FindLevels() {
  for (const Allocation& allocation : allocations_) {
    if (allocation.begin != kBefore) break;
    before_.active += Signed(allocation.bytes);
    if (allocation.freed != kBefore) before_.allocated += Signed(allocation.bytes);
  }
  for (const snapshot::Segment& segment : snapshot_.segments) {
    if (segment.device == device_.index) before_.reserved += Signed(segment.bytes);
  }
  for (std::int64_t i = 0; i < event_count(); ++i) {
    const Action action = event(i).action;
    if (action == Action::kSegmentAlloc || action == Action::kSegmentMap ||
        action == Action::kSegmentFree || action == Action::kSegmentUnmap)
      before_.reserved -= ChangeOf(i);
  }
  Levels levels = before_;
  peak_ = levels;
  peak_reserved_ = levels.reserved;
  for (std::int64_t i = 0; i < event_count(); ++i) {
    Apply(i, levels);
    peak_reserved_ = std::max(peak_reserved_, levels.reserved);
    if (levels.active > peak_.active) {
      peak_ = levels;
      peak_event_ = i;
    }
  }
  end_ = levels;
}

}  // namespace rankscope::memory
