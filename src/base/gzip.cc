#include "base/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace rankscope {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, gzip's head and tail

z_stream StreamOver(std::string_view bytes) {
  z_stream stream{};
  // zlib only reads it.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  return stream;
}

}  // namespace

std::string PackGzip(std::string_view bytes, GzipEffort effort) {
  z_stream stream = StreamOver(bytes);
  const int level = effort == GzipEffort::kFast ? Z_BEST_SPEED : Z_BEST_COMPRESSION;
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool is_whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (!is_whole) throw std::bad_alloc();
  return packed;
}

Result<std::string> UnpackGzip(std::string_view packed, std::size_t most_bytes) {
  constexpr std::size_t kRoom = std::size_t{1} << 20;
  z_stream stream = StreamOver(packed);
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  std::string bytes;
  int result = Z_OK;
  while (result == Z_OK && bytes.size() <= most_bytes) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + kRoom);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + begin);
    stream.avail_out = static_cast<uInt>(kRoom);
    result = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(bytes.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END)
    return Error(StatusCode::kBadData, "the bytes are no whole gzip file");
  if (bytes.size() > most_bytes)
    return Error(StatusCode::kBadData, "the gzip file holds more than expected");
  return bytes;
}

}  // namespace rankscope
