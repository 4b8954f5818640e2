// For random access to data that lies in files (base/spilled_vector.h).
#pragma once

namespace rankscope {

// Releases the pages of all files when the process takes too much memory. The thread that normally
// does so may be late when all cores are busy, and touching a page brings in its neighbours. Code
// that keeps touching new pages calls this every few hundred times. It takes about a microsecond,
// and nothing if no data lies in files. Thread-safe.
void KeepSpilledSmall();

}  // namespace rankscope
