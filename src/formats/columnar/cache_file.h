// The columnar cache file: a RankTrace as it lies in memory, to be mapped and used in place.
//
// Layout, little-endian: a 64-byte header (magic, version, section count, file size, the key of the
// source, checksum of the directory), the directory (per section: id, element size, offset, bytes,
// checksum), then the sections, each aligned to 64 bytes. Written to a temporary file and renamed.
// A file of another version, with another key, a wrong checksum or an index out of range is refused
// as a whole; the caller rebuilds it from the source.
#pragma once

#include <string>

#include "base/hash.h"
#include "base/status.h"
#include "trace/trace.h"

namespace rankscope::columnar {

// Raised with any change of the layout, of the columns or of what loading computes.
inline constexpr std::uint32_t kCacheVersion = 6;

Status WriteCacheFile(const RankTrace& trace, const Hash128& key, const std::string& path);

// Maps `path`; the trace's columns are views that keep the mapping alive. Cost: one pass over the
// file for the checksums.
Result<RankTrace> ReadCacheFile(const std::string& path, const Hash128& key);

}  // namespace rankscope::columnar
