#include "snoop/offcpu.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <set>

#include "cpu_profile/image/proc_text.h"
#include "cpu_profile/samples/process_threads.h"
#include "snoop/helper.h"
#include "snoop/plan.h"
#include "snoop/process.h"
#include "snoop/ring.h"

namespace rankscope::snoop {
namespace {

constexpr std::size_t kStackRingBytes = 16 << 20;  // as bpf/maps.bpf.h makes it
constexpr int kPatienceMs = 50;

class OffCpuWindow {
 public:
  OffCpuWindow(const OffCpuOptions& options, const Plan& plan, Attached attached,
               MappedArray<State> state, Ring stacks)
      : options_(options),
        attached_(std::move(attached)),
        state_map_(std::move(state)),
        state_(state_map_.at(0)),
        ring_(std::move(stacks)),
        stacks_(options.pid, plan.config.process, plan.python),
        threads_(options.pid),
        process_(static_cast<int>(syscall(SYS_pidfd_open, options.pid, 0))) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    signals_ = Descriptor(signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
    findings_.notes = plan.notes;
  }

  OffCpuFindings Run(const std::function<void(std::string_view)>& said) {
    findings_.pid = options_.pid;
    findings_.place = PlaceOf(options_.pid);
    findings_.command = CommandOf(options_.pid);
    findings_.asked_ns = options_.length_ns;
    threads_.Refresh();
    findings_.begin_unix_ns = ClockNow(CLOCK_REALTIME);
    begin_ns_ = ClockNow(CLOCK_MONOTONIC);
    state_->opened_ns = static_cast<std::uint64_t>(begin_ns_);
    state_->is_open = 1;
    said(fmt::format("process {}: its threads' switches are watched; a window of {:.3g} s begins",
                     options_.pid, static_cast<double>(options_.length_ns) / 1e9));
    std::int64_t looked_ns = begin_ns_;
    std::uint64_t spent = 0;
    while (ClockNow(CLOCK_MONOTONIC) < begin_ns_ + options_.length_ns && findings_.cut.empty()) {
      Wait();
      Drain();
      const std::int64_t now = ClockNow(CLOCK_MONOTONIC);
      if (now - looked_ns < 1'000'000'000) continue;
      const std::uint64_t spent_now = state_->spent_ns;
      const double of_core =
          static_cast<double>(spent_now - spent) / static_cast<double>(now - looked_ns);
      if (of_core > options_.most_of_core)
        findings_.cut = fmt::format(
            "the probes took {:.1f}% of a core, after {:.3f} s: --max-overhead allows more",
            100 * of_core, static_cast<double>(now - begin_ns_) / 1e9);
      spent = spent_now;
      looked_ns = now;
      threads_.Refresh();
      stacks_.Refresh();
    }
    state_->is_open = 0;
    end_ns_ = ClockNow(CLOCK_MONOTONIC);
    attached_.links.clear();
    Drain();
    Finish();
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
         static_cast<int>(std::clamp<std::int64_t>(left, 0, kPatienceMs)));
    const double so_far = static_cast<double>(ClockNow(CLOCK_MONOTONIC) - begin_ns_) / 1e9;
    if (waits[1].revents != 0)
      findings_.cut = fmt::format("it was interrupted after {:.3f} s", so_far);
    if (waits[2].revents != 0)
      findings_.cut = fmt::format("the process ended after {:.3f} s", so_far);
  }

  void Drain() {
    ring_.Drain([&](std::span<const std::byte> record) { stacks_.Add(record); }, 1'000'000);
  }

  void Finish() {
    findings_.window_ns = end_ns_ - begin_ns_;
    findings_.switches = state_->hits;
    findings_.spent_ns = static_cast<std::int64_t>(state_->spent_ns);
    findings_.lost_stacks = state_->lost_stacks;
    findings_.lost_sums = state_->lost_sums;
    findings_.unseen = state_->abandoned;
    std::vector<OffThread> threads;
    std::uint32_t number = 0;
    OffThread thread{};
    Status read = ForEachEntry(
        attached_.Map("threads"), std::as_writable_bytes(std::span(&number, 1)),
        std::as_writable_bytes(std::span(&thread, 1)), [&] { threads.push_back(thread); });
    std::vector<SummedWait> waits;
    SummedWait wait;
    if (read.ok())
      read = ForEachEntry(attached_.Map("waits"), std::as_writable_bytes(std::span(&wait.key, 1)),
                          std::as_writable_bytes(std::span(&wait.wait, 1)),
                          [&] { waits.push_back(wait); });
    if (!read.ok()) findings_.notes.push_back(read.message());
    AddThatNeverSwitched(threads);
    findings_.threads = TimesOf(threads, waits, end_ns_);
    for (ThreadTime& time : findings_.threads) {
      const auto* known = threads_.Inside(time.id);
      if (known != nullptr) time.name = known->name;
    }
    stacks_.ReadNames();
    Join(waits);
  }

