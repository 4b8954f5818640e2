// Where the threads of a process are while they do not run: each switch of the scheduler ends one
// span of a thread and begins the next, so that spans sum to the time that passed.
#include "maps.bpf.h"
#include "stack.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

char kLicense[] SEC("license") = "Dual BSD/GPL";

// Of the kernel's own structures what is read, found by its BTF.
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct ns_common {
  unsigned int inum;
};
struct pid_namespace {
  struct ns_common ns;
};
struct upid {
  int nr;
  struct pid_namespace* ns;
};
struct pid {
  unsigned int level;
  struct upid numbers[1];
};
struct task_struct {
  unsigned int __state;
  int pid;
  struct task_struct* group_leader;
  struct pid* thread_pid;
};
#pragma clang attribute pop

enum { kOn = 1, kOff = 2, kGone = 3 };
// Of a task's state, by include/linux/sched.h.
enum { kUninterruptible = 2, kStopped = 4, kTraced = 8, kDead = 0x80 };

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 8192);
  __type(key, __u32);
  __type(value, struct OffThread);
} threads SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __type(key, struct WaitKey);
  __type(value, struct Wait);
} waits SEC(".maps");

// How a task is numbered in the process's namespace; 0: it is not in it.
static __always_inline __u32 NumberOf(struct pid* pid, const struct Config* config) {
  if (!pid) return 0;
  const unsigned int level = BPF_CORE_READ(pid, level);
  struct upid number = {};
  bpf_probe_read_kernel(&number, sizeof(number), &pid->numbers[level]);
  if (BPF_CORE_READ(number.ns, ns.inum) != config->namespace_inode) return 0;
  return number.nr;
}

// The thread's number, if it is of the process; else 0.
static __always_inline __u32 ThreadOf(struct task_struct* task, const struct Config* config) {
  struct task_struct* leader = BPF_CORE_READ(task, group_leader);
  if (NumberOf(BPF_CORE_READ(leader, thread_pid), config) != config->process) return 0;
  return NumberOf(BPF_CORE_READ(task, thread_pid), config);
}

static __always_inline int IsOpen(struct State** state, const struct Config** config) {
  const __u32 zero = 0;
  *state = bpf_map_lookup_elem(&state_of, &zero);
  *config = bpf_map_lookup_elem(&config_of, &zero);
  return *state && *config && (*state)->is_open;
}

// One that the window did not see yet: in this state since it began.
static __always_inline struct OffThread* Known(struct task_struct* task, __u32 thread, __u32 state,
                                               struct State* all, __u64 since) {
  const __u32 key = BPF_CORE_READ(task, pid);
  struct OffThread* known = bpf_map_lookup_elem(&threads, &key);
  if (known) return known;
  struct OffThread fresh = {.thread = thread,
                            .state = state,
                            .begin_ns = since,
                            .since_ns = since,
                            .reason = kOffSleeping,
                            .call = -1};
  bpf_map_update_elem(&threads, &key, &fresh, BPF_NOEXIST);
  known = bpf_map_lookup_elem(&threads, &key);
  if (!known) __sync_fetch_and_add(&all->lost_sums, 1);
  return known;
}

static __always_inline void AddWait(const struct OffThread* thread, __u32 reason, __u64 span,
                                    struct State* state) {
  if (span == 0) return;
  struct WaitKey key = {.stack = thread->stack,
                        .thread = thread->thread,
                        .reason = reason,
                        .call = thread->call,
                        .pad = 0};
  struct Wait* wait = bpf_map_lookup_elem(&waits, &key);
  if (!wait) {
    const struct Wait none = {};
    bpf_map_update_elem(&waits, &key, &none, BPF_NOEXIST);
    wait = bpf_map_lookup_elem(&waits, &key);
  }
  if (!wait) {
    __sync_fetch_and_add(&state->lost_sums, 1);
    return;
  }
  // A thread is on one core at a time.
  ++wait->count;
  wait->total_ns += span;
  if (span > wait->longest_ns) wait->longest_ns = span;
}

