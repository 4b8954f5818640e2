// The start of a cache file: the header and the directory of its sections. For the reader, the
// writer and tests of both; cache_file.h describes the rest.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/hash.h"

namespace rankscope::columnar {

inline constexpr char kMagic[8] = {'R', 'S', 'T', 'R', 'A', 'C', 'E', '\n'};
inline constexpr std::size_t kAlignment = 64;  // of sections in the file
inline constexpr std::uint32_t kMaxSections = 256;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t section_count;
  std::uint64_t file_bytes;
  Hash128 key;
  std::uint64_t directory_checksum;
  std::uint64_t reserved[2];
};
static_assert(sizeof(Header) == 64);

// An entry of the directory, which follows the header.
struct Section {
  std::uint32_t id;
  std::uint32_t element_bytes;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t checksum;
};
static_assert(sizeof(Section) == 32);

}  // namespace rankscope::columnar