  // One that the scheduler did not touch did what it does now for the whole window.
  void AddThatNeverSwitched(std::vector<OffThread>& threads) {
    std::set<std::uint32_t> seen;
    for (const OffThread& one : threads) seen.insert(one.thread);
    threads_.Refresh();
    for (const cpu_profile::ThreadOfProcess& one : threads_.All()) {
      const auto id = static_cast<std::uint32_t>(one.inside);
      if (seen.contains(id)) continue;
      const std::string stat = cpu_profile::ReadProcText(
          fmt::format("/proc/{}/task/{}/stat", options_.pid, one.id), 4096);
      // "12 (name) S 1 ..."; gone: it ended before the window, or began behind it.
      const std::size_t at = stat.rfind(')');
      if (at == std::string::npos || at + 2 >= stat.size()) continue;
      OffThread thread{};
      thread.thread = id;
      thread.state = stat[at + 2] == 'R' ? 1 : 2;
      thread.begin_ns = thread.since_ns = static_cast<std::uint64_t>(begin_ns_);
      thread.reason = stat[at + 2] == 'D' ? kOffDisk : kOffSleeping;
      thread.call = -1;
      threads.push_back(thread);
    }
  }

  void Join(const std::vector<SummedWait>& waits) {
    struct Joined {
      WaitRow row;
      std::set<std::uint32_t> threads;
    };
    std::map<std::string, Joined> joined;
    for (const SummedWait& one : waits) {
      const auto reason = static_cast<OffClass>(one.key.reason);
      Frames frames = stacks_.FramesOf(one.key.stack);
      const std::string what = frames.empty() && one.key.stack == 0
                                   ? "not known: it began before the window"
                                   : WaitedFor(reason, one.key.call, frames);
      std::string key = fmt::format("{} {}\n", one.key.reason, what);
      for (const StackFrame& frame : frames) key += ToText(frame) + "\n";
      Joined& to = joined[key];
      to.row.reason = reason;
      to.row.what = what;
      to.row.frames = std::move(frames);
      to.row.count += one.wait.count;
      to.row.total_ns += static_cast<std::int64_t>(one.wait.total_ns);
      to.row.longest_ns =
          std::max(to.row.longest_ns, static_cast<std::int64_t>(one.wait.longest_ns));
      to.threads.insert(one.key.thread);
    }
    for (auto& [key, one] : joined) {
      one.row.threads = one.threads.size();
      findings_.waits.push_back(std::move(one.row));
    }
    std::ranges::stable_sort(findings_.waits, std::greater(), &WaitRow::total_ns);
  }

  const OffCpuOptions& options_;
  Attached attached_;
  MappedArray<State> state_map_;
  volatile State* state_;
  Ring ring_;
  StackBook stacks_;
  cpu_profile::ProcessThreads threads_;
  Descriptor process_, signals_;
  OffCpuFindings findings_;
  std::int64_t begin_ns_ = 0, end_ns_ = 0;
};

}  // namespace

Result<OffCpuFindings> OffCpu(const OffCpuOptions& options,
                              const std::function<void(std::string_view)>& said) {
  const PlanOptions planned{.pid = options.pid, .stacks = options.stacks};
  RS_ASSIGN_OR_RETURN(const Plan plan, PlanForStacks(planned));
  const HelperRequest request{.programs = Programs::kOffCpu,
                              .pid = options.pid,
                              .config = plan.config,
                              .calls = {},
                              .probes = {}};
  RS_ASSIGN_OR_RETURN(Attached attached, AttachByHelper(options.helper, request));
  DropPrivileges();
  RS_ASSIGN_OR_RETURN(MappedArray<State> state,
                      MappedArray<State>::Open(attached.Map("state_of"), 1));
  RS_ASSIGN_OR_RETURN(Ring stacks, Ring::Open(attached.Map("stacks"), kStackRingBytes));
  return OffCpuWindow(options, plan, std::move(attached), std::move(state), std::move(stacks))
      .Run(said);
}

}  // namespace rankscope::snoop