// Its wait has ended now. One that was not woken in the window could run when it began.
static __always_inline void EndWait(struct OffThread* known, struct State* state, __u64 now) {
  const __u64 woken = known->woken_ns;
  if (woken != 0) {
    AddWait(known, known->reason, woken - known->since_ns, state);
    AddWait(known, kOffRunnable, now - woken, state);
  } else {
    AddWait(known, kOffRunnable, now - known->since_ns, state);
  }
}

static __always_inline void Leaves(struct task_struct* task, int is_preempted, struct State* state,
                                   const struct Config* config, __u64 now) {
  const __u32 key = BPF_CORE_READ(task, pid);
  struct OffThread* known = bpf_map_lookup_elem(&threads, &key);
  // One that ends has lost its number in the namespace already.
  if (!known) {
    const __u32 number = ThreadOf(task, config);
    if (number == 0) return;
    known = Known(task, number, kOn, state, state->opened_ns);
  }
  if (!known || known->state == kGone) return;
  const __u32 thread = known->thread;
  __sync_fetch_and_add(&state->hits, 1);
  if (known->state == kOn) {
    known->on_ns += now - known->since_ns;
  } else {
    // It came to a core unseen: the kernel may pass a program over.
    __sync_fetch_and_add(&state->abandoned, 1);
    EndWait(known, state, now);
  }
  const unsigned int of_task = BPF_CORE_READ(task, __state);
  known->since_ns = now;
  known->woken_ns = 0;
  if (of_task & kDead) {
    known->state = kGone;
    return;
  }
  known->state = kOff;
  // One that is being woken already (TASK_WAKING) was to sleep.
  known->reason = is_preempted || of_task == 0     ? kOffRunnable
                  : of_task & kUninterruptible     ? kOffDisk
                  : of_task & (kStopped | kTraced) ? kOffOther
                                                   : kOffSleeping;
  struct pt_regs registers = {};
  const struct pt_regs* of_user =
      (const struct pt_regs*)bpf_task_pt_regs(bpf_get_current_task_btf());
  bpf_probe_read_kernel(&registers, sizeof(registers), of_user);
  known->call = (__s32)registers.orig_rax;
  if (config->takes_stacks) known->stack = StackOf(&registers, state, config, thread, kLevels);
  __sync_fetch_and_add(&state->spent_ns, bpf_ktime_get_ns() - now);
}

static __always_inline void Comes(struct task_struct* task, struct State* state,
                                  const struct Config* config, __u64 now) {
  const __u32 thread = ThreadOf(task, config);
  if (thread == 0) return;
  struct OffThread* known = Known(task, thread, kOff, state, state->opened_ns);
  if (!known || known->state != kOff) return;
  EndWait(known, state, now);
  known->state = kOn;
  known->since_ns = now;
  known->woken_ns = 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool is_preempted, struct task_struct* previous,
             struct task_struct* next) {
  struct State* state;
  const struct Config* config;
  if (!IsOpen(&state, &config)) return 0;
  const __u64 now = bpf_ktime_get_ns();
  Leaves(previous, is_preempted, state, config, now);
  Comes(next, state, config, now);
  return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct* task) {
  struct State* state;
  const struct Config* config;
  if (!IsOpen(&state, &config)) return 0;
  const __u32 thread = ThreadOf(task, config);
  if (thread == 0) return 0;
  struct OffThread* known = Known(task, thread, kOff, state, state->opened_ns);
  if (known && known->state == kOff && known->woken_ns == 0 && known->reason != kOffRunnable)
    known->woken_ns = bpf_ktime_get_ns();
  return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_begin, struct task_struct* task) {
  struct State* state;
  const struct Config* config;
  if (!IsOpen(&state, &config)) return 0;
  const __u32 thread = ThreadOf(task, config);
  if (thread == 0) return 0;
  struct OffThread* known = Known(task, thread, kOff, state, bpf_ktime_get_ns());
  if (known) known->reason = kOffRunnable;
  return 0;
}
