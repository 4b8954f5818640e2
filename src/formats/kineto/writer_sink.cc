#include "formats/kineto/writer_sink.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::kineto {

struct WriterSink::Gzip {
  isal_zstream stream{};
  std::array<std::uint8_t, ISAL_DEF_LVL1_DEFAULT> level_buffer;
  std::array<std::uint8_t, 256 * 1024> output;
};

Result<std::unique_ptr<WriterSink>> WriterSink::Create(const std::string& path) {
  RS_ASSIGN_OR_RETURN(auto file, AtomicFile::Create(path));
  std::unique_ptr<Gzip> gzip;
  if (path.ends_with(".gz")) {
    gzip = std::make_unique<Gzip>();
    isal_deflate_init(&gzip->stream);
    gzip->stream.gzip_flag = IGZIP_GZIP;
    gzip->stream.level = 1;
    gzip->stream.level_buf = gzip->level_buffer.data();
    gzip->stream.level_buf_size = static_cast<std::uint32_t>(gzip->level_buffer.size());
    gzip->stream.flush = NO_FLUSH;
  }
  return std::unique_ptr<WriterSink>(new WriterSink(path, std::move(file), std::move(gzip)));
}

WriterSink::WriterSink(std::string path, std::unique_ptr<AtomicFile> file,
                       std::unique_ptr<Gzip> gzip)
    : path_(std::move(path)), file_(std::move(file)), gzip_(std::move(gzip)) {}

WriterSink::~WriterSink() = default;

Status WriterSink::Write(std::string_view text) {
  text_bytes_ += text.size();
  if (!gzip_) return file_->Write(text.data(), text.size());
  // isa-l counts input in 32 bits.
  constexpr std::size_t kPiece = std::size_t{1} << 30;
  for (std::size_t at = 0; at < text.size(); at += kPiece) {
    RS_RETURN_IF_ERROR(Compress(text.substr(at, kPiece), false));
  }
  return OkStatus();
}

Status WriterSink::Finish() {
  if (gzip_) RS_RETURN_IF_ERROR(Compress({}, true));
  return file_->Commit();
}

Status WriterSink::Compress(std::string_view text, bool last) {
  isal_zstream& stream = gzip_->stream;
  // isa-l takes the input as mutable and does not write to it.
  stream.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  stream.avail_in = static_cast<std::uint32_t>(text.size());
  stream.end_of_stream = last ? 1 : 0;
  do {
    stream.next_out = gzip_->output.data();
    stream.avail_out = static_cast<std::uint32_t>(gzip_->output.size());
    if (const int code = isal_deflate(&stream); code != COMP_OK) {
      return Error(StatusCode::kInternal, "{}: gzip failed with isa-l code {}", path_, code);
    }
    const std::size_t made = gzip_->output.size() - stream.avail_out;
    if (made > 0) RS_RETURN_IF_ERROR(file_->Write(gzip_->output.data(), made));
  } while (stream.avail_out == 0 || stream.avail_in > 0);
  return OkStatus();
}

}  // namespace rankscope::kineto
