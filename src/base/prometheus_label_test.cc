#include "base/prometheus_label.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(EscapedLabel, WhatWouldEndOrBreakIt) {
  EXPECT_EQ(EscapedLabel("ads"), "ads");
  EXPECT_EQ(EscapedLabel("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
}

}  // namespace
}  // namespace rankscope
