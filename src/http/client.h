// Client: requests to one server over one connection, one after the other, with and without TLS.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "http/message.h"

namespace rankscope::http {

// "https://host:8723": where a server is.
struct Address {
  bool is_secure = false;
  std::string host;  // without brackets
  std::string port;
  std::string Text() const;
};
// kInvalidArgument for anything else, including a URL with a path or a user name.
Result<Address> ParseAddress(std::string_view text);

struct ClientOptions {
  std::string ca_file;           // certificates that are trusted, beside the system's
  std::string certificate_file;  // that it shows, PEM; both or none
  std::string key_file;
  Fields fields;                  // of every request
  std::chrono::seconds time{60};  // for connecting, for each piece of 256 KiB, and for the reply
};

struct ClientReply {
  int status = 0;
  Fields fields;
  std::string body;
};

// The body to send; the file is read while it is sent.
struct ClientRequest {
  std::string method;
  std::string target;  // encoded
  Fields fields;
  std::string_view text;                             // the body, or
  FilePart file;                                     // a part of a file, when it has a path
  std::function<bool(std::uint64_t sent)> progress;  // false ends it; may be empty
};

// Not thread-safe, except Abort.
class Client {
 public:
  virtual ~Client() = default;
  // Connects if it is not connected. kIo if the server cannot be reached or ends the connection,
  // kCancelled if `progress` returns so. A reply of any status is no error.
  virtual Result<ClientReply> Send(const ClientRequest& request) = 0;
  // Ends the wait of Send and all later ones: kCancelled. From any thread.
  virtual void Abort() = 0;
};
std::unique_ptr<Client> MakeClient(const Address& address, const ClientOptions& options);

}  // namespace rankscope::http
