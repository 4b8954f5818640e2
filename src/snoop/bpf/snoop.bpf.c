// Probes of a process's calls of allocators, launches, waits and copies.
//
// A call is told by its cookie (records.h: CallAt). What allocates and frees goes to a ring, call
// by call; the rest is summed here. A stack is known by a number (stack.bpf.h), and goes to a ring
// of its own the first time it is seen.
#include "maps.bpf.h"
#include "stack.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, kMostCalls);
  __type(key, __u32);
  __type(value, struct CallAt);
} calls SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, kMostCalls);
  __type(key, __u32);
  __type(value, struct CallCount);
} counts SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __type(key, struct SumKey);
  __type(value, struct Sum);
} sums SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 8 << 20);
} events SEC(".maps");

char kLicense[] SEC("license") = "Dual BSD/GPL";

// Whether the thread that runs is of the process: a fork runs the same code. Its number, or 0.
static __always_inline __u32 ThreadOf(const struct Config* config) {
  struct bpf_pidns_info numbers = {};
  if (bpf_get_ns_current_pid_tgid(config->namespace_device, config->namespace_inode, &numbers,
                                  sizeof(numbers)) != 0)
    return 0;
  return numbers.tgid == config->process ? numbers.pid : 0;
}

// False: the window is over. The second begins anew with the first hit behind it.
static __always_inline int Admit(struct State* state, const struct Config* config, __u64 now) {
  if (!state->is_open || state->stopped_ns != 0) return 0;
  __sync_fetch_and_add(&state->hits, 1);
  if (now - state->second_begin_ns > 1000000000ULL) {
    state->second_begin_ns = now;
    state->second_hits = 0;
  }
  __sync_fetch_and_add(&state->second_hits, 1);
  if (config->most_per_second != 0 && state->second_hits > config->most_per_second) {
    state->stopped_ns = now;
    return 0;
  }
  return 1;
}

