// The maps of the probes, and how a probe finds a number.
#pragma once

#include <asm/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

#include "records.h"

// A call that has not returned: at most one per thread and level.
struct PendingKey {
  __u32 thread;
  __u32 level;
};
struct Pending {
  __u64 stack_pointer;  // at entry of the call
  __u64 return_address;
  __u64 stack;
  __u64 time_ns;
  __u64 result;  // address at which its result is written
  __u64 size;
  __u64 pitch;
  __u32 call;
  __u32 pad;
};

// Python thread state of a thread; verified on every use.
struct PythonThreadAt {
  __u64 state;
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct Config);
} config_of SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct State);
} state_of SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 16384);
  __type(key, struct PendingKey);
  __type(value, struct Pending);
} pending SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 4096);
  __type(key, __u32);
  __type(value, struct PythonThreadAt);
} python_threads SEC(".maps");

// Stacks that were sent already.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __type(key, __u64);
  __type(value, __u32);
} known_stacks SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 16 << 20);
} stacks SEC(".maps");

// Buffers for stack records. A program may be interrupted by another one on the same core, so each
// takes a free slot.
enum { kSlots = 4 };
struct Slot {
  __u32 is_taken;
  __u32 pad;
  struct StackRecord record;
};
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, kSlots);
  __type(key, __u32);
  __type(value, struct Slot);
} slots SEC(".maps");

static __noinline __u64 RegisterOf(const struct pt_regs* ctx, __u32 number) {
  if (!ctx) return 0;
  switch (number) {
    case 0:
      return ctx->rax;
    case 1:
      return ctx->rdx;
    case 2:
      return ctx->rcx;
    case 3:
      return ctx->rbx;
    case 4:
      return ctx->rsi;
    case 5:
      return ctx->rdi;
    case 6:
      return ctx->rbp;
    case 7:
      return ctx->rsp;
    case 8:
      return ctx->r8;
    case 9:
      return ctx->r9;
    case 10:
      return ctx->r10;
    case 11:
      return ctx->r11;
    case 12:
      return ctx->r12;
    case 13:
      return ctx->r13;
    case 14:
      return ctx->r14;
    case 15:
      return ctx->r15;
    default:
      return 0;
  }
}

static __noinline __u64 CutTo(__u64 value, __s32 bytes) {
  switch (bytes) {
    case 1:
      return (__u8)value;
    case 2:
      return (__u16)value;
    case 4:
      return (__u32)value;
    case -1:
      return (__u64)(__s64)(__s8)value;
    case -2:
      return (__u64)(__s64)(__s16)value;
    case -4:
      return (__u64)(__s64)(__s32)value;
    default:
      return value;
  }
}

// 0: not available, or not readable.
static __always_inline __u64 ValueOf(const struct pt_regs* ctx, const struct SourceOf* source) {
  if (source->how == kConstant) return CutTo((__u64)source->offset, source->bytes);
  if (source->how == kNowhere) return 0;
  __u64 value = RegisterOf(ctx, source->reg);
  if (source->how == kInMemory) {
    const void* at = (const void*)(value + source->offset);
    value = 0;
    if (bpf_probe_read_user(&value, sizeof(value), at) != 0) return 0;
  }
  return CutTo(value, source->bytes);
}
