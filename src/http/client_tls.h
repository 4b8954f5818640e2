// TLS settings of clients, and the head of their requests.
#pragma once

#include <string>

#include "base/status.h"
#include "http/asio.h"
#include "http/client.h"

namespace rankscope::http {

// The trusted certificates, and the client's own. Reading the system's takes tens of ms. kBadData
// for files without certificates.
Status LoadClientCertificates(const ClientOptions& options, asio::ssl::context& to);

// The server must present a certificate of this name, which is also sent to it.
void ExpectHost(beast::ssl_stream<beast::tcp_stream>& stream, std::string host);

// "POST /x HTTP/1.1", the fields of both, and the length of the body.
std::string HeadText(const Address& address, std::string_view method, std::string_view target,
                     const Fields& of_all, const Fields& of_this, std::uint64_t body_bytes);

}  // namespace rankscope::http
