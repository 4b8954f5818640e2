// The boundary of the library: converts every result and exception inside to a status.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "base/status.h"
#include "capi/rankscope.h"

namespace rankscope::capi {

// Sets the text of rankscope_last_error for this thread; returns the status code.
rankscope_status Tell(const Status& status) noexcept;
// Like Tell with kResource; allocates nothing.
rankscope_status TellOutOfMemory() noexcept;
const char* LastError() noexcept;

// Runs a function's work. No exception escapes.
template <typename Work>
rankscope_status Guarded(Work work) noexcept {
  try {
    return Tell(work());
  } catch (const std::bad_alloc&) {
    return TellOutOfMemory();
  } catch (const std::exception& error) {
    try {
      return Tell(Error(StatusCode::kResource, "out of memory or another limit: {}", error.what()));
    } catch (...) {
      return TellOutOfMemory();
    }
  }
}

// kInvalidArgument with a sentence that names the argument if it is NULL.
Status CheckGiven(const void* pointer, const char* argument);

// A copy for rankscope_text_free. `size` may be null.
Status GiveText(const std::string& text, char** out, std::size_t* size);

}  // namespace rankscope::capi
