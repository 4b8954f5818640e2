// Turns exceptions into errors. Library code throws nothing itself, but the code it calls may throw
// when memory, threads or another system resource runs out. A long-lived thread runs each round of
// its work through Caught: a failed round is reported, and the next round may succeed.
#pragma once

#include <exception>
#include <new>
#include <type_traits>

#include "base/status.h"

namespace rankscope {

// Returns the Status of `work`, or OK if it returns nothing. An exception becomes kResource if
// memory is missing, else kInternal, with its text.
template <typename Work>
Status Caught(Work&& work) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
      work();
      return OkStatus();
    } else {
      return work();
    }
  } catch (const std::bad_alloc&) {
    return {StatusCode::kResource, "out of memory"};
  } catch (const std::exception& error) {
    return {StatusCode::kInternal, error.what()};
  } catch (...) {
    return {StatusCode::kInternal, "an exception of an unknown kind"};
  }
}

}  // namespace rankscope
