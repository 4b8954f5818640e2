// Tests whether two means differ by more than their spread explains.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// The probability that a value of Student's t distribution is at least as far from 0 as `t`, for
// `degrees` > 0 degrees of freedom, which need not be an integer.
double StudentTwoSided(double t, double degrees);

// The probability (two-sided p) that means differ at least this much if both samples have the same
// distribution: Welch's test, which allows different variances (Welch 1947). A sample of one value
// uses the variance of the other sample. nullopt if neither sample has two values. 1 for equal
// means; 0 for different means without any spread.
std::optional<double> WelchTest(std::span<const double> a, std::span<const double> b);

// Holm's correction (1979): p values adjusted for testing all of them together. With a limit of 5
// %, any of them falls below it by chance in only one family of twenty. nullopt stays nullopt and
// does not count.
std::vector<std::optional<double>> HolmAdjusted(std::span<const std::optional<double>> p);

}  // namespace rankscope
