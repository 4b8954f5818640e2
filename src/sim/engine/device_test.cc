#include "sim/engine/device.h"

#include <gtest/gtest.h>

namespace rankscope::sim {
namespace {

constexpr Stream kComm = Stream::kCommunication;

// Two ranks that meet on channel 0.
Layout Pair() {
  Layout layout(2);
  layout.AddCollectiveGroup("default_pg", {0, 1});
  return layout;
}

TEST(Device, WorkBeginsAfterItsLaunchItsStreamAndItsEvents) {
  AloneRendezvous alone;
  Device device(&alone, 1);
  const Span first = device.Run(Stream::kCompute, 100, 5, 50);
  EXPECT_EQ(first.begin_ns, 100);  // the stream was free
  EXPECT_EQ(first.end_ns, 150);
  const Span second = device.Run(Stream::kCompute, 110, 5, 20);
  EXPECT_EQ(second.begin_ns, 155);  // behind the first and a gap
  device.Record(Stream::kCompute, 0);
  device.Wait(Stream::kCopy, 0);
  const Span copy = device.Run(Stream::kCopy, 0, 5, 10);
  EXPECT_EQ(copy.begin_ns, 175);  // with the event
  EXPECT_EQ(device.Run(Stream::kCopy, 0, 5, 10).begin_ns, 190);
  EXPECT_EQ(device.DoneNs(Stream::kCompute), 175);
  EXPECT_EQ(device.DoneNs(), 200);
}

TEST(Device, AnEventBehindAWaitCompletesWithIt) {
  AloneRendezvous alone;
  Device device(&alone, 2);
  device.Run(Stream::kCompute, 0, 0, 100);
  device.Record(Stream::kCompute, 0);
  device.Wait(Stream::kCopy, 0);
  device.Record(Stream::kCopy, 1);
  device.Wait(kComm, 1);
  EXPECT_EQ(device.DoneNs(kComm), 100);
}

TEST(Device, WhatIsBehindAMeetingIsPendingUntilTheOthersCome) {
  const Layout layout = Pair();
  JobRendezvous meetings(layout);
  Device device(&meetings, 2);
  Meeting meeting;
  // The meeting would begin at 1000 behind its stream's start, and wait for the other rank.
  const Span comm = device.Meet(kComm, 2000, 0, 0, 300, &meeting);
  EXPECT_EQ(comm.end_ns, kUnknown);
  device.Record(kComm, 0);
  device.Wait(Stream::kCompute, 0);
  EXPECT_EQ(device.Run(Stream::kCompute, 100, 5, 50).begin_ns, kUnknown);
  device.Record(Stream::kCompute, 1);
  device.Wait(Stream::kCopy, 1);
  EXPECT_FALSE(device.Settled(Stream::kCompute));
  EXPECT_FALSE(device.Settled(Stream::kCopy));
  device.Advance();
  EXPECT_FALSE(device.Settled());

  // The other rank begins at 2500, with a longer transfer.
  EXPECT_EQ(meetings.Arrive(0, 0, 2500, 400).end_ns, 2900);
  EXPECT_EQ(meetings.TakeCompleted(), std::vector<int>{0});
  device.Advance();
  EXPECT_TRUE(device.Settled());
  EXPECT_EQ(device.DoneNs(kComm), 2900);
  EXPECT_EQ(device.DoneNs(Stream::kCompute), 2950);
  EXPECT_EQ(device.DoneNs(Stream::kCopy), 2950);
}

TEST(Device, AnEventRecordedAgainKeepsItsFirstTimeForThoseWhoWaitedBefore) {
  const Layout layout = Pair();
  JobRendezvous meetings(layout);
  Device device(&meetings, 1);
  Meeting meeting;
  device.Meet(kComm, 2000, 0, 0, 300, &meeting);
  device.Record(kComm, 0);
  device.Wait(Stream::kCompute, 0);
  device.Run(Stream::kCopy, 9000, 0, 1);
  device.Record(Stream::kCopy, 0);  // the same slot, at 9001
  meetings.Arrive(0, 0, 2000, 300);
  device.Advance();
  EXPECT_EQ(device.DoneNs(Stream::kCompute), 2300);
  device.Wait(Stream::kCompute, 0);
  EXPECT_EQ(device.DoneNs(Stream::kCompute), 9001);
}

TEST(Device, MeetingsOfAStreamComeOneAfterTheOther) {
  const Layout layout = Pair();
  JobRendezvous meetings(layout);
  Device device(&meetings, 0);
  Meeting meeting;
  device.Meet(kComm, 2000, 0, 0, 300, &meeting);
  device.Meet(kComm, 2100, 0, 1, 300, &meeting);
  meetings.Arrive(0, 0, 2000, 300);
  device.Advance();  // has now begun the second one, at 2300 + the gap between meetings
  EXPECT_EQ(meetings.Arrive(0, 1, 0, 0).last_begin_ns, 3300);
  device.Advance();
  EXPECT_EQ(device.DoneNs(kComm), 3600);
}

TEST(Device, TheLaunchQueueHolds1024) {
  AloneRendezvous alone;
  Device device(&alone, 0);
  for (int i = 0; i < 1024; ++i) {
    EXPECT_EQ(device.QueueRoomNs(), 0);
    device.Run(Stream::kCompute, 0, 0, 10);
  }
  EXPECT_EQ(device.QueueRoomNs(), 10);  // the first must end before the 1025th is taken
  device.Run(Stream::kCopy, 0, 0, 10);  // another stream has a queue of its own
  EXPECT_EQ(device.QueueRoomNs(), 10);
}

TEST(Device, TheQueueHasNoKnownRoomWhileItsOldestIsPending) {
  const Layout layout = Pair();
  JobRendezvous meetings(layout);
  Device device(&meetings, 1);
  Meeting meeting;
  device.Meet(kComm, 2000, 0, 0, 300, &meeting);
  device.Record(kComm, 0);
  device.Wait(Stream::kCompute, 0);
  for (int i = 0; i < 1024; ++i) device.Run(Stream::kCompute, 0, 0, 10);
  EXPECT_EQ(device.QueueRoomNs(), kUnknown);
  meetings.Arrive(0, 0, 0, 0);
  device.Advance();
  EXPECT_EQ(device.QueueRoomNs(), 2310);
}

TEST(Device, ANodeOfAGraphTakesNoPlaceInTheLaunchQueueButTheLast) {
  AloneRendezvous alone;
  Device device(&alone, 0);
  for (std::size_t node = 1; node < 2 * Device::kLaunchQueue; ++node) {
    device.Run(Stream::kCompute, 10, 0, 100, Device::Place::kOfALaterNode);
  }
  EXPECT_EQ(device.QueueRoomNs(), 0);
  const Span last = device.Run(Stream::kCompute, 10, 0, 100);
  EXPECT_EQ(last.end_ns, 10 + 100 * 2 * static_cast<std::int64_t>(Device::kLaunchQueue));
  for (std::size_t launch = 1; launch < Device::kLaunchQueue; ++launch) {
    EXPECT_EQ(device.QueueRoomNs(), 0);
    device.Run(Stream::kCompute, 10, 0, 100);
  }
  EXPECT_EQ(device.QueueRoomNs(), last.end_ns);
}

}  // namespace
}  // namespace rankscope::sim
