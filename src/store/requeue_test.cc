#include "store/requeue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/store_for_test.h"

namespace rankscope::store {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(StoreTest, ARunThatFailedIsQueuedAgain) {
  const auto store = Open();
  const store::Run run = Add(*store, "r", "abc");
  const auto to = [&](RunState state) {
    const auto changed = store->catalogue().Change(run.id, [&](store::Run& one) {
      one.state = state;
      one.reason = "out of memory";
      one.set_aside = {{"f", "out of memory"}};
      return OkStatus();
    });
    EXPECT_TRUE(changed.ok());
  };
  for (const RunState state : {RunState::kFailed, RunState::kReady}) {
    to(state);
    const auto queued = Requeue(*store, run.id);
    ASSERT_TRUE(queued.ok()) << queued.status().message();
    EXPECT_EQ(queued->state, RunState::kQueued);
    EXPECT_EQ(queued->reason, "");
    EXPECT_THAT(queued->set_aside, IsEmpty());
    EXPECT_EQ(queued->files, run.files);
  }
  for (const RunState state : {RunState::kQueued, RunState::kAnalysing, RunState::kUploading}) {
    to(state);
    const Status refused = Requeue(*store, run.id).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(refused.message(), HasSubstr(std::string("is ") + std::string(ToString(state))));
  }
  const auto none = store->catalogue().Create({.name = "none", .state = RunState::kFailed});
  EXPECT_THAT(Requeue(*store, none->id).status().message(), HasSubstr("no files"));
  EXPECT_EQ(Requeue(*store, "0123456789abcdef").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace rankscope::store
