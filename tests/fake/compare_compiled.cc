// Compares generated C++ with the interpreter: argument 1 is the file of all specifications. Both
// see the same random samples, with values at the ends of their types and absent ones; metrics and
// counts of faults are to be equal.
#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "base/file.h"
#include "probe/run/interpreter.h"
#include "programs.h"

using namespace rankscope;
using namespace rankscope::probe;

namespace {

std::mt19937_64 generator(1);

std::uint64_t Draw(std::uint64_t below) { return generator() % below; }

template <typename T>
T Ends() {
  const T ends[] = {0,
                    1,
                    2,
                    3,
                    5,
                    10,
                    1000,
                    UINT32_MAX,
                    std::numeric_limits<T>::max(),
                    std::numeric_limits<T>::min(),
                    static_cast<T>(-1),
                    static_cast<T>(generator()),
                    static_cast<T>(Draw(100)),
                    static_cast<T>(Draw(100))};
  return ends[Draw(std::size(ends))];
}

double RealEnds() {
  const double ends[] = {0,     -0.0,   1,      0.5,    -1.5,
                         1e308, -1e308, 1e-308, 9.3e18, static_cast<double>(Draw(1000)) / 8};
  return ends[Draw(std::size(ends))];
}

Value DrawOf(const DeviceSpec& device, const Layout& layout) {
  if (Draw(8) == 0) return {};
  std::vector<Value> parts;
  if (layout.struct_of >= 0) {
    for (const auto& field : device.structs[static_cast<std::size_t>(layout.struct_of)].fields)
      parts.push_back(DrawOf(device, field.layout));
    return {parts};
  }
  if (layout.is_array) {
    Layout item = layout;
    item.is_array = false;
    for (int i = 0; i < layout.count; ++i) parts.push_back(DrawOf(device, item));
    return {parts};
  }
  switch (TypeOf(layout).kind) {
    case TypeKind::kI64:
      return {Ends<std::int64_t>()};
    case TypeKind::kEnum:
      return {static_cast<std::int64_t>(Draw(3))};
    case TypeKind::kF64:
      return {RealEnds()};
    case TypeKind::kStr:
      return {std::string(Draw(2) == 0 ? "ok" : "no")};
    default:
      return {Ends<std::uint64_t>()};
  }
}

bool AreSame(const Value& a, const Value& b) {
  const double* const first = a.If<double>();
  const double* const second = b.If<double>();
  if (first == nullptr || second == nullptr) return a == b;
  return std::bit_cast<std::uint64_t>(*first) == std::bit_cast<std::uint64_t>(*second);
}

}  // namespace

int main(int, char** arguments) {
  const Spec spec = *ReadSpec(arguments[1]);
  int rounds = 0, known = 0, wrong = 0;
  for (std::size_t i = 0; i < spec.devices.size(); ++i) {
    const DeviceSpec& device = spec.devices[i];
    const Interpreter interpreter(device);
    const auto program = MakeProgram(device.name);
    const auto first = interpreter.NewMemory(), second = program->NewMemory();
    Samples samples;
    samples.now.resize(device.sources.size());
    samples.before.resize(device.sources.size());
    FaultCounts interpreted, compiled;
    for (int round = 0; round < 40; ++round, ++rounds) {
      std::vector<char> is_read(device.sources.size());
      for (std::size_t source = 0; source < is_read.size(); ++source) {
        is_read[source] = round == 0 || Draw(4) != 0;
        if (is_read[source] == 0) continue;
        samples.before[source] = samples.now[source];
        samples.now[source].time_ns += static_cast<std::int64_t>(Draw(2'000'000'000));
        samples.now[source].value = DrawOf(device, device.sources[source].layout);
      }
      const Program::Input input{samples, 3, interpreted}, same{samples, 3, compiled};
      wrong += !AreSame(interpreter.Where(input), program->Where(same));
      for (std::size_t source = 0; source < device.sources.size(); ++source)
        for (std::size_t argument = 0; argument < device.sources[source].arguments.size();
             ++argument) {
          if (device.sources[source].arguments[argument].node < 0) continue;
          const int at[] = {static_cast<int>(source), static_cast<int>(argument)};
          wrong += !AreSame(interpreter.Argument(at[0], at[1], input),
                            program->Argument(at[0], at[1], same));
        }
      std::vector<Value> one(device.exports.size()), other(device.exports.size());
      interpreter.Evaluate(input, is_read, *first, one);
      program->Evaluate(same, is_read, *second, other);
      for (std::size_t metric = 0; metric < one.size(); ++metric) {
        known += !one[metric].is_absent();
        if (AreSame(one[metric], other[metric])) continue;
        ++wrong;
        fmt::print("{} {}: {} interpreted, {} compiled\n", device.name, device.exports[metric].name,
                   ValueText(one[metric]), ValueText(other[metric]));
      }
    }
    for (std::size_t fault = 0; fault < kFaultKinds; ++fault) {
      const auto kind = static_cast<Fault>(fault);
      if (interpreted.Of(kind) == compiled.Of(kind)) continue;
      ++wrong;
      fmt::print("{}: {} times {} interpreted, {} compiled\n", device.name, interpreted.Of(kind),
                 kFaultNames[fault], compiled.Of(kind));
    }
  }
  fmt::print("{} classes, {} rounds, {} values, {} wrong\n", spec.devices.size(), rounds, known,
             wrong);
  return wrong == 0 ? 0 : 1;
}
