#include "http/client_tls.h"

namespace rankscope::http {

Status LoadClientCertificates(const ClientOptions& options, asio::ssl::context& to) {
  error_code error;
  to.set_default_verify_paths(error);
  if (!options.ca_file.empty()) {
    to.load_verify_file(options.ca_file, error);
    if (error) {
      return Error(StatusCode::kBadData, "{}: no certificates in PEM form: {}", options.ca_file,
                   error.message());
    }
  }
  if (!options.certificate_file.empty()) {
    to.use_certificate_chain_file(options.certificate_file, error);
    if (!error) to.use_private_key_file(options.key_file, asio::ssl::context::pem, error);
    if (error) {
      return Error(StatusCode::kBadData, "{}, {}: no certificate with its key in PEM form: {}",
                   options.certificate_file, options.key_file, error.message());
    }
  }
  to.set_verify_mode(asio::ssl::verify_peer, error);
  return OkStatus();
}

void ExpectHost(beast::ssl_stream<beast::tcp_stream>& stream, std::string host) {
  error_code ignored;
  stream.set_verify_callback(asio::ssl::host_name_verification(host), ignored);
  // What the macro SSL_set_tlsext_host_name does, without its cast.
  SSL_ctrl(stream.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
           host.data());
}

std::string HeadText(const Address& address, std::string_view method, std::string_view target,
                     const Fields& of_all, const Fields& of_this, std::uint64_t body_bytes) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n", method, target,
                                 address.Text().substr(address.is_secure ? 8 : 7));
  for (const Fields* fields : {&of_all, &of_this}) {
    for (const auto& [name, value] : *fields) head += fmt::format("{}: {}\r\n", name, value);
  }
  return head + fmt::format("Content-Length: {}\r\n\r\n", body_bytes);
}

}  // namespace rankscope::http
