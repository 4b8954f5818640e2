#include "sim/engine/accounting.h"

#include <gtest/gtest.h>

namespace rankscope::sim {
namespace {

TEST(Accounting, DividesAStepByPrecedence) {
  // compute          ####  ##
  // communication      ######  ####
  // copy          ##     ##  ##
  //               0 2 4 6 8 10 12 16
  Accounting accounting;
  accounting.BeginStep(10, 0);
  accounting.Add(Stream::kCopy, Work::kCopy, 0, 2, 0);
  accounting.Add(Stream::kCompute, Work::kCompute, 2, 6, 0);
  accounting.Add(Stream::kCommunication, Work::kCommunication, 4, 10, 1);
  accounting.Add(Stream::kCopy, Work::kCopy, 7, 9, 1);
  accounting.Add(Stream::kCompute, Work::kCompute, 8, 10, 3);
  accounting.Add(Stream::kCopy, Work::kCopy, 10, 12, 5);
  accounting.Add(Stream::kCommunication, Work::kCommunication, 13, 16, 5);
  accounting.Close();

  ASSERT_EQ(accounting.windows().size(), 1U);
  const WindowAccount& window = accounting.windows()[0];
  EXPECT_EQ(window.step, 10);
  EXPECT_EQ(window.begin_ns, 0);
  EXPECT_EQ(window.end_ns, 16);
  EXPECT_EQ(window.busy_ns[0], 6);
  EXPECT_EQ(window.busy_ns[1], 9);
  EXPECT_EQ(window.busy_ns[2], 6);
  EXPECT_EQ(window.exposed_communication_ns, 5);  // 6..8 and 13..16
  EXPECT_EQ(window.exposed_copy_ns, 4);           // 0..2 and 10..12
  EXPECT_EQ(window.idle_ns, 1);                   // 12..13
}

TEST(Accounting, CutsWhereTheDeviceIsThroughWithWhatAStepLaunched) {
  // host           |- 1 -|-- 2 --|
  // compute          #########       ####
  // communication                ##
  // copy                    (1)####     ######(2)
  //                0 4   10     20 24 28    40
  Accounting accounting;
  accounting.BeginStep(1, 0);
  accounting.Add(Stream::kCompute, Work::kCompute, 4, 20, 2);
  accounting.Add(Stream::kCopy, Work::kCopy, 18, 23, 3);
  accounting.BeginStep(2, 10);
  accounting.Add(Stream::kCommunication, Work::kCommunication, 22, 26, 12);
  accounting.Add(Stream::kCompute, Work::kCompute, 28, 36, 14);
  accounting.Add(Stream::kCopy, Work::kCopy, 34, 40, 30);
  accounting.Close();

  ASSERT_EQ(accounting.windows().size(), 2U);
  const WindowAccount& first = accounting.windows()[0];
  EXPECT_EQ(first.begin_ns, 0);
  EXPECT_EQ(first.end_ns, 20);  // copies do not decide
  EXPECT_EQ(first.busy_ns[0], 16);
  EXPECT_EQ(first.busy_ns[2], 2);
  EXPECT_EQ(first.exposed_copy_ns, 0);
  EXPECT_EQ(first.idle_ns, 4);
  const WindowAccount& second = accounting.windows()[1];
  EXPECT_EQ(second.begin_ns, 20);
  EXPECT_EQ(second.end_ns, 36);
  EXPECT_EQ(second.busy_ns[0], 8);
  EXPECT_EQ(second.busy_ns[1], 4);
  EXPECT_EQ(second.busy_ns[2], 5);  // 20..23 and 34..36; 36..40 is in no step
  EXPECT_EQ(second.exposed_communication_ns, 4);
  EXPECT_EQ(second.exposed_copy_ns, 2);  // 20..22
  EXPECT_EQ(second.idle_ns, 2);          // 26..28
}

TEST(Accounting, AHostThatIsLateLeavesItsDeviceIdleInTheNextStep) {
  Accounting accounting;
  accounting.BeginStep(1, 100);
  accounting.Add(Stream::kCompute, Work::kCompute, 110, 130, 105);
  accounting.BeginStep(2, 200);
  accounting.Add(Stream::kCompute, Work::kCompute, 250, 260, 240);
  accounting.Close();

  ASSERT_EQ(accounting.windows().size(), 2U);
  EXPECT_EQ(accounting.windows()[0].end_ns, 130);
  EXPECT_EQ(accounting.windows()[0].idle_ns, 10);
  EXPECT_EQ(accounting.windows()[1].begin_ns, 130);
  EXPECT_EQ(accounting.windows()[1].end_ns, 260);
  EXPECT_EQ(accounting.windows()[1].idle_ns, 120);
}

TEST(Accounting, EarlierWorkIsInNoStep) {
  Accounting accounting;
  accounting.Add(Stream::kCompute, Work::kCompute, 0, 120, 0);
  accounting.BeginStep(1, 100);
  accounting.Add(Stream::kCompute, Work::kCompute, 130, 150, 125);
  accounting.Close();
  EXPECT_EQ(accounting.windows()[0].begin_ns, 120);
  EXPECT_EQ(accounting.windows()[0].busy_ns[0], 20);
  EXPECT_EQ(accounting.windows()[0].idle_ns, 10);
}

TEST(Accounting, AStepWithoutKernelsIsEmpty) {
  Accounting accounting;
  accounting.BeginStep(1, 0);
  accounting.Add(Stream::kCompute, Work::kCompute, 1, 10, 0);
  accounting.BeginStep(2, 5);
  accounting.Add(Stream::kCopy, Work::kCopy, 12, 15, 6);
  accounting.BeginStep(3, 20);
  accounting.Add(Stream::kCompute, Work::kCompute, 22, 30, 21);
  accounting.Close();
  EXPECT_EQ(accounting.windows()[1].begin_ns, 10);
  EXPECT_EQ(accounting.windows()[1].end_ns, 10);
  EXPECT_EQ(accounting.windows()[1].busy_ns[2], 0);
  EXPECT_EQ(accounting.windows()[2].begin_ns, 10);
  EXPECT_EQ(accounting.windows()[2].busy_ns[2], 3);
  EXPECT_EQ(accounting.windows()[2].idle_ns, 9);  // 10..12 and 15..22
}

}  // namespace
}  // namespace rankscope::sim
