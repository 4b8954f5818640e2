// The stack of the current thread, read while it cannot continue: its Python frames from the
// interpreter's state, and a copy of its native stack, which the reader unwinds.
//
// Its id is a hash of the Python frames and of the words in the nearest kHashedBytes of the stack
// that point into code: return addresses, and leftovers of older ones. So one stack may have
// several ids, which the reader merges; two stacks share an id only if they do not differ in these
// words.
//
// Functions that are not static are verified once each, not again for every path to them.
#pragma once

#include "maps.bpf.h"

static __always_inline __u64 Mixed(__u64 hash, __u64 word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29);
}

// Hides the number's range from the compiler, so that it keeps the check that follows; the
// verifier, which knows less than the compiler, needs it.
static __always_inline __u32 Opaque(__u32 number) {
  asm volatile("" : "+r"(number));
  return number;
}

static __always_inline __u64 WordAt(__u64 address) {
  __u64 word = 0;
  if (bpf_probe_read_user(&word, sizeof(word), (const void*)address) != 0) return 0;
  return word;
}

// A thread's Python thread state, by the thread's number; 0: it runs no Python there.
__noinline __u64 FindIn(const struct PythonAt* at, __u64 interpreter, __u32 thread) {
  if (!at) return 0;
  __u64 state = WordAt(interpreter + at->threads);
  for (int i = 0; i < 256 && state != 0; ++i) {
    if (WordAt(state + at->native_id) == thread) return state;
    state = WordAt(state + at->next_thread);
  }
  return 0;
}

static __always_inline __u64 FindPythonThread(const struct PythonAt* at, __u32 thread) {
  __u64 interpreter = WordAt(at->runtime + at->interpreters);
  for (int i = 0; i < 4 && interpreter != 0; ++i) {
    const __u64 state = FindIn(at, interpreter, thread);
    if (state != 0) return state;
    interpreter = WordAt(interpreter + at->next_interpreter);
  }
  return 0;
}

static __always_inline __u64 PythonThreadOf(const struct PythonAt* at, __u32 thread) {
  const struct PythonThreadAt* known = bpf_map_lookup_elem(&python_threads, &thread);
  if (known && WordAt(known->state + at->native_id) == thread) return known->state;
  struct PythonThreadAt found = {.state = FindPythonThread(at, thread)};
  if (found.state != 0) bpf_map_update_elem(&python_threads, &thread, &found, BPF_ANY);
  return found.state;
}

// Frames that C code pushes to call Python have no code object of their own.
enum { kOwnedByC = 3 };

__noinline __u64 ReadPython(const struct PythonAt* at, struct StackRecord* record, __u32 thread) {
  __u64 hash = 0;
  if (!at || !record) return 0;
  record->python_count = 0;
  record->python_state = kPythonNone;
  if (!at->has_python) return 0;
  const __u64 state = PythonThreadOf(at, thread);
  if (state == 0) return 0;
  __u64 frame = WordAt(state + at->current_frame);
  if (at->has_c_frame && frame != 0) frame = WordAt(frame + at->frame_in_c_frame);
  if (frame == 0) return 0;
  record->python_state = kPythonWhole;
  for (int i = 0; i < kMostPythonFrames + 16; ++i) {
    const __u32 count = record->python_count;
    if (frame == 0) break;
    if (count >= kMostPythonFrames) {
      record->python_state = kPythonCut;
      break;
    }
    __u8 owner = 0;
    if (bpf_probe_read_user(&owner, 1, (const void*)(frame + at->owner)) != 0) {
      record->python_state = kPythonUnreadable;
      break;
    }
    if (owner != kOwnedByC) {
      const __u64 code = WordAt(frame + at->code), instruction = WordAt(frame + at->instruction);
      const __u32 at_frame = Opaque(count) & (kMostPythonFrames - 1);
      record->python[at_frame].code = code;
      record->python[at_frame].instruction = instruction;
      hash = Mixed(Mixed(hash, code), instruction);
      record->python_count = count + 1;
    }
    frame = WordAt(frame + at->previous_frame);
  }
  return hash;
}

static __always_inline int IsCode(const struct Config* config, __u64 word) {
  for (int i = 0; i < kMostCodeRanges; ++i) {
    if (word - config->code[i].begin < config->code[i].bytes) return 1;
  }
  return 0;
}

// Hashes the bytes that were read already.
__noinline __u64 HashOfWords(const struct Config* config, const struct Slot* slot) {
  __u64 hash = 0;
  if (!config || !slot) return 0;
  for (__u32 i = 0; i < kHashedBytes / 8; ++i) {
    const __u64 word = ((const __u64*)slot->record.bytes)[i];
    if (word < 0x10000) continue;
    if (IsCode(config, word)) hash = Mixed(hash, word);
  }
  return hash;
}

// Copies up to `most` bytes after the first `done`, in pieces: memory beyond the begin of the stack
// is not mapped, and a piece is read completely or not at all. Returns the new number of bytes.
__noinline __u32 Copy(struct StackRecord* record, __u64 stack_pointer, __u32 done, __u32 most) {
  if (!record) return done;
  for (int i = 0; i < kStackBytes / 1024; ++i) {
    done = Opaque(done);
    if (done >= most || done > kStackBytes - 1024) break;
    if (bpf_probe_read_user(record->bytes + done, 1024, (const void*)(stack_pointer + done)) != 0)
      break;
    done += 1024;
  }
  return done;
}

