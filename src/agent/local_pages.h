// The agent's pages over HTTP: answers from memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "http/message.h"

namespace rankscope::agent {

http::Reply TextReply(int status, std::string_view type, std::string text);
http::Reply JsonReply(std::string json, int status = 200);
// {"error":{"code":"refused","message"}}.
http::Reply RefusedReply(int status, std::string_view sentence);

struct LocalPage {
  std::string_view path;
  std::function<http::Reply(const http::Fields& query)> answer;  // quick; on any thread
};

class LocalPages final : public http::Handler {
 public:
  explicit LocalPages(std::vector<LocalPage> pages) : pages_(std::move(pages)) {}

  std::variant<http::Reply, std::unique_ptr<http::Exchange>> Begin(const http::Head& head) override;
  http::Reply Refuse(int status, std::string_view sentence) override {
    return RefusedReply(status, sentence);
  }
  void OnServed(const http::Served&) override {}

 private:
  const std::vector<LocalPage> pages_;
};

}  // namespace rankscope::agent
