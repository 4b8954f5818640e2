#include "agent/pack.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "agent/captures/cpu_events.h"
#include "base/file.h"
#include "json/writer.h"

namespace rankscope::agent {
namespace {

constexpr std::size_t kPieceBytes = 256 << 10;

// Behind the brace with which a trace begins.
std::string HeadOf(std::string_view front, const CaptureMember& member,
                   const std::string& sidecar) {
  const std::string_view head = front.substr(0, front.find("\"traceEvents\""));
  std::string added;
  json::Writer writer(added);
  if (member.rank && head.find("\"distributedInfo\"") == std::string_view::npos) {
    writer.Key("distributedInfo").BeginObject().Member("rank", *member.rank);
    if (member.world_size) writer.Member("world_size", *member.world_size);
    writer.EndObject();
  }
  writer.Key("rankscope_capture").Raw(sidecar);
  return added + ",";
}

// A file that a process wrote, from front to back.
class Pieces {
 public:
  explicit Pieces(const WrittenFile& file) : file_(file) {}
  // What comes next, into `piece`; "" at the end.
  Result<std::string_view> Next(std::string& piece) {
    for (;;) {
      const ssize_t got = pread(file_.descriptor(), piece.data(), piece.size(), at_);
      if (got >= 0) {
        at_ += got;
        return std::string_view(piece.data(), static_cast<std::size_t>(got));
      }
      if (errno != EINTR)
        return Error(StatusCode::kIo, "{}: {}", file_.path(), std::strerror(errno));
    }
  }

 private:
  const WrittenFile& file_;
  off_t at_ = 0;
};

// Its last bytes, where Kineto says what it recorded when.
std::string TailOf(int file, std::int64_t bytes) {
  std::string tail(static_cast<std::size_t>(std::min<std::int64_t>(bytes, kPieceBytes)), '\0');
  const ssize_t got =
      pread(file, tail.data(), tail.size(), bytes - static_cast<std::int64_t>(tail.size()));
  tail.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return tail;
}

// A file of gzip that comes into being whole or not at all.
class GzipFile {
 public:
  static Result<std::unique_ptr<GzipFile>> Create(const std::string& path) {
    RS_ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, AtomicFile::Create(path));
    chmod(file->temporary_path().c_str(), 0600);
    std::unique_ptr<GzipFile> made(new GzipFile(std::move(file)));
    constexpr int kGzip = 15 + 16;
    made->is_begun_ = deflateInit2(&made->stream_, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8,
                                   Z_DEFAULT_STRATEGY) == Z_OK;
    if (!made->is_begun_) return Error(StatusCode::kResource, "{}: no memory to pack it", path);
    return made;
  }
  ~GzipFile() {
    if (is_begun_) deflateEnd(&stream_);
  }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  Status Put(std::string_view bytes) { return Put(bytes, Z_NO_FLUSH); }
  Status Commit() {
    RS_RETURN_IF_ERROR(Put("", Z_FINISH));
    return file_->Commit();
  }

 private:
  explicit GzipFile(std::unique_ptr<AtomicFile> file)
      : file_(std::move(file)), packed_(kPieceBytes, '\0') {}

  Status Put(std::string_view bytes, int flush) {
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&stream_, flush);
      RS_RETURN_IF_ERROR(file_->Write(packed_.data(), packed_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
    return OkStatus();
  }

  const std::unique_ptr<AtomicFile> file_;
  z_stream stream_{};
  bool is_begun_ = false;
  std::string packed_;
};

// The first piece of a trace, with what is added behind its brace.
Result<std::string> FirstPiece(std::string_view bytes, const WrittenFile& from,
                               const CaptureMember& member, const std::string& sidecar,
                               const std::vector<cpu_profile::Profile>& profiles) {
  if (bytes.empty()) return Error(StatusCode::kBadData, "{}: it is empty", from.path());
  const std::size_t brace = bytes.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || bytes[brace] != '{')
    return Error(StatusCode::kBadData, "{}: is no trace: it does not begin with a brace",
                 from.path());
  std::string rest(bytes.substr(brace + 1));
  // Where there is no place for them it stays as it is.
  if (!profiles.empty())
    AddCpuEvents(rest, TailOf(from.descriptor(), from.bytes()), member.inside, profiles);
  return "{" + HeadOf(bytes, member, sidecar) + rest;
}

Status PutRest(Pieces& written, std::string& piece, GzipFile& out) {
  for (;;) {
    RS_ASSIGN_OR_RETURN(const std::string_view bytes, written.Next(piece));
    if (bytes.empty()) return OkStatus();
    RS_RETURN_IF_ERROR(out.Put(bytes));
  }
}

}  // namespace

Status PackTrace(const WrittenFile& from, const std::string& to, const CaptureMember& member,
                 const std::string& sidecar, const std::vector<cpu_profile::Profile>& profiles) {
  Pieces written(from);
  RS_ASSIGN_OR_RETURN(const std::unique_ptr<GzipFile> out, GzipFile::Create(to));
  std::string piece(kPieceBytes, '\0');
  RS_ASSIGN_OR_RETURN(const std::string_view bytes, written.Next(piece));
  RS_ASSIGN_OR_RETURN(const std::string first, FirstPiece(bytes, from, member, sidecar, profiles));
  RS_RETURN_IF_ERROR(out->Put(first));
  RS_RETURN_IF_ERROR(PutRest(written, piece, *out));
  return out->Commit();
}

Status PackFile(const WrittenFile& from, const std::string& to) {
  Pieces written(from);
  RS_ASSIGN_OR_RETURN(const std::unique_ptr<GzipFile> out, GzipFile::Create(to));
  std::string piece(kPieceBytes, '\0');
  RS_RETURN_IF_ERROR(PutRest(written, piece, *out));
  return out->Commit();
}

}  // namespace rankscope::agent
