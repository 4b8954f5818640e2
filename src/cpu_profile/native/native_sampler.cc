#include "cpu_profile/native/native_sampler.h"

#include <fmt/core.h>

#include <algorithm>

#include "cpu_profile/image/maps.h"
#include "cpu_profile/image/proc_text.h"
#include "cpu_profile/native/symbols.h"
#include "cpu_profile/samples/clock.h"

namespace rankscope::cpu_profile {
namespace {

// An address behind a call may be the next function's.
std::uint64_t AddressToName(const std::vector<std::uint64_t>& stack, std::size_t frame) {
  return frame == 0 ? stack[frame] : stack[frame] - 1;
}

}  // namespace

Result<std::unique_ptr<NativeSampler>> NativeSampler::Start(pid_t pid, std::int64_t period_ns,
                                                            const ProcessThreads& threads) {
  std::unique_ptr<NativeSampler> sampler(new NativeSampler(pid, period_ns, threads));
  RS_ASSIGN_OR_RETURN(std::unique_ptr<PerfRing> first,
                      PerfRing::Open(pid, static_cast<std::uint64_t>(1'000'000'000 / period_ns),
                                     sampler->PartsOfNext()));
  sampler->rings_.emplace(pid, std::move(first));
  return sampler;
}

NativeSampler::NativeSampler(pid_t pid, std::int64_t period_ns, const ProcessThreads& threads)
    : pid_(pid),
      period_ns_(period_ns),
      threads_(threads),
      ahead_ns_(UnixNow() - NanosecondsOf(CLOCK_MONOTONIC)),
      rules_(pid) {}

void NativeSampler::Watch(std::span<const pid_t> threads) {
  for (const pid_t thread : threads) {
    if (rings_.contains(thread) || rings_.size() >= kMostThreads) continue;
    Result<std::unique_ptr<PerfRing>> ring = PerfRing::Open(
        thread, static_cast<std::uint64_t>(1'000'000'000 / period_ns_), PartsOfNext());
    // It may have ended.
    if (ring.ok()) rings_.emplace(thread, std::move(*ring));
  }
}

// Copies of stacks are of x86-64, and so are the rules of .eh_frame that are known here.
PerfParts NativeSampler::PartsOfNext() const {
#ifdef __x86_64__
  if (walks_ && rings_.size() < kMostCopies) return PerfParts::kChainAndStack;
#endif
  return PerfParts::kChain;
}

void NativeSampler::Drain() {
  WatchCost();
  for (const auto& [thread, ring] : rings_) {
    bytes_.clear();
    ring->Drain(bytes_);
    lost_ +=
        ParsePerfRecords(bytes_, ring->parts(), [this](const PerfSample& sample) { Add(sample); });
  }
}

// Once a second: what walking has cost, and which files there are.
void NativeSampler::WatchCost() {
  constexpr std::int64_t kEvery = 1'000'000'000;
  const std::int64_t now = NanosecondsOf(CLOCK_MONOTONIC);
  if (now - looked_ns_ < kEvery) return;
  const auto most = static_cast<std::int64_t>(kMostOfCore * static_cast<double>(now - looked_ns_));
  // The first one reads the rules of all that runs.
  if (looked_cpu_ns_ > 0 && walked_cpu_ns_ - looked_cpu_ns_ > most) walks_ = false;
  looked_ns_ = now;
  looked_cpu_ns_ = walked_cpu_ns_;
  if (walks_) rules_.Refresh();
}

const std::vector<std::uint64_t>& NativeSampler::StackOf(const PerfSample& sample) {
  if (!walks_ || !sample.registers.Has(kReturnAddress)) return sample.addresses;
  const std::int64_t before = ThreadTime();
  walked_.clear();
  ++walks_begun_;
  const WalkEnd end = WalkStack(sample.registers, sample.stack, rules_, walked_);
  walked_cpu_ns_ += ThreadTime() - before;
  // One that reached its end is whole, whatever a chain through registers of other use holds.
  if (end == WalkEnd::kOutermost) return walked_;
  ++walks_cut_;
  return walked_.size() > sample.addresses.size() ? walked_ : sample.addresses;
}

std::string NativeSampler::Note() const {
  if (!walks_) return "native: stacks by frame pointers alone: to walk them cost too much";
  if (walks_cut_ * 10 < walks_begun_) return "";
  return fmt::format("native: {:.0f}% of the stacks are cut",
                     100.0 * static_cast<double>(walks_cut_) / static_cast<double>(walks_begun_));
}

void NativeSampler::Add(const PerfSample& sample) {
  const std::vector<std::uint64_t>& addresses = StackOf(sample);
  if (samples_.size() >= kMostSamples || addresses_ + addresses.size() > kMostAddresses) {
    ++lost_;
    return;
  }
  const auto [stack, is_new] =
      stacks_.try_emplace(addresses, static_cast<std::uint32_t>(stacks_.size()));
  if (is_new) addresses_ += addresses.size();
  samples_.push_back({static_cast<std::int64_t>(sample.time) + ahead_ns_,
                      static_cast<pid_t>(sample.thread), stack->second});
}

void NativeSampler::DropBefore(std::int64_t time_ns) {
  std::erase_if(samples_, [&](const RawSample& one) { return one.time_ns < time_ns; });
}

Profile NativeSampler::Take() {
  Drain();
  rings_.clear();
  const std::vector<Mapping> maps =
      ParseMaps(ReadProcText(fmt::format("/proc/{}/maps", pid_), 16 << 20));
  std::vector<const std::vector<std::uint64_t>*> stacks(stacks_.size());
  std::vector<std::uint64_t> addresses;
  for (const auto& [stack, id] : stacks_) {
    stacks[id] = &stack;
    for (std::size_t i = 0; i < stack.size(); ++i) addresses.push_back(AddressToName(stack, i));
  }
  std::ranges::sort(addresses);
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  const ThreadOfProcess* first = threads_.Here(pid_);
  const std::unordered_map<std::uint64_t, NativeName> names =
      NamesOf(pid_, first != nullptr ? first->inside : pid_, maps, std::move(addresses));

  Profile profile;
  profile.kind = "native";
  profile.period_ns = period_ns_;
  profile.lost = lost_;
  std::vector<Node> nodes(stacks.size(), kNoFrames);
  for (std::size_t id = 0; id < stacks.size(); ++id) {
    const std::vector<std::uint64_t>& stack = *stacks[id];
    for (std::size_t i = stack.size(); i-- > 0;) {
      const NativeName& name = names.at(AddressToName(stack, i));
      nodes[id] =
          profile.stacks.Add(nodes[id], profile.stacks.AddFunction(name.function, name.file), 0);
    }
  }
  std::unordered_map<pid_t, std::uint32_t> known;
  for (const RawSample& sample : samples_) {
    const auto [thread, is_new] =
        known.try_emplace(sample.thread, static_cast<std::uint32_t>(profile.threads.size()));
    if (is_new) {
      const ThreadOfProcess* here = threads_.Here(sample.thread);
      profile.threads.push_back(here != nullptr ? Thread{here->inside, here->name}
                                                : Thread{sample.thread, ""});
    }
    if (nodes[sample.stack] != kNoFrames)
      profile.samples.push_back({sample.time_ns, thread->second, nodes[sample.stack], false});
  }
  return profile;
}

}  // namespace rankscope::cpu_profile
