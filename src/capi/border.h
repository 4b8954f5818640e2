// The border of the library: what a function of it ends with, whatever happens inside.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "base/status.h"
#include "capi/rankscope.h"

namespace rankscope::capi {

// What rankscope_last_error says from now on in this thread; the code of it.
rankscope_status Tell(const Status& status) noexcept;
// As Tell of kResource; allocates nothing.
rankscope_status TellOutOfMemory() noexcept;
const char* LastError() noexcept;

// Runs a function's work. No exception leaves it.
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

// kInvalidArgument with a sentence that names the argument where it is NULL.
Status CheckGiven(const void* pointer, const char* argument);

// A copy for rankscope_text_free. `size` may be null.
Status GiveText(const std::string& text, char** out, std::size_t* size);

}  // namespace rankscope::capi
