// What requests become in the audit log.
#include "service/requests/audit_trail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KeptLog final : public audit::Log {
 public:
  Status Add(const api::AuditEntry& entry, Care care) override {
    if (is_full) return Error(StatusCode::kIo, "no room");
    entries.push_back(entry);
    waits.push_back(care == Care::kOnDisk);
    return OkStatus();
  }
  Status Trim() override { return OkStatus(); }
  Status FromNewest(const Visit&) override { return OkStatus(); }
  Status FromOldest(const Visit&) override { return OkStatus(); }
  Result<audit::Head> Noted() override { return audit::Head{}; }

  std::vector<api::AuditEntry> entries;
  std::vector<bool> waits;
  bool is_full = false;
};

class AuditTrailTest : public ::testing::Test {
 protected:
  AuditTrailTest() {
    auto log = std::make_unique<KeptLog>();
    log_ = log.get();
    trail_ = std::make_unique<AuditTrail>(
        std::move(log), [this](std::string_view text) { problems_.emplace_back(text); },
        [this] { return now_s_; });
  }
  static http::Head Request(http::Fields fields = {}) {
    return {.method = "DELETE",
            .path = "/api/v1/runs/1",
            .query = {{"secret", "x"}},
            .fields = std::move(fields),
            .peer = "10.0.0.1"};
  }

  std::int64_t now_s_ = 0;
  KeptLog* log_ = nullptr;
  std::vector<std::string> problems_;
  std::unique_ptr<AuditTrail> trail_;
};

TEST_F(AuditTrailTest, AnActHasItsOutcome) {
  const Principal ann{.name = "ann", .role = Role::kUpload, .team = "blue"};
  for (const int status : {204, 403, 404, 500})
    trail_->Acted(Request(), ann, "run.remove", {.run = "1"}, status);
  std::vector<std::string> outcomes;
  for (const api::AuditEntry& entry : log_->entries) outcomes.push_back(entry.outcome);
  EXPECT_THAT(outcomes, ElementsAre("ok", "refused", "failed", "failed"));
  EXPECT_THAT(log_->waits, ElementsAre(true, false, true, true));
  const api::AuditEntry& first = log_->entries.front();
  EXPECT_EQ(first.time, "1970-01-01T00:00:00Z");
  EXPECT_EQ(first.who + first.role + first.team + first.from + first.act + first.run,
            "annuploadblue10.0.0.1run.remove1");
}

TEST_F(AuditTrailTest, RefusalsAreBoundedAndCounted) {
  const int many = AuditTrail::kMostRefused + 40;
  for (int i = 0; i < many; ++i) trail_->Refused(Request(), {}, 401);
  EXPECT_EQ(log_->entries.size(), AuditTrail::kMostRefused);
  EXPECT_EQ(log_->entries.back().target, "DELETE /api/v1/runs/1");
  // Those who say who they are have their own, and what was not told is told with the next.
  trail_->Refused(Request({{"authorization", "Bearer x"}}), {}, 401);
  ASSERT_EQ(log_->entries.size(), AuditTrail::kMostRefused + 2u);
  EXPECT_EQ(log_->entries.back().who, "(unknown)");
  EXPECT_THAT(log_->entries[AuditTrail::kMostRefused].detail, HasSubstr("40 more"));
  now_s_ = 60;
  trail_->Refused(Request(), {}, 401);
  EXPECT_EQ(log_->entries.size(), AuditTrail::kMostRefused + 3u);
}

TEST_F(AuditTrailTest, ALogThatTakesNothingIsTold) {
  log_->is_full = true;
  trail_->Note("server.start", "");
  EXPECT_THAT(problems_, ElementsAre("no room"));
}

}  // namespace
}  // namespace rankscope::service
