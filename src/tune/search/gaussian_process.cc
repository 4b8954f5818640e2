#include "tune/search/gaussian_process.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::tune {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Priors of logarithms: median and sigma.
constexpr double kLengthMedian = 0.3;
constexpr double kLengthSpread = 0.8;
constexpr double kSignalSpread = 1;
// The search.
constexpr int kRounds = 50;
constexpr double kFirstStep = 0.2;
constexpr double kMostStep = 1;
constexpr double kLeastStep = 1e-4;
constexpr double kMostLog = 12;
// What is added to the diagonal so that equal points have an inverse.
constexpr double kJitter = 1e-8;

double Matern(double r) { return (1 + r + r * r / 3) * std::exp(-r); }

// Behind the logarithms of the lengths: those of the variances of signal, noise and groups.
constexpr Index kVariances = 3;

// For values of mean 0 and variance 1.
struct Problem {
  const MatrixXd& points;  // a row each
  const VectorXd& values;
  const MatrixXd& same_group;  // 1 where two measurements are of one group
  VectorXd medians, spreads;   // priors

  Index coordinates() const { return points.cols(); }
};

MatrixXd Distances(const Problem& problem, const VectorXd& parameters) {
  const Index n = problem.points.rows();
  MatrixXd scaled = problem.points;
  for (Index i = 0; i < problem.coordinates(); ++i) scaled.col(i) /= std::exp(parameters[i]);
  MatrixXd r(n, n);
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b <= a; ++b)
      r(a, b) = r(b, a) = std::sqrt(5.0) * (scaled.row(a) - scaled.row(b)).norm();
  return r;
}

// The logarithm of the posterior of the parameters but for a constant, and its gradient. -infinity
// where the matrix has no root.
double Evaluate(const Problem& problem, const VectorXd& parameters, VectorXd& gradient) {
  const Index n = problem.points.rows(), d = problem.coordinates();
  const double signal = std::exp(parameters[d]), noise = std::exp(parameters[d + 1]);
  const MatrixXd r = Distances(problem, parameters);
  const MatrixXd kernel = signal * r.unaryExpr(&Matern);
  MatrixXd covariance = kernel;
  covariance += std::exp(parameters[d + 2]) * problem.same_group;
  covariance.diagonal().array() += noise + kJitter;
  const Eigen::LLT<MatrixXd> root(covariance);
  if (root.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
  const VectorXd alpha = root.solve(problem.values);
  const MatrixXd inverse = root.solve(MatrixXd::Identity(n, n));
  const MatrixXd outer = alpha * alpha.transpose() - inverse;
  const double log_root = root.matrixLLT().diagonal().array().log().sum();
  double result = -0.5 * problem.values.dot(alpha) - log_root;
  // d k / d log l_i = s2 * (1 + r) * exp(-r) / 3 * 5 * ((a_i - b_i) / l_i)^2
  const MatrixXd common =
      (signal * 5 / 3) * r.unaryExpr([](double x) { return (1 + x) * std::exp(-x); });
  for (Index i = 0; i < d; ++i) {
    const VectorXd along = problem.points.col(i) / std::exp(parameters[i]);
    double sum = 0;
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b < n; ++b) {
        const double apart = along[a] - along[b];
        sum += outer(a, b) * common(a, b) * apart * apart;
      }
    gradient[i] = 0.5 * sum;
  }
  gradient[d] = 0.5 * outer.cwiseProduct(kernel).sum();
  gradient[d + 1] = 0.5 * noise * outer.trace();
  gradient[d + 2] =
      0.5 * std::exp(parameters[d + 2]) * outer.cwiseProduct(problem.same_group).sum();
  const VectorXd off = (parameters - problem.medians).cwiseQuotient(problem.spreads);
  gradient -= off.cwiseQuotient(problem.spreads);
  return result - 0.5 * off.squaredNorm();
}

// Rprop: every coordinate has a step of its own, which grows while its slope keeps its sign and
// halves when that changes (Riedmiller and Braun 1993).
VectorXd Climb(const Problem& problem, VectorXd at, double& best) {
  VectorXd slope = VectorXd::Zero(at.size()), before = slope;
  VectorXd step = VectorXd::Constant(at.size(), kFirstStep);
  VectorXd best_at = at;
  best = -std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    const double value = Evaluate(problem, at, slope);
    if (!(value > -std::numeric_limits<double>::infinity())) break;
    if (value > best) {
      best = value;
      best_at = at;
    }
    for (Index i = 0; i < at.size(); ++i) {
      const double turn = slope[i] * before[i];
      if (turn > 0) step[i] = std::min(step[i] * 1.3, kMostStep);
      if (turn < 0) step[i] = std::max(step[i] * 0.5, kLeastStep);
      at[i] = std::clamp(at[i] + (slope[i] > 0 ? step[i] : -step[i]), -kMostLog, kMostLog);
    }
    before = slope;
    if (step.maxCoeff() <= kLeastStep) break;
  }
  return best_at;
}

}  // namespace

