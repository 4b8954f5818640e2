#include "tools/trace_output.h"

namespace rankscope::tools {

Result<std::unique_ptr<TraceOutput>> TraceOutput::Create(const std::string& path,
                                                         const kineto::TopValues& values,
                                                         bool is_array) {
  RS_ASSIGN_OR_RETURN(auto file, PackedFile::Create(path));
  RS_RETURN_IF_ERROR(file->Write(kineto::HeadText(values, is_array)));
  return std::unique_ptr<TraceOutput>(new TraceOutput(std::move(file), is_array));
}

Status TraceOutput::Pack(EventBlock& block, BlockPacker& packer) const {
  if (!has_events_ || block.text.empty()) return OkStatus();
  RS_RETURN_IF_ERROR(packer.Pack(block.text, block.packed));
  block.is_packed = true;
  return OkStatus();
}

Status TraceOutput::Append(const EventBlock& block) {
  if (block.is_packed && has_events_) return file_->Append(block.packed);
  return Append(block.text);
}

Status TraceOutput::Append(std::string_view events) {
  if (events.empty()) return OkStatus();
  constexpr std::size_t kSeparator = 2;
  if (!has_events_) events.remove_prefix(kSeparator);
  has_events_ = true;
  return file_->Write(events);
}

Status TraceOutput::Finish(const kineto::TopValues& behind) {
  std::string tail;
  for (const auto& [key, value] : behind) {
    tail += tail.empty() ? "\n  ],\n  \"" : ",\n  \"";
    tail += key + "\": " + value;
  }
  tail += behind.empty() ? kineto::TailText(is_array_) : "\n}\n";
  RS_RETURN_IF_ERROR(file_->Write(tail));
  return file_->Finish();
}

}  // namespace rankscope::tools
