#include "postgres/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/caught.h"

namespace rankscope::postgres {

Listener::Listener(std::string address, ConnectionOptions connection, Options options)
    : address_(std::move(address)),
      connection_options_(connection),
      options_(std::move(options)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] { Work(); });
}

Listener::~Listener() {
  is_stopping_ = true;
  const std::uint64_t one = 1;
  (void)!write(stop_, &one, sizeof(one));
  thread_.join();
  close(stop_);
}

Status Listener::Connect() {
  RS_ASSIGN_OR_RETURN(auto connection, Connection::Open(address_, connection_options_));
  for (const std::string& channel : options_.channels)
    RS_RETURN_IF_ERROR(connection->Script(("LISTEN " + channel).c_str()).status());
  connection_ = std::move(connection);
  return OkStatus();
}

void Listener::Work() {
  while (!is_stopping_) {
    const Status round = Caught([this] {
      if (connection_ == nullptr) {
        const Status connected = Connect();
        // Once when it goes, once when it is back.
        if (connected.ok() == has_told_ && options_.on_message)
          options_.on_message(connected.ok() ? "the database answers again" : connected.message());
        has_told_ = !connected.ok();
      }
      options_.wake();
      return OkStatus();
    });
    if (!round.ok() && options_.on_message) options_.on_message(round.message());
    Wait();
  }
}

void Listener::Wait() {
  pollfd wanted[2] = {{.fd = stop_, .events = POLLIN, .revents = 0},
                      {.fd = -1, .events = POLLIN, .revents = 0}};
  if (connection_ != nullptr) wanted[1].fd = connection_->socket();
  const auto end = std::chrono::steady_clock::now() + options_.at_least_every;
  while (!is_stopping_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    const int ready = poll(wanted, 2, static_cast<int>(left.count()) + 1);
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0 || wanted[1].revents == 0) continue;
    const auto channels = connection_->Notifications();
    if (!channels.ok()) {
      connection_.reset();
      return;
    }
    if (!channels->empty()) return;
  }
}

}  // namespace rankscope::postgres
