#include "service/runs/event_hub.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace rankscope::service {

class Listener final : public http::Stream {
 public:
  Listener(EventHub& hub, std::string client, std::int64_t last, bool has_missed,
           std::function<bool(std::string_view)> hears)
      : hub_(hub),
        client_(std::move(client)),
        last_(last),
        has_missed_(has_missed),
        hears_(std::move(hears)) {}
  ~Listener() override {
    const std::scoped_lock lock(hub_.mutex_);
    hub_.listeners_.erase(this);
    const auto mine = hub_.of_client_.find(client_);
    if (--mine->second == 0) hub_.of_client_.erase(mine);
  }

  std::optional<std::string> Take() override {
    const std::scoped_lock lock(hub_.mutex_);
    std::string text;
    const std::int64_t oldest = hub_.kept_.empty() ? hub_.last_ + 1 : hub_.kept_.front().number;
    if (has_missed_ || last_ + 1 < oldest) {
      text = fmt::format("id: {}\nevent: resync\ndata: {{}}\n\n", hub_.IdOf(hub_.last_));
      has_missed_ = false;
      last_ = hub_.last_;
    }
    for (std::int64_t number = std::max(last_ + 1, oldest); number <= hub_.last_; ++number) {
      const auto& event = hub_.kept_[static_cast<std::size_t>(number - oldest)];
      if (hears_(event.team)) text += event.text;
    }
    last_ = std::max(last_, hub_.last_);
    if (is_new_) {
      // Browsers come back after so many milliseconds.
      text.insert(0, "retry: 3000\n\n");
      is_new_ = false;
    }
    return text;
  }

  void OnReady(std::function<void()> wake) override {
    const std::scoped_lock lock(hub_.mutex_);
    wake_ = std::move(wake);
  }

  std::string Heartbeat() override { return "event: heartbeat\ndata: {}\n\n"; }

  void Wake() const {
    if (wake_) wake_();
  }

 private:
  EventHub& hub_;
  const std::string client_;
  std::int64_t last_;
  bool has_missed_;
  bool is_new_ = true;
  std::function<bool(std::string_view)> hears_;
  std::function<void()> wake_;
};

std::string EventHub::IdOf(std::int64_t number) const {
  return fmt::format("{}-{}", start_, number);
}

void EventHub::Publish(std::string_view team, std::string_view type, std::string_view data) {
  if (sink_) return sink_(team, type, data);
  const std::scoped_lock lock(mutex_);
  AddLocked(last_ + 1, team, type, data);
  for (const Listener* listener : listeners_) listener->Wake();
}

void EventHub::Put(std::int64_t number, std::string_view team, std::string_view type,
                   std::string_view data) {
  const std::scoped_lock lock(mutex_);
  if (number <= last_) return;
  if (number != last_ + 1) kept_.clear();
  AddLocked(number, team, type, data);
  for (const Listener* listener : listeners_) listener->Wake();
}

void EventHub::AddLocked(std::int64_t number, std::string_view team, std::string_view type,
                         std::string_view data) {
  last_ = number;
  kept_.push_back({.number = number, .team = std::string(team), .text = ""});
  if (!type.empty()) {
    kept_.back().text = fmt::format("id: {}\nevent: {}\ndata: {}\n\n", IdOf(number), type, data);
  }
  if (kept_.size() > kKept) kept_.pop_front();
}

std::shared_ptr<http::Stream> EventHub::Listen(std::string_view last_id, std::string client,
                                               std::function<bool(std::string_view)> hears) {
  const std::scoped_lock lock(mutex_);
  const auto known = of_client_.find(client);
  const bool has_many = known != of_client_.end() && known->second >= kMostOfClient;
  if (has_many || listeners_.size() >= kMostListeners) return nullptr;
  std::int64_t last = last_;
  bool has_missed = false;
  if (!last_id.empty()) {
    const std::string prefix = fmt::format("{}-", start_);
    const char* end = last_id.data() + last_id.size();
    std::int64_t number = -1;
    if (last_id.starts_with(prefix)) {
      const auto parsed = std::from_chars(last_id.data() + prefix.size(), end, number);
      if (parsed.ec != std::errc() || parsed.ptr != end) number = -1;
    }
    // Of a cluster another server may have told what this one is about to read.
    const std::int64_t newest = last_ + (sink_ ? static_cast<std::int64_t>(kKept) : 0);
    has_missed = number < 0 || number > newest;
    if (!has_missed) last = number;
  }
  ++of_client_[client];
  auto listener =
      std::make_shared<Listener>(*this, std::move(client), last, has_missed, std::move(hears));
  listeners_.insert(listener.get());
  return listener;
}

std::size_t EventHub::listeners() const {
  const std::scoped_lock lock(mutex_);
  return listeners_.size();
}

}  // namespace rankscope::service
