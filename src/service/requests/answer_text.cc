#include "service/requests/answer_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace rankscope::service {

// An open file without a name.
struct AnswerText::File {
  explicit File(int raw) : descriptor(raw) {}
  ~File() {
    if (descriptor >= 0) close(descriptor);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  static Status Failed(std::string_view folder, int why) {
    const bool is_full = why == ENOSPC || why == EDQUOT || why == EFBIG;
    return Error(is_full ? StatusCode::kResource : StatusCode::kIo,
                 "{}: cannot write an answer there: {}", folder, std::strerror(why));
  }
  // The file as long as `file` is held.
  static http::Reply ReplyOf(std::shared_ptr<File> file, std::uint64_t bytes) {
    http::Reply reply;
    std::string path = fmt::format("/proc/self/fd/{}", file->descriptor);
    reply.body = http::FilePart{
        .path = std::move(path), .offset = 0, .bytes = bytes, .keep = std::move(file)};
    return reply;
  }

  int descriptor;
  std::uint64_t bytes = 0;
};

Status AnswerText::Flush() { return text_.size() < kMostInMemory ? OkStatus() : Spill(); }

Status AnswerText::Spill() {
  if (file_ == nullptr) {
    std::string name = folder_ + "/answer-XXXXXX";
    file_ = std::make_shared<File>(mkostemp(name.data(), O_CLOEXEC));
    if (file_->descriptor < 0) return File::Failed(folder_, errno);
    unlink(name.c_str());
  }
  for (std::string_view left = text_; !left.empty();) {
    const ssize_t written = write(file_->descriptor, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return File::Failed(folder_, errno);
    left.remove_prefix(static_cast<std::size_t>(written));
    file_->bytes += static_cast<std::uint64_t>(written);
  }
  text_.clear();
  return OkStatus();
}

Result<http::Reply> AnswerText::Finish() {
  if (file_ == nullptr) {
    http::Reply reply;
    reply.body = std::move(text_);
    return reply;
  }
  RS_RETURN_IF_ERROR(Spill());
  const std::uint64_t bytes = file_->bytes;
  return File::ReplyOf(std::move(file_), bytes);
}

Result<http::Reply> TakeFile(const std::string& path) {
  auto file = std::make_shared<AnswerText::File>(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file->descriptor < 0)
    return Error(StatusCode::kIo, "{}: cannot open: {}", path, std::strerror(errno));
  unlink(path.c_str());
  struct stat info {};
  if (fstat(file->descriptor, &info) != 0)
    return Error(StatusCode::kIo, "{}: cannot look at it: {}", path, std::strerror(errno));
  return AnswerText::File::ReplyOf(std::move(file), static_cast<std::uint64_t>(info.st_size));
}

}  // namespace rankscope::service