__noinline __u32 CopyRest(struct StackRecord* record, __u64 stack_pointer, __u32 done) {
  if (!record) return done;
  for (int i = 0; i < 16; ++i) {
    done = Opaque(done);
    if (done > kStackBytes - 64) break;
    if (bpf_probe_read_user(record->bytes + done, 64, (const void*)(stack_pointer + done)) != 0)
      break;
    done += 64;
  }
  return done;
}

// The return address of the call at this entry. If another call ends with this one by a jump (a
// tail call), the stack holds the address that the other call's return probe has written.
static __always_inline __u64 ReturnAddress(const struct Config* config, __u32 thread,
                                           __u64 stack_pointer) {
  const __u64 word = WordAt(stack_pointer);
  if (IsCode(config, word)) return word;
  for (__u32 i = 0; i < kLevels; ++i) {
    struct PendingKey key = {.thread = thread, .level = i};
    const struct Pending* outer = bpf_map_lookup_elem(&pending, &key);
    if (outer && outer->stack_pointer == stack_pointer) return outer->return_address;
  }
  return word;
}

// Return probes of outer calls have replaced return addresses on the stack.
static __always_inline __u64 ReadReplaced(const struct Config* config, struct StackRecord* record,
                                          __u32 thread, __u32 level, __u64 stack_pointer) {
  __u64 hash = 0;
  for (__u32 i = 0; i < kLevels; ++i) {
    record->replaced[i][0] = 0;
    record->replaced[i][1] = 0;
    if (i == level) continue;
    struct PendingKey key = {.thread = thread, .level = i};
    const struct Pending* outer = bpf_map_lookup_elem(&pending, &key);
    if (!outer || outer->stack_pointer < stack_pointer) continue;
    // It never returned, and another call's frame is there now.
    if (IsCode(config, WordAt(outer->stack_pointer))) continue;
    record->replaced[i][0] = outer->stack_pointer;
    record->replaced[i][1] = outer->return_address;
    hash = Mixed(hash, outer->return_address);
  }
  return hash;
}

static __always_inline __u64 Fill(const struct pt_regs* ctx, struct State* state,
                                  const struct Config* config, struct Slot* slot, __u32 thread,
                                  __u32 level) {
  struct StackRecord* record = &slot->record;
  const __u64 stack_pointer = ctx->rsp;
  __u64 hash = ReadPython(&config->python, record, thread);
  __builtin_memset(record->bytes, 0, kHashedBytes > 1024 ? 1024 : kHashedBytes);
  __u32 done = Copy(record, stack_pointer, 0, kHashedBytes);
  if (done < kHashedBytes) done = CopyRest(record, stack_pointer, done);
  hash = Mixed(hash, ReadReplaced(config, record, thread, level, stack_pointer));
  hash = Mixed(hash, HashOfWords(config, slot));
  hash = Mixed(hash, ctx->rip);
  if (hash == 0) hash = 1;
  if (bpf_map_lookup_elem(&known_stacks, &hash)) return hash;
  if (done >= kHashedBytes) {
    done = Copy(record, stack_pointer, done, kStackBytes);
    done = CopyRest(record, stack_pointer, done);
  }
  record->id = hash;
  record->thread = thread;
  record->stack_bytes = done;
  for (__u32 i = 0; i < 16; ++i) record->registers[i] = RegisterOf(ctx, i);
  record->registers[16] = ctx->rip;
  done = Opaque(done);
  if (done > kStackBytes) done = kStackBytes;
  const __u64 bytes = sizeof(*record) - kStackBytes + done;
  if (bpf_ringbuf_output(&stacks, record, bytes, BPF_RB_FORCE_WAKEUP) != 0) {
    __sync_fetch_and_add(&state->lost_stacks, 1);
    return 0;
  }
  const __u32 one = 1;
  bpf_map_update_elem(&known_stacks, &hash, &one, BPF_ANY);
  return hash;
}

static __always_inline struct Slot* TakeSlot(void) {
#pragma unroll
  for (__u32 i = 0; i < kSlots; ++i) {
    const __u32 number = i;
    struct Slot* slot = bpf_map_lookup_elem(&slots, &number);
    if (slot && __sync_val_compare_and_swap(&slot->is_taken, 0, 1) == 0) return slot;
  }
  return 0;
}

// The id of the stack; 0: unknown, and counted as lost.
static __always_inline __u64 StackOf(const struct pt_regs* ctx, struct State* state,
                                     const struct Config* config, __u32 thread, __u32 level) {
  struct Slot* slot = TakeSlot();
  if (!slot) {
    __sync_fetch_and_add(&state->lost_stacks, 1);
    return 0;
  }
  const __u64 id = Fill(ctx, state, config, slot, thread, level);
  __sync_lock_test_and_set(&slot->is_taken, 0);
  return id;
}
