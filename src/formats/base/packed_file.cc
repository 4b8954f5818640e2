#include "formats/base/packed_file.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace rankscope {
namespace {

constexpr int kZstdLevel = 3;
// isa-l and zlib count in 32 bits.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
// No name, no time, system unknown (RFC 1952).
constexpr std::array<std::uint8_t, 10> kGzipHeader{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
// A last block of deflate that is empty.
constexpr std::array<std::uint8_t, 2> kLastBlock{3, 0};

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

Packing PackingOf(std::string_view path) {
  if (path.ends_with(".gz")) return Packing::kGzip;
  return path.ends_with(".zst") ? Packing::kZstd : Packing::kPlain;
}

struct BlockPacker::State {
  isal_zstream stream{};
  std::array<std::uint8_t, ISAL_DEF_LVL1_DEFAULT> level_buffer;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context;

  Status Deflate(std::string_view text, std::string& out);
  Status Zstd(std::string_view text, std::string& out);
};

BlockPacker::BlockPacker(Packing packing) : packing_(packing) {
  if (packing != Packing::kPlain) state_ = std::make_unique<State>();
  if (packing == Packing::kZstd) state_->context.reset(ZSTD_createCCtx());
}

BlockPacker::~BlockPacker() = default;

Status BlockPacker::State::Deflate(std::string_view text, std::string& out) {
  isal_deflate_init(&stream);
  stream.gzip_flag = IGZIP_DEFLATE;
  stream.level = 1;
  stream.level_buf = level_buffer.data();
  stream.level_buf_size = static_cast<std::uint32_t>(level_buffer.size());
  stream.flush = FULL_FLUSH;
  // isa-l takes the input as mutable and does not write to it.
  stream.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  stream.avail_in = static_cast<std::uint32_t>(text.size());
  std::size_t made = out.size();
  do {
    out.resize(made + std::max<std::size_t>(text.size() / 4, 4096));
    stream.next_out = reinterpret_cast<std::uint8_t*>(out.data() + made);
    const std::size_t room = out.size() - made;
    stream.avail_out = static_cast<std::uint32_t>(room);
    if (const int code = isal_deflate(&stream); code != COMP_OK)
      return Error(StatusCode::kInternal, "gzip failed with isa-l code {}", code);
    made += room - stream.avail_out;
  } while (stream.avail_out == 0 || stream.avail_in > 0);
  out.resize(made);
  return OkStatus();
}

Status BlockPacker::State::Zstd(std::string_view text, std::string& out) {
  const std::size_t made = out.size();
  out.resize(made + ZSTD_compressBound(text.size()));
  std::size_t size = 0;
  if (context != nullptr) {
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    size = ZSTD_compress2(context.get(), out.data() + made, out.size() - made, text.data(),
                          text.size());
  }
  if (context == nullptr || ZSTD_isError(size) != 0)
    return Error(StatusCode::kResource, "zstd failed: {}",
                 context == nullptr ? "out of memory" : ZSTD_getErrorName(size));
  out.resize(made + size);
  return OkStatus();
}

Status BlockPacker::Pack(std::string_view text, PackedBlock& block) {
  block.bytes.clear();
  block.crc = 0;
  block.text_bytes = text.size();
  if (packing_ == Packing::kPlain) {
    block.bytes.assign(text);
    return OkStatus();
  }
  for (; !text.empty(); text.remove_prefix(std::min(kMostAtOnce, text.size()))) {
    const std::string_view piece = text.substr(0, kMostAtOnce);
    if (packing_ == Packing::kZstd) {
      RS_RETURN_IF_ERROR(state_->Zstd(piece, block.bytes));
      continue;
    }
    RS_RETURN_IF_ERROR(state_->Deflate(piece, block.bytes));
    block.crc = crc32_gzip_refl(
        block.crc, const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(piece.data())),
        piece.size());
  }
  return OkStatus();
}

Result<std::unique_ptr<PackedFile>> PackedFile::Create(const std::string& path) {
  RS_ASSIGN_OR_RETURN(auto file, AtomicFile::Create(path));
  return std::unique_ptr<PackedFile>(new PackedFile(std::move(file), PackingOf(path)));
}

Status PackedFile::Append(const PackedBlock& block) {
  if (packing_ == Packing::kGzip && !has_header_) {
    has_header_ = true;
    RS_RETURN_IF_ERROR(file_->Write(kGzipHeader.data(), kGzipHeader.size()));
  }
  if (block.text_bytes == 0) return OkStatus();
  if (packing_ == Packing::kGzip)
    crc_ = static_cast<std::uint32_t>(
        crc32_combine(crc_, block.crc, static_cast<z_off_t>(block.text_bytes)));
  text_bytes_ += block.text_bytes;
  return file_->Write(block.bytes.data(), block.bytes.size());
}

Status PackedFile::Write(std::string_view text) {
  BlockPacker packer(packing_);  // not kept: many files may be open at once
  PackedBlock block;
  RS_RETURN_IF_ERROR(packer.Pack(text, block));
  return Append(block);
}

Status PackedFile::Finish() {
  if (packing_ == Packing::kGzip) {
    RS_RETURN_IF_ERROR(Append({}));
    RS_RETURN_IF_ERROR(file_->Write(kLastBlock.data(), kLastBlock.size()));
    std::array<std::uint8_t, 8> trailer{};
    for (unsigned i = 0; i < 4; ++i) {
      trailer[i] = static_cast<std::uint8_t>(crc_ >> (8 * i));
      trailer[4 + i] = static_cast<std::uint8_t>(text_bytes_ >> (8 * i));
    }
    RS_RETURN_IF_ERROR(file_->Write(trailer.data(), trailer.size()));
  }
  return file_->Commit();
}

}  // namespace rankscope
