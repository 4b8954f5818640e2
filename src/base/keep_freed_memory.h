// How the program's allocator treats memory that is freed.
#pragma once

namespace rankscope {

// Freed memory is kept for what is allocated next, up to 256 MiB, in place of going back to the
// kernel, which would clear it page by page before it is lent again: a job's files need the same
// amounts one after the other. For the start of a program; a wish that another C library may not
// know.
void KeepFreedMemory();

}  // namespace rankscope
