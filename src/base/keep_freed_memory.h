// How the program's allocator treats freed memory.
#pragma once

namespace rankscope {

// Keeps freed memory for later allocations instead of returning it to the kernel, which would clear
// it page by page before it can be used again: a job's files need the same amounts one after the
// other. The main thread keeps up to 256 MiB, and every other thread's arena up to 64 MiB. Blocks
// of 8 MiB and more, which only large traces need, are returned at once. For the start of a
// program; no effect with C libraries other than glibc.
void KeepFreedMemory();

// Returns freed memory to the kernel soon, for programs that live long and sometimes need much
// memory on any of many threads. Blocks of 512 KiB and more are returned at once, others when 1 MiB
// at the end of an arena is free. By default glibc keeps up to 64 MiB for every thread that once
// freed a block of 32 MiB. For the start of a program; no effect with C libraries other than glibc.
void ReturnFreedMemory();

// If address space is limited to less than 8 GiB (ulimit -v), threads share arenas, one for each
// 2 GiB: an arena reserves 64 MiB, and twice that while it is made, however little of it is used.
// For the start of a program; no effect with C libraries other than glibc.
void ShareArenasInLittleSpace();

// Returns the memory kept so. For use before work that needs other amounts.
void GiveBackFreedMemory();

}  // namespace rankscope
