// Change points of a series: where its level changes, found by the energy distance between both
// sides and Student's t-test (Matteson and James 2014; Hunter, arXiv:2301.03034; Apache Otava).
//
// A stretch is split where the energy distance between its left and right part, weighted by n m /
// (n + m), is largest; both parts have at least two values. The split is kept if Student's t-test
// of the parts up to the neighbouring change points is significant. Windows that overlap by half
// are searched at ten times the p value. Then the weakest points are dropped, and their neighbours
// tested again, until every point is significant and large enough. Standard deviations are those of
// samples (n - 1); those of populations would give too small p values on short sides.
//
// Deterministic. A window of w values takes O(w^2), a series of n values O(n w).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rankscope::fleet {

struct ChangeOptions {
  std::size_t window = 50;  // values that are searched together, at least 4
  double most_p = 0.001;    // points with a larger p are dropped
  double least_change = 0;  // minimum of |mean after - mean before|, exclusive, in the series' unit
};

struct ChangePoint {
  std::size_t index = 0;  // the first value of the new regime
  double p = 1;           // of Student's t-test, two-sided, of both regimes
  double before = 0;      // mean of the regime before
  double after = 0;       // mean of the regime that begins here
  // The regimes are [begin, index) and [index, end).
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Sorted by index. Values must be finite. Fewer than four values have no change points.
std::vector<ChangePoint> FindChangePoints(std::span<const double> series,
                                          const ChangeOptions& options = {});

// Two-sided p of Student's t-test with equal variances and sample deviations (n - 1). 1 if neither
// side has two values or the means are equal; 0 if the means differ but there is no spread.
double StudentTest(std::span<const double> a, std::span<const double> b);

}  // namespace rankscope::fleet
