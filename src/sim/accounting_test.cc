#include "sim/accounting.h"

#include <gtest/gtest.h>

namespace rankscope::sim {
namespace {

TEST(Accounting, DividesOneWindowByPrecedence) {
  // compute          ####  ##
  // communication      ######
  // copy          ##     ##  ####
  //               0 2 4 6 8 10  14   16
  Accounting accounting;
  accounting.OpenWindow(10, 0);
  accounting.Add(Stream::kCopy, Work::kCopy, 0, 2, 0);
  accounting.Add(Stream::kCompute, Work::kCompute, 2, 6, 0);
  accounting.Add(Stream::kCommunication, Work::kCommunication, 4, 10, 1);
  accounting.Add(Stream::kCopy, Work::kCopy, 7, 9, 1);
  accounting.Add(Stream::kCompute, Work::kCompute, 8, 10, 3);
  accounting.Add(Stream::kCopy, Work::kCopy, 10, 14, 5);
  accounting.Close(16);

  ASSERT_EQ(accounting.windows().size(), 1U);
  const WindowAccount& window = accounting.windows()[0];
  EXPECT_EQ(window.step, 10);
  EXPECT_EQ(window.end_ns, 16);
  EXPECT_EQ(window.busy_ns[0], 6);
  EXPECT_EQ(window.busy_ns[1], 6);
  EXPECT_EQ(window.busy_ns[2], 8);
  EXPECT_EQ(window.exposed_communication_ns, 2);  // 6..8
  EXPECT_EQ(window.exposed_copy_ns, 6);           // 0..2 and 10..14
  EXPECT_EQ(window.idle_ns, 2);                   // 14..16
}

TEST(Accounting, SplitsWorkAtAWindowsEnd) {
  Accounting accounting;
  accounting.OpenWindow(1, 100);
  accounting.Add(Stream::kCompute, Work::kCompute, 110, 230, 105);
  accounting.OpenWindow(2, 200);
  accounting.Add(Stream::kCompute, Work::kCompute, 250, 260, 240);
  accounting.Close(300);

  ASSERT_EQ(accounting.windows().size(), 2U);
  EXPECT_EQ(accounting.windows()[0].end_ns, 200);
  EXPECT_EQ(accounting.windows()[0].busy_ns[0], 90);
  EXPECT_EQ(accounting.windows()[0].idle_ns, 10);
  EXPECT_EQ(accounting.windows()[1].busy_ns[0], 40);
  EXPECT_EQ(accounting.windows()[1].idle_ns, 60);
}

TEST(Accounting, TimeBeforeTheFirstWindowIsInNone) {
  Accounting accounting;
  accounting.Add(Stream::kCompute, Work::kCompute, 0, 120, 0);
  accounting.OpenWindow(1, 100);
  accounting.Close(150);
  EXPECT_EQ(accounting.windows()[0].busy_ns[0], 20);
  EXPECT_EQ(accounting.windows()[0].idle_ns, 30);
}

}  // namespace
}  // namespace rankscope::sim
