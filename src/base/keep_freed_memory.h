// How the program's allocator treats memory that is freed.
#pragma once

namespace rankscope {

// Freed memory is kept for what is allocated next, in place of going back to the kernel, which
// would clear it page by page before it is lent again: a job's files need the same amounts one
// after the other. Up to 256 MiB by the main thread, and by every other thread's arena up to 64
// MiB; blocks of 8 MiB and more, of large traces alone, go back at once. For the start of a
// program; without effect with another C library than glibc.
void KeepFreedMemory();

// Freed memory goes back to the kernel soon, for programs that live long and need much memory now
// and then, on any of many threads: blocks of 512 KiB and more at once, others when 1 MiB at the
// end of an arena is free. glibc by itself keeps up to 64 MiB for every thread that once freed a
// block of 32 MiB. For the start of a program; without effect with another C library than glibc.
void ReturnFreedMemory();

// What was kept so goes back, where what comes next needs other amounts.
void GiveBackFreedMemory();

}  // namespace rankscope
