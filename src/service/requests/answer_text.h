// AnswerText: the text of an answer that is made piece by piece and may be long. A short one stays
// in memory. A long one goes to a file without a name, which vanishes with the answer or the
// process.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "http/message.h"

namespace rankscope::service {

// For one thread.
class AnswerText {
 public:
  // Longer answers go to a file.
  static constexpr std::size_t kMostInMemory = std::size_t{256} << 10;

  // `folder` exists, on a disk with room for answers.
  explicit AnswerText(std::string folder) : folder_(std::move(folder)) {}

  // Where pieces are added.
  std::string& text() { return text_; }
  // Between pieces: moves what was added to the file when it has become long. kResource when the
  // disk is full, kIo.
  Status Flush();

  // The body of a reply with all of it; once.
  Result<http::Reply> Finish();

 private:
  friend Result<http::Reply> TakeFile(const std::string& path);
  struct File;
  Status Spill();

  std::string folder_;
  std::string text_;
  std::shared_ptr<File> file_;
};

// The body of a reply that is the file `path`, whose name is removed.
Result<http::Reply> TakeFile(const std::string& path);

}  // namespace rankscope::service
