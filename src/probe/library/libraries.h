// Calls of specifications: one process per library, even if several classes name it. A device whose
// call hangs or crashes has a process of its own from then on, so it costs the others nothing but
// that one restart.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "probe/library/client.h"

namespace rankscope::probe {

// Not thread-safe.
class Libraries {
 public:
  Libraries(std::vector<std::string> worker, Clock clock, Opening opening)
      : worker_(std::move(worker)), clock_(std::move(clock)), opening_(opening) {}

  Reading Read(const DeviceSpec& device, const Source& source, const Instance& instance,
               std::span<const Value> arguments);
  // The instance is gone. Its own process, if it has one, is ended.
  void Forget(const Instance& instance);

 private:
  struct Clients {
    std::unique_ptr<LibraryClient> shared;
    std::map<std::string, std::unique_ptr<LibraryClient>> own;  // by instance
  };
  Clients& ClientsOf(const Library& library);
  std::unique_ptr<LibraryClient>& ClientOf(const Library& library, const Instance& instance);
  Reading ValueOf(const DeviceSpec& device, const Source& source, const LibraryClient& client,
                  const LibraryAnswer& answer) const;

  const std::vector<std::string> worker_;
  const Clock clock_;
  const Opening opening_;
  std::uint64_t processes_ = 0;  // that were started
  std::map<std::string, Clients> clients_;
};

}  // namespace rankscope::probe
