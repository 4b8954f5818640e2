// What connections of RPC take of the agent: their number and their bytes, in all and by caller.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace rankscope::agent {

struct RpcLimits {
  std::size_t connections = 0, connections_of_caller = 0;
  std::size_t bytes = 0, bytes_of_caller = 0;
};

// Outlives its places. Not thread-safe.
class RpcPlaces {
 public:
  explicit RpcPlaces(const RpcLimits& most) : most_(most) {}

  // What one connection holds, until it ends.
  class Place {
   public:
    Place(RpcPlaces& all, std::string caller) : all_(&all), caller_(std::move(caller)) {
      ++all_->connections_;
      ++all_->callers_[caller_].connections;
    }
    Place(Place&& other) noexcept
        : all_(std::exchange(other.all_, nullptr)),
          caller_(std::move(other.caller_)),
          bytes_(other.bytes_) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (all_ == nullptr) return;
      Hold(0);
      --all_->connections_;
      const auto own = all_->callers_.find(caller_);
      if (--own->second.connections == 0) all_->callers_.erase(own);
    }

    // So many bytes now in place of those before.
    void Hold(std::size_t bytes) {
      Held& own = all_->callers_.find(caller_)->second;
      own.bytes += bytes - bytes_;
      all_->bytes_ += bytes - bytes_;
      bytes_ = bytes;
    }
    // By the last ones, all hold too much, or the caller does.
    bool IsTooMuch() const {
      return all_->bytes_ > all_->most_.bytes ||
             all_->callers_.find(caller_)->second.bytes > all_->most_.bytes_of_caller;
    }

   private:
    RpcPlaces* all_;
    std::string caller_;
    std::size_t bytes_ = 0;
  };

  bool AreAllTaken() const { return connections_ >= most_.connections; }
  bool HasAll(const std::string& caller) const {
    const auto own = callers_.find(caller);
    return own != callers_.end() && own->second.connections >= most_.connections_of_caller;
  }

 private:
  struct Held {
    std::size_t connections = 0, bytes = 0;
  };
  const RpcLimits most_;
  std::map<std::string, Held> callers_;
  std::size_t connections_ = 0, bytes_ = 0;
};

}  // namespace rankscope::agent
