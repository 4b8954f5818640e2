#include "agent/pack.h"

#include <fcntl.h>
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

// A file that a process wrote, for reading.
class Written {
 public:
  static Result<Written> Open(const std::string& path) {
    // What a process links to is none of its files.
    Written written(path, open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {};
    if (written.file_ < 0 || fstat(written.file_, &status) != 0 || !S_ISREG(status.st_mode))
      return Error(StatusCode::kIo, "{}: cannot be read: {}", path, std::strerror(errno));
    written.bytes_ = status.st_size;
    return written;
  }
  Written(Written&& other) noexcept
      : path_(std::move(other.path_)),
        file_(std::exchange(other.file_, -1)),
        bytes_(other.bytes_) {}
  ~Written() {
    if (file_ >= 0) close(file_);
  }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;

  int file() const { return file_; }
  std::int64_t bytes() const { return bytes_; }
  // What comes next, into `piece`; "" at the end.
  Result<std::string_view> Next(std::string& piece) {
    for (;;) {
      const ssize_t got = read(file_, piece.data(), piece.size());
      if (got >= 0) return std::string_view(piece.data(), static_cast<std::size_t>(got));
      if (errno != EINTR) return Error(StatusCode::kIo, "{}: {}", path_, std::strerror(errno));
    }
  }

 private:
  Written(std::string path, int file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_;
  std::int64_t bytes_ = 0;
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
Result<std::string> FirstPiece(std::string_view bytes, const std::string& from,
                               const Written& written, const CaptureMember& member,
                               const std::string& sidecar,
                               const std::vector<cpu_profile::Profile>& profiles) {
  if (bytes.empty()) return Error(StatusCode::kBadData, "{}: it is empty", from);
  const std::size_t brace = bytes.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || bytes[brace] != '{')
    return Error(StatusCode::kBadData, "{}: is no trace: it does not begin with a brace", from);
  std::string rest(bytes.substr(brace + 1));
  // Where there is no place for them it stays as it is.
  if (!profiles.empty())
    AddCpuEvents(rest, TailOf(written.file(), written.bytes()), member.inside, profiles);
  return "{" + HeadOf(bytes, member, sidecar) + rest;
}

Status PutRest(Written& written, std::string& piece, GzipFile& out) {
  for (;;) {
    RS_ASSIGN_OR_RETURN(const std::string_view bytes, written.Next(piece));
    if (bytes.empty()) return OkStatus();
    RS_RETURN_IF_ERROR(out.Put(bytes));
  }
}

}  // namespace

Status PackTrace(const std::string& from, const std::string& to, const CaptureMember& member,
                 const std::string& sidecar, const std::vector<cpu_profile::Profile>& profiles) {
  RS_ASSIGN_OR_RETURN(Written written, Written::Open(from));
  RS_ASSIGN_OR_RETURN(const std::unique_ptr<GzipFile> out, GzipFile::Create(to));
  std::string piece(kPieceBytes, '\0');
  RS_ASSIGN_OR_RETURN(const std::string_view bytes, written.Next(piece));
  RS_ASSIGN_OR_RETURN(const std::string first,
                      FirstPiece(bytes, from, written, member, sidecar, profiles));
  RS_RETURN_IF_ERROR(out->Put(first));
  RS_RETURN_IF_ERROR(PutRest(written, piece, *out));
  return out->Commit();
}

Status PackFile(const std::string& from, const std::string& to) {
  RS_ASSIGN_OR_RETURN(Written written, Written::Open(from));
  RS_ASSIGN_OR_RETURN(const std::unique_ptr<GzipFile> out, GzipFile::Create(to));
  std::string piece(kPieceBytes, '\0');
  RS_RETURN_IF_ERROR(PutRest(written, piece, *out));
  return out->Commit();
}

}  // namespace rankscope::agent
