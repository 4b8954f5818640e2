// The interface between the BPF programs and their reader: layouts of maps and of ring records.
//
// In C, since both sides include it. Host byte order; times are CLOCK_MONOTONIC in ns.
#pragma once

#include <linux/types.h>

#ifdef __cplusplus
namespace rankscope::snoop {
#endif

enum { kMostCalls = 512 };         // probes of one session
enum { kMostCodeRanges = 6 };      // where return addresses may point
enum { kMostPythonFrames = 64 };   // read per event, the innermost ones
enum { kStackBytes = 16 * 1024 };  // of the stack, sent with a new stack
enum { kHashedBytes = 4 * 1024 };  // of the stack, which identify it
enum { kLevels = 4 };

// The kind of a call.
enum CallKind {
  kAllocate = 1,      // status and address are known when it returns
  kAllocated = 2,     // done already: a site (USDT) with address and size
  kFree = 3,          // at entry: before it returns, another thread may get the address
  kLaunch = 4,        // at entry
  kWait = 5,          // duration is known when it returns
  kCopy = 6,          // at entry
  kAllocateThrow = 7  // may throw, so its end is not observed: counted at entry
};

// Where a probe finds a number.
enum SourceHow { kNowhere = 0, kInRegister = 1, kInMemory = 2, kConstant = 3 };

struct SourceOf {
  __u8 how;
  __u8 reg;    // in DWARF's order: ax dx cx bx si di bp sp r8 to r15
  __s8 bytes;  // 1, 2, 4, 8; negative: signed
  __u8 pad[5];
  __s64 offset;  // in memory: offset from the register; or the constant
};

// An entry of `calls`, indexed by the probe's cookie.
struct CallAt {
  __u32 kind;
  __u32 level;              // allocator, runtime, HIP, driver: a nested call counts at both levels
  struct SourceOf address;  // the address, or where the result is written
  struct SourceOf size;     // bytes
  struct SourceOf pitch;    // where the bytes per row are written; size then counts rows
  struct SourceOf detail;   // the launched function
};

struct CodeRange {
  __u64 begin;
  __u64 bytes;
};

// Addresses of CPython's state (python_layout.h); has_python 0: none.
struct PythonAt {
  __u64 runtime;
  __u64 interpreters, next_interpreter, threads, next_thread, native_id;
  __u64 current_frame, frame_in_c_frame;
  __u64 previous_frame, code, instruction, owner;
  __u32 has_python, has_c_frame;
};

// `config_of`: written before anything is attached.
struct Config {
  __u64 namespace_device, namespace_inode;  // PID namespace of the process
  __u64 most_per_second;                    // limit of hits; more end the window
  __u32 process;                            // its id in that namespace
  __u32 takes_stacks;
  struct CodeRange code[kMostCodeRanges];
  struct PythonAt python;
};

// `state_of`: one entry. All fields but the first only increase.
struct State {
  __u64 is_open;    // the reader opens and closes the window
  __u64 opened_ns;  // time of opening
  __u64 hits;
  __u64 spent_ns;         // inside these programs, without the trap into the kernel
  __u64 second_begin_ns;  // begin of the second being counted
  __u64 second_hits;
  __u64 second_spent_ns;
  __u64 lost_events;  // ring full: allocations and frees that are only counted
  __u64 lost_stacks;  // stacks that are unknown
  __u64 lost_sums;    // launches, waits, copies that are only counted per call
  __u64 abandoned;    // calls that never returned: the stack above them is gone
  __u64 nested;       // calls inside one of the same level: not counted
  __u64 stopped_ns;   // when too many hits ended the window; 0: they did not
};

// `counts`, indexed by call.
struct CallCount {
  __u64 entered;
  __u64 done;    // returned with success, or entered if only the entry is probed
  __u64 failed;  // returned with an error
  __u64 total;   // bytes of successful allocations and copies, ns of waits
};

// `sums`: launches, waits and copies by kind.
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

// The ring `events`, in time order.
struct Event {
  __u64 time_ns;
  __u64 address;
  __u64 bytes;
  __u64 stack;  // 0: unknown
  __u32 thread;
  __u32 call;
  __s32 status;  // 0: success; always 0 for a free
  __u32 kind;
};

enum PythonState { kPythonNone = 0, kPythonWhole = 1, kPythonCut = 2, kPythonUnreadable = 3 };

struct PythonFrame {
  __u64 code;
  __u64 instruction;
};

// The ring `stacks`: the first occurrence of each, cut to the bytes that the stack had.
struct StackRecord {
  __u64 id;
  __u32 thread;
  __u32 python_count;
  __u32 python_state;
  __u32 stack_bytes;
  __u64 registers[17];  // in DWARF's order; the last is the instruction pointer
  // Return addresses that probes replaced: [address on the stack, original value].
  __u64 replaced[kLevels][2];
  struct PythonFrame python[kMostPythonFrames];  // innermost first
  __u8 bytes[kStackBytes];                       // from the stack pointer up
};

// Off-CPU (offcpu.bpf.c). The reason why a thread did not run.
enum OffClass {
  kOffSleeping = 1,  // waits for an event: a lock, a timer, a socket
  kOffDisk = 2,      // uninterruptible: waits for a disk or memory
  kOffRunnable = 3,  // ready to run, but had no core
  kOffOther = 4      // stopped, traced
};

// `threads`, keyed by the kernel's global thread number. All time since the window (or the thread)
// began is in on_ns, in `waits`, or in the interval since `since_ns`.
struct OffThread {
  __u32 thread;  // its number in the process's namespace
  __u32 state;   // 1: on a core, 2: off, 3: ended
  __u64 begin_ns;
  __u64 since_ns;
  __u64 woken_ns;  // 0: not woken
  __u64 on_ns;
  __u64 stack;
  __u32 reason;  // of OffClass
  __s32 call;    // number of its current system call; -1: none
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
