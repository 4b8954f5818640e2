#include "probe/library/messages.h"

#include <algorithm>

#include "base/file.h"

namespace rankscope::probe {

std::uint64_t Unpacker::Number() {
  if (left_.size() < 8) {
    is_good_ = false;
    left_ = {};
    return 0;
  }
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(left_[static_cast<std::size_t>(i)])}
             << (8 * i);
  left_.remove_prefix(8);
  return value;
}

std::string Unpacker::Text() {
  const std::uint64_t size = Number();
  if (size > left_.size()) {
    is_good_ = false;
    left_ = {};
    return "";
  }
  std::string text(left_.substr(0, size));
  left_.remove_prefix(size);
  return text;
}

std::string Pack(const LibraryOpen& open) {
  Packer packer;
  packer.Number(open.files.size());
  for (const std::string& file : open.files) packer.Text(file);
  packer.Text(open.init);
  packer.Text(open.shutdown);
  packer.Number(static_cast<std::uint64_t>(open.ok));
  return packer.bytes();
}

std::optional<LibraryOpen> UnpackOpen(std::string_view bytes) {
  Unpacker unpacker(bytes);
  LibraryOpen open;
  const std::uint64_t count = unpacker.Number();
  for (std::uint64_t i = 0; i < count && unpacker.is_good(); ++i)
    open.files.push_back(unpacker.Text());
  open.init = unpacker.Text();
  open.shutdown = unpacker.Text();
  open.ok = static_cast<std::int64_t>(unpacker.Number());
  return unpacker.is_good() ? std::optional(std::move(open)) : std::nullopt;
}

std::string Pack(const LibraryCall& call) {
  Packer packer;
  packer.Text(call.function);
  packer.Number(call.arguments.size());
  for (const LibraryArgument& one : call.arguments) {
    packer.Number(static_cast<std::uint64_t>(one.kind));
    packer.Number(one.number);
    packer.Text(one.text);
    packer.Number(one.first_word);
  }
  return packer.bytes();
}

std::optional<LibraryCall> UnpackCall(std::string_view bytes) {
  Unpacker unpacker(bytes);
  LibraryCall call;
  call.function = unpacker.Text();
  const std::uint64_t count = unpacker.Number();
  for (std::uint64_t i = 0; i < count && unpacker.is_good(); ++i) {
    LibraryArgument one;
    one.kind = static_cast<LibraryArgument::Kind>(unpacker.Number());
    one.number = unpacker.Number();
    one.text = unpacker.Text();
    one.first_word = static_cast<std::uint32_t>(unpacker.Number());
    call.arguments.push_back(std::move(one));
  }
  return unpacker.is_good() ? std::optional(std::move(call)) : std::nullopt;
}

std::string Pack(const LibraryAnswer& answer) {
  Packer packer;
  packer.Number(static_cast<std::uint64_t>(answer.answer));
  packer.Number(answer.result);
  packer.Text(answer.out);
  packer.Text(answer.why);
  return packer.bytes();
}

std::optional<LibraryAnswer> UnpackAnswer(std::string_view bytes) {
  Unpacker unpacker(bytes);
  LibraryAnswer answer;
  const std::uint64_t kind = unpacker.Number();
  answer.result = unpacker.Number();
  answer.out = unpacker.Text();
  answer.why = unpacker.Text();
  if (!unpacker.is_good() || kind > static_cast<std::uint64_t>(Answer::kCorrupt))
    return std::nullopt;
  answer.answer = static_cast<Answer>(kind);
  return answer;
}

bool WriteFrame(int descriptor, std::string_view bytes) {
  Packer packer;
  packer.Text(bytes);
  return WriteWhole(descriptor, packer.bytes().data(), packer.bytes().size());
}

}  // namespace rankscope::probe
