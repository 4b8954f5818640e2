#include "formats/kineto/by_process/ascend_groups.h"

#include <gtest/gtest.h>

namespace rankscope::kineto {
namespace {

// Two communicators of one process, on threads 0 and 5: of 4 members, each with a plane, and of 2.
AscendGroups TwoGroups() {
  AscendGroups groups;
  groups.AddGroup(9, 0);
  groups.AddGroup(9, 5);
  for (int plane = 0; plane < 4; ++plane) groups.AddPart(9, 1 + plane, plane);
  for (int plane = 0; plane < 2; ++plane) groups.AddPart(9, 6 + plane, plane);
  groups.AddPart(9, 1, 4294967295);  // of none
  groups.AddPart(8, 1, 7);           // of another process
  return groups;
}

TEST(AscendGroups, PeersOfAMeshAreItsMembers) {
  const AscendGroups groups = TwoGroups();
  EXPECT_EQ(groups.SizeOf(9, 0, "MESH-RING"), 4);
  EXPECT_EQ(groups.SizeOf(9, 5, "MESH"), 2);
}

TEST(AscendGroups, WhatIsNoMeshStaysUnknown) {
  AscendGroups groups = TwoGroups();
  EXPECT_EQ(groups.SizeOf(9, 0, "RING-RING"), -1);
  EXPECT_EQ(groups.SizeOf(9, 1, "MESH"), -1) << "no thread of collectives";
  EXPECT_EQ(AscendGroups().SizeOf(9, 0, "MESH"), -1);
  groups.AddPart(9, 1, 4);  // a neighbour on another node shares a plane
  EXPECT_EQ(groups.SizeOf(9, 0, "MESH-RING"), -1);
}

}  // namespace
}  // namespace rankscope::kineto
