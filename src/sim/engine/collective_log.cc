#include "sim/engine/collective_log.h"

#include <fmt/core.h>

#include <iterator>
#include <utility>

namespace rankscope::sim {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

}  // namespace

Result<std::unique_ptr<CollectiveLog>> CollectiveLog::Create(const std::string& path) {
  RS_ASSIGN_OR_RETURN(auto file, AtomicFile::Create(path));
  return std::unique_ptr<CollectiveLog>(new CollectiveLog(std::move(file)));
}

CollectiveLog::CollectiveLog(std::unique_ptr<AtomicFile> file)
    : file_(std::move(file)),
      text_("group,sequence,op,bytes,correlation,begin_ns,last_begin_ns,end_ns\n") {}

void CollectiveLog::Add(const LoggedCollective& collective) {
  fmt::format_to(std::back_inserter(text_), "{},{},{},{},{},{},{},{}\n", collective.group,
                 collective.sequence, collective.op, collective.bytes, collective.correlation,
                 collective.begin_ns, collective.last_begin_ns, collective.end_ns);
  if (text_.size() > kBufferBytes) Flush();
}

void CollectiveLog::Flush() {
  if (status_.ok()) status_ = file_->Write(text_.data(), text_.size());
  text_.clear();
}

Status CollectiveLog::Finish() {
  Flush();
  RS_RETURN_IF_ERROR(status_);
  return file_->Commit();
}

}  // namespace rankscope::sim
