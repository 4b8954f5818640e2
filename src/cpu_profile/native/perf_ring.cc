#include "cpu_profile/native/perf_ring.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>

namespace rankscope::cpu_profile {
namespace {

constexpr std::size_t kPage = 4096;

// Of all rings that have copies of stacks.
std::atomic<std::size_t> bytes_of_copies = 0;

int OpenEvent(pid_t thread, std::uint64_t per_s, PerfParts parts, bool with_kernel) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_freq = per_s;
  attributes.freq = 1;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;
  attributes.sample_max_stack = 127;
  if (parts == PerfParts::kChainAndStack) {
    attributes.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attributes.sample_regs_user = kStackRegisters;
    attributes.sample_stack_user = PerfRing::kStackBytes;
  }
  attributes.exclude_kernel = with_kernel ? 0 : 1;
  attributes.exclude_callchain_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

Status WhyNot(int error) {
  if (error == EACCES || error == EPERM)
    return Error(StatusCode::kIo,
                 "the kernel does not permit perf_event_open: it needs CAP_PERFMON, or the "
                 "process's own user with kernel.perf_event_paranoid of 2 or less; seccomp may "
                 "forbid it, too");
  if (error == ENOENT || error == ENOSYS || error == EOPNOTSUPP)
    return Error(StatusCode::kIo, "this kernel has no perf events");
  return Error(StatusCode::kIo, "perf_event_open: {}", std::strerror(error));
}

}  // namespace

PerfRing::PerfRing(int event, void* pages, std::size_t bytes, PerfParts parts)
    : event_(event), pages_(pages), bytes_(bytes), parts_(parts) {
  if (parts == PerfParts::kChainAndStack) bytes_of_copies += bytes;
}

Result<std::unique_ptr<PerfRing>> PerfRing::Open(pid_t thread, std::uint64_t per_s,
                                                 PerfParts parts) {
  const bool has_stacks = parts == PerfParts::kChainAndStack;
  if (has_stacks && bytes_of_copies >= kMostBytes) return Open(thread, per_s, PerfParts::kChain);
  // Time in system calls belongs to the function that called them, where it may be seen.
  int event = OpenEvent(thread, per_s, parts, true);
  if (event < 0 && (errno == EACCES || errno == EPERM))
    event = OpenEvent(thread, per_s, parts, false);
  if (event < 0) return WhyNot(errno);
  // Seven samples until it is emptied, where they have stacks. What all rings of a user may lock is
  // bounded: rather a small one than none.
  const std::vector<std::size_t> sizes =
      has_stacks ? std::vector<std::size_t>{32} : std::vector<std::size_t>{8, 2};
  for (const std::size_t pages : sizes) {
    const std::size_t bytes = (1 + pages) * kPage;
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    if (mapped != MAP_FAILED)
      return std::unique_ptr<PerfRing>(new PerfRing(event, mapped, bytes, parts));
  }
  const int error = errno;
  close(event);
  if (has_stacks) return Open(thread, per_s, PerfParts::kChain);
  return Error(StatusCode::kIo,
               "no memory may be locked for perf events ({}): kernel.perf_event_mlock_kb bounds it",
               std::strerror(error));
}

PerfRing::~PerfRing() {
  if (parts_ == PerfParts::kChainAndStack) bytes_of_copies -= bytes_;
  munmap(pages_, bytes_);
  close(event_);
}

void PerfRing::Drain(std::vector<std::byte>& bytes) {
  auto* control = static_cast<perf_event_mmap_page*>(pages_);
  const auto* data = static_cast<const std::byte*>(pages_) + kPage;
  const std::uint64_t size = bytes_ - kPage;
  const std::uint64_t head = std::atomic_ref(control->data_head).load(std::memory_order_acquire);
  // Only this end writes it.
  const std::uint64_t tail = control->data_tail;
  if (head - tail <= size) {
    const std::uint64_t at = tail % size;
    const std::uint64_t first = std::min(head - tail, size - at);
    bytes.insert(bytes.end(), data + at, data + at + first);
    bytes.insert(bytes.end(), data, data + (head - tail - first));
  }
  std::atomic_ref(control->data_tail).store(head, std::memory_order_release);
}

}  // namespace rankscope::cpu_profile
