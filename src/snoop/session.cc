#include "snoop/session.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "snoop/allocations.h"
#include "snoop/collect.h"
#include "snoop/helper.h"
#include "snoop/place.h"
#include "snoop/process.h"
#include "snoop/ring.h"

namespace rankscope::snoop {
namespace {

constexpr std::size_t kEventBytes = 8 << 20;  // of the rings, as bpf/maps.bpf.h makes them
constexpr std::size_t kSessionStackRingBytes = 16 << 20;
constexpr int kBetweenRingsMs = 20;  // between two looks into the rings
constexpr std::int64_t kSecond = 1'000'000'000;

// What the reader has of the probes.
struct Maps {
  MappedArray<State> state;
  MappedArray<CallCount> counts;
  Ring events, stacks;
};

Result<Maps> Open(const Attached& attached) {
  Maps maps;
  RS_ASSIGN_OR_RETURN(maps.state, MappedArray<State>::Open(attached.Map("state_of"), 1));
  RS_ASSIGN_OR_RETURN(maps.counts,
                      MappedArray<CallCount>::Open(attached.Map("counts"), kMostCalls));
  RS_ASSIGN_OR_RETURN(maps.events, Ring::Open(attached.Map("events"), kEventBytes));
  RS_ASSIGN_OR_RETURN(maps.stacks, Ring::Open(attached.Map("stacks"), kSessionStackRingBytes));
  return maps;
}

class Window {
 public:
  Window(const SnoopOptions& options, const Plan& plan, Attached attached, Maps maps)
      : options_(options),
        plan_(plan),
        attached_(std::move(attached)),
        maps_(std::move(maps)),
        state_(maps_.state.at(0)),
        known_libraries_(plan.looked_at),
        stacks_(options.plan.pid, plan.config.process, plan.python),
        process_(static_cast<int>(syscall(SYS_pidfd_open, options.plan.pid, 0))) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    signals_ = Descriptor(signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  Findings Run(const std::function<void(std::string_view)>& said) {
    findings_.pid = options_.plan.pid;
    findings_.place = PlaceOf(options_.plan.pid);
    findings_.command = CommandOf(options_.plan.pid);
    findings_.libraries = plan_.libraries;
    findings_.notes = plan_.notes;
    findings_.asked_ns = options_.length_ns;
    findings_.begin_unix_ns = ClockNow(CLOCK_REALTIME);
    begin_ns_ = looked_ns_ = ClockNow(CLOCK_MONOTONIC);
    Allocations allocations(plan_.calls, begin_ns_, options_.length_ns);
    state_->opened_ns = static_cast<std::uint64_t>(begin_ns_);
    state_->is_open = 1;
    said(fmt::format("process {}: {} probes in {}; a window of {:.3g} s begins", options_.plan.pid,
                     attached_.links.size(), fmt::join(plan_.libraries, ", "),
                     static_cast<double>(options_.length_ns) / 1e9));
    while (ClockNow(CLOCK_MONOTONIC) < begin_ns_ + options_.length_ns && findings_.cut.empty()) {
      Wait();
      Drain(allocations);
      Watch();
    }
    SeeLateLibraries();
    state_->is_open = 0;
    end_ns_ = ClockNow(CLOCK_MONOTONIC);
    // The rest is of the time before: no probe writes from here on.
    attached_.links.clear();
    Drain(allocations);
    Finish(allocations);
    return std::move(findings_);
  }

 private:
  void Wait() {
    const std::int64_t left =
        (begin_ns_ + options_.length_ns - ClockNow(CLOCK_MONOTONIC)) / 1'000'000 + 1;
    std::array<pollfd, 3> waits = {pollfd{attached_.Map("stacks"), POLLIN, 0},
                                   pollfd{signals_.number(), POLLIN, 0},
                                   pollfd{process_.number(), POLLIN, 0}};
    poll(waits.data(), waits.size(),
         static_cast<int>(std::clamp<std::int64_t>(left, 0, kBetweenRingsMs)));
    const double so_far = static_cast<double>(ClockNow(CLOCK_MONOTONIC) - begin_ns_) / 1e9;
    if (waits[1].revents != 0)
      findings_.cut = fmt::format("it was interrupted after {:.3f} s", so_far);
    if (waits[2].revents != 0)
      findings_.cut = fmt::format("the process ended after {:.3f} s", so_far);
  }

  void Drain(Allocations& allocations) {
    constexpr std::size_t kMost = 1'000'000;
    maps_.stacks.Drain([&](std::span<const std::byte> record) { stacks_.Add(record); }, kMost);
    maps_.events.Drain(
        [&](std::span<const std::byte> record) {
          Event event{};
          if (record.size() != sizeof(event)) return;
          std::memcpy(&event, record.data(), sizeof(event));
          allocations.Add(event);
        },
        kMost);
  }

  // Budgets, and once a second what was called in it.
  void Watch() {
    const std::int64_t now = ClockNow(CLOCK_MONOTONIC);
    if (state_->stopped_ns != 0)
      findings_.cut = fmt::format(
          "more than {} events within a second, after {:.3f} s: what is seen of a call costs the "
          "process time; --max-events-per-second allows more",
          options_.plan.most_per_second, static_cast<double>(now - begin_ns_) / 1e9);
    if (now - looked_ns_ < kSecond) return;
    const std::uint64_t spent = state_->spent_ns;
    const double of_core =
        static_cast<double>(spent - spent_) / static_cast<double>(now - looked_ns_);
    if (of_core > options_.most_of_core && findings_.cut.empty())
      findings_.cut = fmt::format(
          "the probes took {:.1f}% of a core, after {:.3f} s: --max-overhead allows more",
          100 * of_core, static_cast<double>(now - begin_ns_) / 1e9);
    spent_ = spent;
    Rate(now);
    stacks_.Refresh();
    SeeLateLibraries();
  }

  // Probes are put into files when the window begins, by who has the privileges: what comes later
  // is named.
  void SeeLateLibraries() {
    const auto maps = MapsOf(options_.plan.pid);
    if (!maps.ok()) return;
    for (std::string& path : NewLibraries(*maps, known_libraries_)) {
      findings_.notes.push_back(
          fmt::format("{} was loaded after the window began: its calls are not in it, another "
                      "window has them",
                      path));
      findings_.late_libraries.push_back(std::move(path));
    }
  }

  void Rate(std::int64_t now) {
    std::map<std::pair<Level, CallKind>, std::uint64_t> by_kind;
    counted_.resize(plan_.calls.size());
    for (std::size_t i = 0; i < plan_.calls.size(); ++i) {
      const std::uint64_t entered = maps_.counts.at(i)->entered;
      by_kind[{plan_.calls[i].level, plan_.calls[i].kind()}] += entered - counted_[i];
      counted_[i] = entered;
    }
    for (const auto& [kind, count] : by_kind) {
      if (count > 0)
        findings_.rates.push_back(
            {looked_ns_ - begin_ns_, now - begin_ns_, kind.first, kind.second, count});
    }
    looked_ns_ = now;
  }

  void Finish(const Allocations& allocations) {
    findings_.window_ns = end_ns_ - begin_ns_;
    Rate(end_ns_);
    findings_.hits = state_->hits;
    findings_.spent_ns = static_cast<std::int64_t>(state_->spent_ns);
    findings_.lost_events = state_->lost_events;
    findings_.lost_stacks = state_->lost_stacks;
    findings_.lost_sums = state_->lost_sums;
    findings_.abandoned = state_->abandoned;
    findings_.nested = state_->nested;
    std::vector<CallCount> counts(plan_.calls.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const volatile CallCount* count = maps_.counts.at(i);
      counts[i] = {count->entered, count->done, count->failed, count->total};
    }
    findings_.calls = RowsOf(plan_.calls, counts);
    std::vector<SummedUse> uses;
    SummedUse use;
    const Status read =
        ForEachEntry(attached_.Map("sums"), std::as_writable_bytes(std::span(&use.key, 1)),
                     std::as_writable_bytes(std::span(&use.sum, 1)), [&] { uses.push_back(use); });
    if (!read.ok())
      findings_.notes.push_back("launches, waits and copies are not told by stack: " +
                                read.message());
    stacks_.ReadNames();
    Collect(plan_.calls, allocations, uses, stacks_, begin_ns_, end_ns_, findings_);
    findings_.stacks = stacks_.counts();
  }

  const SnoopOptions& options_;
  const Plan& plan_;
  Attached attached_;
  Maps maps_;
  volatile State* state_;
  std::set<std::string> known_libraries_;
  StackBook stacks_;
  Descriptor process_, signals_;
  Findings findings_;
  std::int64_t begin_ns_ = 0, end_ns_ = 0, looked_ns_ = 0;
  std::uint64_t spent_ = 0;
  std::vector<std::uint64_t> counted_;
};

}  // namespace

Result<Findings> Snoop(const SnoopOptions& options,
                       const std::function<void(std::string_view)>& said) {
  RS_ASSIGN_OR_RETURN(const Plan plan, PlanFor(options.plan));
  HelperRequest request{.programs = Programs::kSnoop,
                        .pid = options.plan.pid,
                        .config = plan.config,
                        .calls = {},
                        .probes = plan.probes};
  for (const Call& call : plan.calls) request.calls.push_back(call.at);
  RS_ASSIGN_OR_RETURN(Attached attached, AttachByHelper(options.helper, request));
  DropPrivileges();
  RS_ASSIGN_OR_RETURN(Maps maps, Open(attached));
  return Window(options, plan, std::move(attached), std::move(maps)).Run(said);
}

}  // namespace rankscope::snoop
