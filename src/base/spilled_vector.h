// SpilledVector: a vector that keeps its elements in a temporary file without a name, mapped into
// memory, if they take 4 MiB or more and the program has allowed it (AllowSpilling). It is meant
// for data that is as large as a job and mostly read in order, such as the columns of the job's
// graph.
//
// The price is time in the kernel: for 1,000 ranks about a tenth of the processor time, for half of
// the memory. So it is for jobs of many ranks, to keep memory from growing with their number.
//
// Such pages can leave the process without being lost. When the process takes more than about 260
// MB, or more than it took before the first such file, a thread of ours releases all of them. Pages
// that are touched later come back from the kernel's page cache, 64 kB at a time (some
// microseconds). So resident memory follows the current work, not the size of the job. If no file
// can be made (no folder but in memory, a full disk, a limit of file sizes, a confined process),
// the elements lie in plain memory.
//
// Files lie in $TMPDIR, else /var/tmp or /tmp, and are as long as the elements. Their disk blocks
// are allocated at once, so a disk that fills up later does no harm. The files vanish with their
// elements or with the process.
//
// As with the C library's allocator, there is one register of the files per process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

namespace rankscope {

inline constexpr std::size_t kLeastSpilledBytes = std::size_t{4} << 20;

// Whether elements made from now on may lie in files; the default is no. Existing elements stay
// where they are.
void AllowSpilling(bool is_allowed);

// Memory of a vector that is at least kLeastSpilledBytes large. Throws std::bad_alloc. Thread-safe,
// as are all of these.
void* AllocateSpilled(std::size_t bytes);
void FreeSpilled(void* begin, std::size_t bytes) noexcept;

// Releases the resident pages of all files. Their contents are kept, so any thread may read and
// write them meanwhile. O(resident pages).
void LetGoOfSpilled();

// Bytes that lie in files now.
std::uint64_t SpilledBytes();

template <typename T>
struct SpillAllocator {
  using value_type = T;
  // All are equal.
  using is_always_equal = std::true_type;

  SpillAllocator() = default;
  template <typename U>
  explicit SpillAllocator(const SpillAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(bytes < kLeastSpilledBytes ? ::operator new(bytes)
                                                      : AllocateSpilled(bytes));
  }
  void deallocate(T* begin, std::size_t count) noexcept {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLeastSpilledBytes) {
      ::operator delete(begin);
    } else {
      FreeSpilled(begin, bytes);
    }
  }
  friend bool operator==(const SpillAllocator&, const SpillAllocator&) { return true; }
};

// Of plain values.
template <typename T>
using SpilledVector = std::vector<T, SpillAllocator<T>>;

}  // namespace rankscope
