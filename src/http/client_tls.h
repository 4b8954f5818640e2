// How clients agree on TLS, and how they write the head of a request.
#pragma once

#include <string>

#include "base/status.h"
#include "http/asio.h"
#include "http/client.h"

namespace rankscope::http {

// The certificates that are trusted, and the one to be shown. Reading the system's takes tens of
// ms. kBadData for files that hold none.
Status LoadClientCertificates(const ClientOptions& options, asio::ssl::context& to);

// The other end has to show a certificate of this name, and is told which is meant.
void ExpectHost(beast::ssl_stream<beast::tcp_stream>& stream, std::string host);

// "POST /x HTTP/1.1", the fields of both, and the length of the body.
std::string HeadText(const Address& address, std::string_view method, std::string_view target,
                     const Fields& of_all, const Fields& of_this, std::uint64_t body_bytes);

}  // namespace rankscope::http
