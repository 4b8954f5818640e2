#include "insight/gate.h"

#include <gmock/gmock.h>

#include "schemas/findings.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;

Table SomeFindings() {
  const auto& columns = SchemaOf<Findings>();
  auto table = columns.NewTable("findings");
  table.Add({columns.id = "host-sync", columns.severity = "medium", columns.title = "It waits."});
  table.Add({columns.id = "pageable-copy", columns.severity = "low", columns.title = "It copies."});
  return table;
}

Table SomeMissing() {
  const auto& columns = SchemaOf<NotEvaluated>();
  auto table = columns.NewTable("not_evaluated");
  table.Add({columns.id = "power-throttle", columns.reason = "needs telemetry"});
  return table;
}

TEST(Gate, TakesSeveritiesAndIds) {
  for (const std::string_view gate : {"high", "medium", "low", "slow-gpu", "power-throttle"})
    EXPECT_TRUE(CheckGate(gate).ok()) << gate;
  const Status status = CheckGate("host-sink");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("did you mean host-sync?"));
  EXPECT_THAT(CheckGate("meduim").message(), HasSubstr("did you mean medium?"));
  EXPECT_THAT(CheckGate("").message(), HasSubstr("not ''; rankscope explain"));
}

TEST(Gate, IsHitByThatSeverityAndWorse) {
  const Table findings = SomeFindings();
  EXPECT_EQ(GateHit("high", findings, nullptr).value(), std::nullopt);
  EXPECT_EQ(GateHit("medium", findings, nullptr).value(),
            "--fail-on medium: host-sync (medium): It waits.");
  EXPECT_EQ(GateHit("low", findings, nullptr).value(),
            "--fail-on low: host-sync (medium): It waits.");
}

TEST(Gate, IsHitByAFindingOfTheId) {
  const Table findings = SomeFindings();
  const Table missing = SomeMissing();
  EXPECT_EQ(GateHit("pageable-copy", findings, &missing).value(),
            "--fail-on pageable-copy: pageable-copy (low): It copies.");
  EXPECT_EQ(GateHit("slow-gpu", findings, &missing).value(), std::nullopt);
}

TEST(Gate, WhatWasNotEvaluatedCannotPass) {
  const Table findings = SomeFindings();
  const Table missing = SomeMissing();
  const auto hit = GateHit("power-throttle", findings, &missing);
  EXPECT_EQ(hit.status().code(), StatusCode::kNotFound);
  EXPECT_EQ(hit.status().message(), "--fail-on power-throttle cannot be decided: needs telemetry");
  // Severities are decided by what was.
  EXPECT_EQ(GateHit("high", findings, &missing).value(), std::nullopt);
}

}  // namespace
}  // namespace rankscope