struct GaussianProcess::State {
  MatrixXd points;
  double mean = 0, scale = 1;  // of the values
  VectorXd parameters;
  VectorXd alpha;
  Eigen::LLT<MatrixXd> root;
};

GaussianProcess::GaussianProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
GaussianProcess::GaussianProcess(GaussianProcess&&) noexcept = default;
GaussianProcess& GaussianProcess::operator=(GaussianProcess&&) noexcept = default;
GaussianProcess::~GaussianProcess() = default;

GaussianProcess GaussianProcess::Fit(const std::vector<std::vector<double>>& points,
                                     const std::vector<double>& values,
                                     const std::vector<std::uint64_t>& groups,
                                     const GaussianProcessOptions& options) {
  const auto n = static_cast<Index>(points.size()), d = static_cast<Index>(points[0].size());
  auto state = std::make_unique<State>();
  state->points.resize(n, d);
  for (Index a = 0; a < n; ++a)
    for (Index i = 0; i < d; ++i)
      state->points(a, i) = points[static_cast<std::size_t>(a)][static_cast<std::size_t>(i)];
  VectorXd targets = Eigen::Map<const VectorXd>(values.data(), n);
  state->mean = targets.mean();
  targets.array() -= state->mean;
  // Of values that hardly differ the noise is all that there is.
  state->scale = std::max(std::sqrt(targets.squaredNorm() / static_cast<double>(n)),
                          std::max(options.expected_noise, 1e-9));
  targets /= state->scale;

  MatrixXd same_group(n, n);
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b < n; ++b)
      same_group(a, b) =
          groups[static_cast<std::size_t>(a)] == groups[static_cast<std::size_t>(b)] ? 1 : 0;

  Problem problem{.points = state->points, .values = targets, .same_group = same_group};
  const double noise = 2 * std::log(std::max(options.expected_noise, 1e-9) / state->scale);
  problem.medians = VectorXd::Constant(d + kVariances, std::log(kLengthMedian));
  problem.medians[d] = 0;
  problem.medians.tail(2).setConstant(std::max(noise, -kMostLog));
  problem.spreads = VectorXd::Constant(d + kVariances, kLengthSpread);
  problem.spreads[d] = kSignalSpread;
  problem.spreads.tail(2).setConstant(options.noise_spread);

  double best = 0, other = 0;
  VectorXd start = problem.medians;
  state->parameters = Climb(problem, start, best);
  start.head(d).array() = std::log(kLengthMedian / 3);
  VectorXd second = Climb(problem, start, other);
  if (other > best) state->parameters = second;

  const MatrixXd r = Distances(problem, state->parameters);
  MatrixXd covariance = std::exp(state->parameters[d]) * r.unaryExpr(&Matern);
  covariance += std::exp(state->parameters[d + 2]) * same_group;
  covariance.diagonal().array() += std::exp(state->parameters[d + 1]) + kJitter;
  state->root.compute(covariance);
  state->alpha = state->root.solve(targets);
  return GaussianProcess(std::move(state));
}

Prediction GaussianProcess::Predict(const std::vector<double>& point) const {
  const Index n = state_->points.rows(), d = state_->points.cols();
  const double signal = std::exp(state_->parameters[d]);
  VectorXd kernel(n);
  for (Index a = 0; a < n; ++a) {
    double squares = 0;
    for (Index i = 0; i < d; ++i) {
      const double apart = (state_->points(a, i) - point[static_cast<std::size_t>(i)]) /
                           std::exp(state_->parameters[i]);
      squares += apart * apart;
    }
    kernel[a] = signal * Matern(std::sqrt(5 * squares));
  }
  const double explained = kernel.dot(state_->root.solve(kernel));
  return {.mean = state_->mean + state_->scale * kernel.dot(state_->alpha),
          .deviation = state_->scale * std::sqrt(std::max(signal - explained, 0.0))};
}

double GaussianProcess::noise() const {
  return state_->scale * std::exp(state_->parameters[state_->points.cols() + 1] / 2);
}

std::vector<double> GaussianProcess::lengths() const {
  std::vector<double> lengths;
  for (Index i = 0; i < state_->points.cols(); ++i)
    lengths.push_back(std::exp(state_->parameters[i]));
  return lengths;
}

}  // namespace rankscope::tune
