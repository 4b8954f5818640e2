#include "capi/arrow_stream.h"

#include <cerrno>
#include <exception>
#include <string>
#include <utility>

#include "capi/arrow_array.h"

namespace rankscope::capi {
namespace {

struct Stream {
  std::shared_ptr<const ArrowColumns> columns;
  TextForm form;
  bool is_over = false;
  std::string error;
};

Stream& Of(ArrowArrayStream* stream) { return *static_cast<Stream*>(stream->private_data); }

// The interface's codes are those of errno.
template <typename Work>
int GuardedStream(Stream& stream, Work work) noexcept {
  try {
    stream.error.clear();
    const Status status = work();
    if (status.ok()) return 0;
    stream.error = status.message();
    return EIO;
  } catch (const std::exception&) {
    return ENOMEM;
  }
}

int GetSchema(ArrowArrayStream* self, ArrowSchema* out) {
  Stream& stream = Of(self);
  return GuardedStream(stream, [&] {
    *out = ExportSchema(*stream.columns, stream.form);
    return OkStatus();
  });
}

int GetNext(ArrowArrayStream* self, ArrowArray* out) {
  Stream& stream = Of(self);
  return GuardedStream(stream, [&] {
    if (stream.is_over) {
      *out = ArrowArray{};  // without `release`: the end
      return OkStatus();
    }
    RS_ASSIGN_OR_RETURN(*out, ExportArray(stream.columns, stream.form));
    stream.is_over = true;
    return OkStatus();
  });
}

const char* GetLastError(ArrowArrayStream* self) {
  const std::string& error = Of(self).error;
  return error.empty() ? nullptr : error.c_str();
}

void Release(ArrowArrayStream* self) {
  delete static_cast<Stream*>(self->private_data);
  self->release = nullptr;
}

}  // namespace

ArrowArrayStream ExportStream(std::shared_ptr<const ArrowColumns> columns, TextForm form) {
  const bool is_over = columns->columns().empty();
  auto stream = std::make_unique<Stream>(Stream{std::move(columns), form, is_over, ""});
  ArrowArrayStream made{};
  made.get_schema = GetSchema;
  made.get_next = GetNext;
  made.get_last_error = GetLastError;
  made.release = Release;
  made.private_data = stream.release();
  return made;
}

}  // namespace rankscope::capi
