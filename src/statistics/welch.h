// Whether two means differ by more than their spread lets expect.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// The chance that a value of Student's t distribution lies at least as far from 0 as `t`, for
// `degrees` > 0 of freedom, which need not be whole.
double StudentTwoSided(double t, double degrees);

// The chance (two-sided p) to see means that differ as much if both samples are of one
// distribution: Welch's test, which lets the variances differ (Welch 1947). A sample of one value
// takes the variance of the other one. nullopt when neither has two values. 1 for equal means; 0
// for means that differ without any spread.
std::optional<double> WelchTest(std::span<const double> a, std::span<const double> b);

// Holm's correction (1979): the p values as they are when all of them are tested together, so that
// with a limit of 5 % any of them falls below it by chance in one family of twenty. nullopt stays
// and does not count.
std::vector<std::optional<double>> HolmAdjusted(std::span<const std::optional<double>> p);

}  // namespace rankscope
