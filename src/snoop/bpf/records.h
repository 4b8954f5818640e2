// What the BPF programs and their reader agree on: layouts of maps and of records in rings.
//
// C, since both sides include it. Numbers are of the host; times are CLOCK_MONOTONIC in ns.
#pragma once

#include <linux/types.h>

#ifdef __cplusplus
namespace rankscope::snoop {
#endif

enum { kMostCalls = 512 };         // probes of one session
enum { kMostCodeRanges = 6 };      // where return addresses may point to
enum { kMostPythonFrames = 64 };   // that are read at an event, the innermost ones
enum { kStackBytes = 16 * 1024 };  // of the stack that go with a new one
enum { kHashedBytes = 4 * 1024 };  // of the stack that tell one from another
enum { kLevels = 4 };

// What a call does.
enum CallKind {
  kAllocate = 1,      // status and address are known when it returns
  kAllocated = 2,     // it is done: a site (USDT) that has address and size
  kFree = 3,          // at entry: another thread may be given the address before it returns
  kLaunch = 4,        // at entry
  kWait = 5,          // how long it took is known when it returns
  kCopy = 6,          // at entry
  kAllocateThrow = 7  // may throw, so nothing is known of its end: counted at entry
};

// Where a number is found when a probe is hit.
enum SourceHow { kNowhere = 0, kInRegister = 1, kInMemory = 2, kConstant = 3 };

struct SourceOf {
  __u8 how;
  __u8 reg;    // in DWARF's order: ax dx cx bx si di bp sp r8 to r15
  __s8 bytes;  // 1, 2, 4, 8; negative: with a sign
  __u8 pad[5];
  __s64 offset;  // of memory from the register; the constant
};

// One of `calls`, by the probe's cookie.
struct CallAt {
  __u32 kind;
  __u32 level;              // allocator, runtime, HIP, driver: one inside another counts at both
  struct SourceOf address;  // the address, or where the result is written
  struct SourceOf size;     // bytes
  struct SourceOf pitch;    // where bytes of a row are written: size is then the rows
  struct SourceOf detail;   // the function of a launch
};

struct CodeRange {
  __u64 begin;
  __u64 bytes;
};

// Where CPython has its state (python_layout.h); has_python 0: none.
struct PythonAt {
  __u64 runtime;
  __u64 interpreters, next_interpreter, threads, next_thread, native_id;
  __u64 current_frame, frame_in_c_frame;
  __u64 previous_frame, code, instruction, owner;
  __u32 has_python, has_c_frame;
};

// `config_of`: written before anything is attached.
struct Config {
  __u64 namespace_device, namespace_inode;  // of the process's numbers
  __u64 most_per_second;                    // hits; more end the window
  __u32 process;                            // as it is numbered there
  __u32 takes_stacks;
  struct CodeRange code[kMostCodeRanges];
  struct PythonAt python;
};

// `state_of`: one. All but the first counts up.
struct State {
  __u64 is_open;    // the reader begins and ends the window by it
  __u64 opened_ns;  // when it did
  __u64 hits;
  __u64 spent_ns;         // inside these programs; the trap into the kernel is not in it
  __u64 second_begin_ns;  // of the second that is counted now
  __u64 second_hits;
  __u64 second_spent_ns;
  __u64 lost_events;  // no room in the ring: allocations and frees that are counted only
  __u64 lost_stacks;  // stacks that are not known
  __u64 lost_sums;    // launches, waits, copies that are counted by call only
  __u64 abandoned;    // calls that never returned: what was above them on the stack is gone
  __u64 nested;       // calls inside one of the same level: not counted
  __u64 stopped_ns;   // when too many hits ended the window; 0: they did not
};

// `counts`, by call.
struct CallCount {
  __u64 entered;
  __u64 done;    // returned with success, or seen at its entry where that is all that is looked at
  __u64 failed;  // returned with an error
  __u64 total;   // bytes of allocations and copies that succeeded, ns of waits
};

// `sums`: launches, waits and copies by what they are.
struct SumKey {
  __u64 detail;
  __u64 stack;
  __u32 call;
  __u32 pad;
};
struct Sum {
  __u64 count;
  __u64 total;
};

// The ring `events`, in order of time.
struct Event {
  __u64 time_ns;
  __u64 address;
  __u64 bytes;
  __u64 stack;  // 0: not known
  __u32 thread;
  __u32 call;
  __s32 status;  // 0: it was given; of a free always 0
  __u32 kind;
};

enum PythonState { kPythonNone = 0, kPythonWhole = 1, kPythonCut = 2, kPythonUnreadable = 3 };

struct PythonFrame {
  __u64 code;
  __u64 instruction;
};

// The ring `stacks`: the first of each, of as many bytes as the stack had.
struct StackRecord {
  __u64 id;
  __u32 thread;
  __u32 python_count;
  __u32 python_state;
  __u32 stack_bytes;
  __u64 registers[17];  // in DWARF's order, the last is where it runs
  // Return addresses that probes replaced: [address on the stack, what stood there].
  __u64 replaced[kLevels][2];
  struct PythonFrame python[kMostPythonFrames];  // innermost first
  __u8 bytes[kStackBytes];                       // from the stack pointer up
};

// Off-CPU (offcpu.bpf.c). Why a thread did not run.
enum OffClass {
  kOffSleeping = 1,  // until something happens: a lock, a timer, a socket
  kOffDisk = 2,      // uninterruptible: for a disk or memory
  kOffRunnable = 3,  // it could run and had no core
  kOffOther = 4      // stopped, traced
};

// `threads`, by the kernel's own number of a thread. All time since the window began, or since the
// thread did, is in on_ns, in `waits`, or since `since_ns`.
struct OffThread {
  __u32 thread;  // as the process numbers it
  __u32 state;   // 1: on a core, 2: not, 3: gone
  __u64 begin_ns;
  __u64 since_ns;
  __u64 woken_ns;  // 0: it was not
  __u64 on_ns;
  __u64 stack;
  __u32 reason;  // of OffClass
  __s32 call;    // the number of the system call that it is in; -1: none
};

struct WaitKey {
  __u64 stack;
  __u32 thread;
  __u32 reason;
  __s32 call;
  __u32 pad;
};
struct Wait {
  __u64 count;
  __u64 total_ns;
  __u64 longest_ns;
};

#ifdef __cplusplus
static_assert(sizeof(SourceOf) == 16 && sizeof(Event) == 48 && sizeof(SumKey) == 24);
}  // namespace rankscope::snoop
#endif
