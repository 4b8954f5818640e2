// Blocking work of a coroutine, on the threads of a pool.
#pragma once

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "http/asio.h"

namespace rankscope::http {

// Returns the result of `work`. If it throws, returns a default value and sets `failure` to the
// reason.
template <typename Work>
auto Guarded(std::string& failure, Work work) -> std::invoke_result_t<Work> {
  try {
    return work();
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {
    failure = "an exception of an unknown kind";
  }
  if (failure.empty()) failure = "an exception without a text";
  return {};
}

// co_await OnPool(pool, function) gives the result of function(), a type with a default; the
// coroutine then continues on its old thread. `function` must not throw (Guarded).
template <typename Function>
auto OnPool(asio::thread_pool& pool, Function function) {
  using Returned = std::invoke_result_t<Function>;
  return asio::async_initiate<const asio::use_awaitable_t<>, void(Returned)>(
      [](auto handler, asio::thread_pool* threads, Function work) {
        auto back = asio::prefer(asio::get_associated_executor(handler),
                                 asio::execution::outstanding_work.tracked);
        asio::post(*threads, [handler = std::move(handler), back = std::move(back),
                              work = std::move(work)]() mutable {
          asio::post(back, [handler = std::move(handler), returned = work()]() mutable {
            std::move(handler)(std::move(returned));
          });
        });
      },
      asio::use_awaitable, &pool, std::move(function));
}

}  // namespace rankscope::http
