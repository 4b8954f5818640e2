// Exceptions as errors. Library code throws nothing, but what it calls does where memory, threads
// or another thing that the system gives runs out. A thread that works for as long as the process
// lives takes each round of its work through Caught: one that fails is told, and the next may not.
#pragma once

#include <exception>
#include <new>
#include <type_traits>

#include "base/status.h"

namespace rankscope {

// What `work` returns, a Status or nothing (which is OK); of an exception that leaves it kResource
// where memory is missing, else kInternal, with its text.
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
