#include "base/caught.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace rankscope {
namespace {

TEST(Caught, GivesWhatTheWorkSays) {
  bool is_done = false;
  EXPECT_TRUE(Caught([&] { is_done = true; }).ok());
  EXPECT_TRUE(is_done);
  const Status status = Caught([] { return Error(StatusCode::kIo, "a disk"); });
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_EQ(status.message(), "a disk");
}

TEST(Caught, MakesAnErrorOfWhatIsThrown) {
  const Status memory = Caught([] { throw std::bad_alloc(); });
  EXPECT_EQ(memory.code(), StatusCode::kResource);
  EXPECT_EQ(memory.message(), "out of memory");
  const Status other = Caught([]() -> Status { throw std::runtime_error("no thread"); });
  EXPECT_EQ(other.code(), StatusCode::kInternal);
  EXPECT_EQ(other.message(), "no thread");
  EXPECT_EQ(Caught([] { throw 7; }).code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace rankscope
