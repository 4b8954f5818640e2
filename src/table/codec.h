// Tables as bytes, for cache entries, partial results and workers' answers.
//
// Layout, everything little-endian:
//
//   header   "RSTB"  u32 version
//   payload  u32 tables, each:  text name  u32 columns  u64 rows  columns
//   column   text name  u8 type  text unit  text doc  u8 has_nulls  [null bits]  cells
//   cells    int64: packed    double: 8 bytes each    bool: bits    string: packed lengths, bytes
//   packed   of every 4,096 values, and of those behind them:
//            i64 smallest  u8 width (1, 2, 4 or 8)  values less the smallest, `width` bytes each
//   bits     8 rows to a byte, the first in the lowest bit
//   text     u32 size  bytes
//   trailer  u64 checksum of the payload
//
// Packing stores ids, counts and close timestamps in a fraction of 8 bytes per number. Tables in
// memory use the same packing (packed_ints.h), so numbers are copied, not converted, in both
// directions.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "table/table.h"

namespace rankscope {

// Equal tables give equal bytes.
std::string EncodeTables(std::span<const Table> tables);
// The same bytes, passed on piece by piece. Frees each column after encoding, so large tables are
// not held twice.
void EncodeAndFree(std::vector<Table> tables, const std::function<void(std::string_view)>& put);

// Any bytes are safe to decode: bytes that are not a complete encoding of this version give
// kBadData with a message that names the byte. Memory stays below about 64 times the size of
// `bytes` (flags take one bit there and 8 bytes here), whatever they claim.
Result<std::vector<Table>> DecodeTables(std::string_view bytes);

}  // namespace rankscope
