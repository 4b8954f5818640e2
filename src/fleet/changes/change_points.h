// Change points of a series: where its level changes, by the energy distance of what lies on both
// sides and Student's t-test (Matteson and James 2014; Hunter, arXiv:2301.03034; Apache Otava).
//
// The split of a stretch is where the energy distance between its left and right part, weighted by
// n m / (n + m), is largest; both parts have two values or more. It stands when Student's t-test of
// the parts up to the neighbouring change points says so. Windows that overlap by half are searched
// at ten times the p value, then the weakest points are dropped, their neighbours judged anew,
// until every one is significant and large enough. Standard deviations are those of samples (n -
// 1): with those of populations p comes out too small on short sides.
//
// Deterministic. A window of w values takes O(w^2), a series of n values O(n w).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rankscope::fleet {

struct ChangeOptions {
  std::size_t window = 50;  // values that are looked at together, 4 or more
  double most_p = 0.001;    // a point with a larger p is none
  double least_change = 0;  // |mean after - mean before| must be more, in the series' unit
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

// By index. Values are finite. Fewer than four values have no change points.
std::vector<ChangePoint> FindChangePoints(std::span<const double> series,
                                          const ChangeOptions& options = {});

// Two-sided p of Student's t-test with equal variances, by the deviations of samples (n - 1). 1
// when neither side has two values or the means are equal, 0 when means differ without any spread.
double StudentTest(std::span<const double> a, std::span<const double> b);

}  // namespace rankscope::fleet
