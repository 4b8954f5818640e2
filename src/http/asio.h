// Boost.Asio and Beast, for the few files that use them; slow to compile.
#pragma once

// Caching of frames for the next coroutine fails if coroutines end on other threads.
#define BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

namespace rankscope::http {
namespace asio = boost::asio;
namespace beast = boost::beast;
using tcp = asio::ip::tcp;
using boost::system::error_code;

// Awaited operations return their error as a value.
inline constexpr auto kToTuple = asio::as_tuple(asio::use_awaitable);

}  // namespace rankscope::http
