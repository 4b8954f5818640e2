#include "trace/row_names.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(RowNames, WhatCountsItsRoundsIsOneThing) {
  EXPECT_EQ(NameWithoutNumbers("iteration 12"), "iteration #");
  EXPECT_EQ(NameWithoutNumbers("train.py(12): step"), "train.py(12): step");
}

TEST(RowNames, WhereAnObjectLiesIsLeftOut) {
  EXPECT_EQ(WithoutAddresses("<built-in method keys of dict object at 0x7f19513c4440>"),
            "<built-in method keys of dict object>");
  EXPECT_EQ(WithoutAddresses("a at 0xAB and b at 0x1: f"), "a and b: f");
  EXPECT_EQ(WithoutAddresses("looks at 0"), "looks at 0");
  EXPECT_EQ(WithoutAddresses(" at 0x12"), "");
  EXPECT_EQ(WithoutAddresses("ends at 0x"), "ends");
}

TEST(RowNames, TheHolderOfBoundFunctionsHasItsLibrarysName) {
  EXPECT_EQ(
      WithoutAddresses("<built-in method _broadcast_coalesced of "
                       "pybind11_builtins.pybind11_detail_function_record_v1_system_libstdcpp_"
                       "gxx_abi_1xxx_use_cxx11_abi_1 object at 0x7f033b5b3870>"),
      "<built-in method _broadcast_coalesced of pybind11>");
  EXPECT_EQ(WithoutAddresses("pybind11_builtins.pybind11_detail_function_record_v1"),
            "pybind11_builtins.pybind11_detail_function_record_v1");
}

}  // namespace
}  // namespace rankscope
