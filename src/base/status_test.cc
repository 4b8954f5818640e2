#include "base/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace rankscope {
namespace {

TEST(Status, OkIsOneWordWithoutMessage) {
  static_assert(sizeof(Status) == sizeof(void*));
  const Status status = OkStatus();
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kOk);
  EXPECT_EQ(status.message(), "");
}

TEST(Status, ErrorHasCodeAndSentence) {
  const Status status = Error(StatusCode::kIo, "cannot open {}: {}", "a.json", 13);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_EQ(status.message(), "cannot open a.json: 13");
}

TEST(Status, CopiesAndMoves) {
  Status error = Error(StatusCode::kBadData, "bad");
  Status copy = error;
  EXPECT_EQ(copy.message(), "bad");
  EXPECT_EQ(error.message(), "bad");
  Status& self = copy;
  copy = self;
  EXPECT_EQ(copy.message(), "bad");
  const Status moved = std::move(copy);
  EXPECT_EQ(moved.message(), "bad");
  error = OkStatus();
  EXPECT_TRUE(error.ok());
  error = moved;
  EXPECT_EQ(error.code(), StatusCode::kBadData);
}

Result<int> Half(int value) {
  if (value % 2 != 0) return Error(StatusCode::kInvalidArgument, "{} is odd", value);
  return value / 2;
}

Result<std::string> Quarter(int value) {
  RS_ASSIGN_OR_RETURN(const int half, Half(value));
  RS_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return fmt::format("{}", quarter);
}

Status Check(int value) {
  RS_RETURN_IF_ERROR(Half(value).status());
  return OkStatus();
}

TEST(Result, ValueOrStatus) {
  EXPECT_EQ(Half(8).value(), 4);
  EXPECT_TRUE(Half(8).status().ok());
  EXPECT_FALSE(Half(7).ok());
  EXPECT_EQ(Half(7).status().message(), "7 is odd");
}

TEST(Result, MacrosReturnTheFirstError) {
  EXPECT_EQ(*Quarter(12), "3");
  EXPECT_EQ(Quarter(12)->size(), 1U);
  EXPECT_EQ(Quarter(7).status().message(), "7 is odd");
  EXPECT_EQ(Quarter(6).status().message(), "3 is odd");
  EXPECT_TRUE(Check(2).ok());
  EXPECT_EQ(Check(1).code(), StatusCode::kInvalidArgument);
}

TEST(Result, HoldsWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> value = std::move(result).value();
  EXPECT_EQ(*value, 5);
}

using ResultDeathTest = testing::Test;

TEST(ResultDeathTest, AccessToAMissingValueEndsTheProgram) {
  EXPECT_DEATH(static_cast<void>(Half(7).value()), "internal error.*7 is odd");
  EXPECT_DEATH(static_cast<void>(Result<int>(OkStatus())), "a Result made from an OK status");
}

}  // namespace
}  // namespace rankscope
