#include "capi/border.h"

#include <cstdlib>
#include <cstring>

namespace rankscope::capi {
namespace {

thread_local std::string last_error;
// Of the sentence, or of a literal where there was no memory for one.
thread_local const char* last_sentence = "";

rankscope_status CodeOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return RANKSCOPE_OK;
    case StatusCode::kInvalidArgument:
      return RANKSCOPE_INVALID_ARGUMENT;
    case StatusCode::kNotFound:
      return RANKSCOPE_NOT_FOUND;
    case StatusCode::kBadData:
      return RANKSCOPE_BAD_DATA;
    case StatusCode::kIo:
      return RANKSCOPE_IO;
    case StatusCode::kResource:
      return RANKSCOPE_RESOURCE;
    case StatusCode::kCancelled:
      return RANKSCOPE_CANCELLED;
    case StatusCode::kInternal:
      break;
  }
  return RANKSCOPE_INTERNAL;
}

}  // namespace

rankscope_status Tell(const Status& status) noexcept {
  if (status.ok()) return RANKSCOPE_OK;
  try {
    last_error = status.message();
    last_sentence = last_error.c_str();
  } catch (const std::exception&) {
    return TellOutOfMemory();
  }
  return CodeOf(status.code());
}

rankscope_status TellOutOfMemory() noexcept {
  last_sentence = "out of memory";
  return RANKSCOPE_RESOURCE;
}

const char* LastError() noexcept { return last_sentence; }

Status CheckGiven(const void* pointer, const char* argument) {
  if (pointer != nullptr) return OkStatus();
  return Error(StatusCode::kInvalidArgument, "the argument {} is NULL", argument);
}

Status GiveText(const std::string& text, char** out, std::size_t* size) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return Error(StatusCode::kResource, "out of memory");
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *out = copy;
  if (size != nullptr) *size = text.size();
  return OkStatus();
}

}  // namespace rankscope::capi
