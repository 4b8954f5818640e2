// The columnar cache file: a RankTrace in its memory layout, to be mapped and used in place.
//
// Layout, little-endian: a 64-byte header (magic, version, section count, file size, the key of the
// source, checksum of the directory), the directory (per section: id, element size, offset, bytes,
// checksum), then the sections, each aligned to 64 bytes. Written to a temporary file and renamed.
// A file of another version, with another key, a wrong checksum or an index out of range is refused
// as a whole; the caller rebuilds it from the source.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/status.h"
#include "trace/trace.h"

namespace rankscope::columnar {

// Increase it with every change of the layout, of the columns or of what loading computes.
inline constexpr std::uint32_t kCacheVersion = 19;

// Number of bytes that WriteCacheFile writes.
std::uint64_t CacheFileBytes(const RankTrace& trace);

Status WriteCacheFile(const RankTrace& trace, const Hash128& key, const std::string& path);

// Maps `path`, which may be untrusted (MappedFile::OpenUntrusted). The trace's columns are views
// that keep the mapping alive. Cost: one pass over the file for the checksums and one over the rows
// for the invariants that readers of a trace rely on (check.h).
Result<RankTrace> ReadCacheFile(const std::string& path, const Hash128& key);

// The same for a file in memory, at an address aligned to 64 bytes. `backing` keeps it alive;
// errors use `name`.
Result<RankTrace> ReadCacheBytes(std::string_view bytes, std::shared_ptr<const void> backing,
                                 const std::string& name, const Hash128& key);

}  // namespace rankscope::columnar