static __always_inline void Emit(struct State* state, __u32 kind, __u32 call, __u32 thread,
                                 __u64 address, __u64 bytes, __s32 status, __u64 stack) {
  struct Event* event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
  if (!event) {
    __sync_fetch_and_add(&state->lost_events, 1);
    return;
  }
  event->time_ns = bpf_ktime_get_ns();
  event->address = address;
  event->bytes = bytes;
  event->stack = stack;
  event->thread = thread;
  event->call = call;
  event->status = status;
  event->kind = kind;
  bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

static __always_inline void AddTo(struct State* state, __u32 call, __u64 detail, __u64 stack,
                                  __u64 total) {
  struct SumKey key = {.detail = detail, .stack = stack, .call = call, .pad = 0};
  struct Sum* sum = bpf_map_lookup_elem(&sums, &key);
  if (!sum) {
    const struct Sum none = {};
    bpf_map_update_elem(&sums, &key, &none, BPF_NOEXIST);
    sum = bpf_map_lookup_elem(&sums, &key);
  }
  if (!sum) {
    __sync_fetch_and_add(&state->lost_sums, 1);
    return;
  }
  __sync_fetch_and_add(&sum->count, 1);
  __sync_fetch_and_add(&sum->total, total);
}

static __always_inline void Enter(const struct pt_regs* ctx, __u32 index, struct State* state,
                                  const struct Config* config, __u32 thread, __u64 now) {
  const struct CallAt* call = bpf_map_lookup_elem(&calls, &index);
  struct CallCount* count = bpf_map_lookup_elem(&counts, &index);
  if (!call || !count) return;
  const __u32 kind = call->kind;
  const int returns = kind == kAllocate || kind == kWait;
  struct PendingKey key = {.thread = thread, .level = call->level};
  if (returns) {
    const struct Pending* outer = bpf_map_lookup_elem(&pending, &key);
    // Deeper on the stack than one that has not returned, or what that one ends with: inside it.
    if (outer && (ctx->rsp < outer->stack_pointer ||
                  (ctx->rsp == outer->stack_pointer && !IsCode(config, WordAt(ctx->rsp))))) {
      __sync_fetch_and_add(&state->nested, 1);
      return;
    }
    if (outer) __sync_fetch_and_add(&state->abandoned, 1);
  }
  __sync_fetch_and_add(&count->entered, 1);
  const __u64 stack = config->takes_stacks ? StackOf(ctx, state, config, thread, call->level) : 0;
  if (returns) {
    struct Pending begun = {};
    begun.stack_pointer = ctx->rsp;
    begun.stack = stack;
    begun.time_ns = now;
    begun.result = ValueOf(ctx, &call->address);
    begun.size = ValueOf(ctx, &call->size);
    begun.pitch = ValueOf(ctx, &call->pitch);
    begun.call = index;
    begun.return_address = ReturnAddress(config, thread, ctx->rsp);
    bpf_map_update_elem(&pending, &key, &begun, BPF_ANY);
    return;
  }
  __sync_fetch_and_add(&count->done, 1);
  const __u64 bytes = ValueOf(ctx, &call->size);
  if (kind != kFree) __sync_fetch_and_add(&count->total, bytes);
  if (kind == kFree || kind == kAllocated || kind == kAllocateThrow) {
    const __u64 address = ValueOf(ctx, &call->address);
    if (kind == kAllocateThrow || address != 0)
      Emit(state, kind, index, thread, address, bytes, 0, stack);
  } else {
    AddTo(state, index, ValueOf(ctx, &call->detail), stack, bytes);
  }
}

static __always_inline void Leave(const struct pt_regs* ctx, __u32 index, struct State* state,
                                  const struct Config* config, __u32 thread) {
  const struct CallAt* call = bpf_map_lookup_elem(&calls, &index);
  struct CallCount* count = bpf_map_lookup_elem(&counts, &index);
  if (!call || !count) return;
  struct PendingKey key = {.thread = thread, .level = call->level};
  struct Pending* begun = bpf_map_lookup_elem(&pending, &key);
  // One inside another of its level returns deeper, one from before the window was not entered.
  if (!begun || begun->call != index || ctx->rsp != begun->stack_pointer + 8) return;
  const __s32 status = (__s32)ctx->rax;
  __sync_fetch_and_add(status == 0 ? &count->done : &count->failed, 1);
  if (call->kind == kWait) {
    const __u64 took = bpf_ktime_get_ns() - begun->time_ns;
    __sync_fetch_and_add(&count->total, took);
    AddTo(state, index, 0, begun->stack, took);
  } else {
    __u64 address = 0, bytes = begun->size, pitch = 0;
    if (status == 0) bpf_probe_read_user(&address, 8, (const void*)begun->result);
    if (call->pitch.how != kNowhere) {
      if (status == 0) bpf_probe_read_user(&pitch, 8, (const void*)begun->pitch);
      bytes *= pitch;
    }
    if (status == 0) __sync_fetch_and_add(&count->total, bytes);
    Emit(state, kAllocate, index, thread, address, bytes, status, begun->stack);
  }
  bpf_map_delete_elem(&pending, &key);
}

static __always_inline int Hit(struct pt_regs* at, int leaves) {
  const __u64 now = bpf_ktime_get_ns();
  const __u32 zero = 0;
  struct State* state = bpf_map_lookup_elem(&state_of, &zero);
  const struct Config* config = bpf_map_lookup_elem(&config_of, &zero);
  if (!state || !config) return 0;
  const __u32 thread = ThreadOf(config);
  if (thread == 0 || !Admit(state, config, now)) return 0;
  const __u32 index = (__u32)bpf_get_attach_cookie(at);
  // A copy: of the original the verifier lets no register be chosen by a number.
  struct pt_regs registers = {};
  bpf_probe_read_kernel(&registers, sizeof(registers), at);
  if (leaves) {
    Leave(&registers, index, state, config, thread);
  } else {
    Enter(&registers, index, state, config, thread, now);
  }
  __sync_fetch_and_add(&state->spent_ns, bpf_ktime_get_ns() - now);
  return 0;
}

SEC("uprobe")
int enter(struct pt_regs* ctx) { return Hit(ctx, 0); }

SEC("uretprobe")
int leave(struct pt_regs* ctx) { return Hit(ctx, 1); }
