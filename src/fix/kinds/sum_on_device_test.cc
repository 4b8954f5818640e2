#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kSumOnDeviceAsked{.kind = "sum-on-device", .finding = "host-sync"};

TEST(SumOnDevice, OfALoss) {
  EXPECT_EQ(Changes(kSumOnDeviceAsked, R"(import torch
total = 0.0
for x in loader:
    loss = model(x)
    loss.backward()
    total += loss.item()
print(f"mean {total / len(loader):.4f}")
)"),
            R"(-    total += loss.item()
+    total += loss.detach().double()
+total = total.item() if torch.is_tensor(total) else total
)");
}

TEST(SumOnDevice, OfACountAndAWeightedLoss) {
  EXPECT_EQ(Changes(kSumOnDeviceAsked, R"(import torch

def epoch(model, loader):
    running, right = 0.0, 0
    for x, y in loader:
        out = model(x)
        loss = F.cross_entropy(out, y)
        loss.backward()
        running += loss.item() * x.size(0)
        right += (out.argmax(1) == y).sum().item()
    return running, right
)"),
            R"(-        running += loss.item() * x.size(0)
-        right += (out.argmax(1) == y).sum().item()
+        running += loss.detach().double() * x.size(0)
+        right += (out.argmax(1) == y).sum().detach()
+    running = running.item() if torch.is_tensor(running) else running
+    right = right.item() if torch.is_tensor(right) else right
)");
}

TEST(SumOnDevice, AtTheLineThatStacksShow) {
  EXPECT_EQ(
      Changes({.kind = "sum-on-device", .finding = "host-sync", .lines = {13}}, R"(import torch
def a():
    s = 0.0
    for x in one:
        x.backward()
        s += x.item()
    return s
def b():
    s = 0.0
    while go():
        x = f()
        x.backward()
        s += x.item()
    return s
)"),
      R"(-        s += x.item()
+        s += x.detach().double()
+    s = s.item() if torch.is_tensor(s) else s
)");
}

constexpr std::string_view kBegin =
    "import torch\ntotal = 0.0\nfor x in loader:\n    x.backward()\n";
std::string WithBodySumOnDevice(std::string_view body) {
  return std::string(kBegin) + std::string(body);
}

TEST(SumOnDevice, NotWhereTheSumIsReadInTheLoop) {
  EXPECT_THAT(
      LeftFor(kSumOnDeviceAsked,
              WithBodySumOnDevice("    total += x.item()\n    bar.set_postfix(loss=total)\n")),
      ElementsAre(
          HasSubstr("5: add up on the device, and read the sum behind the loop: total is read")));
}

TEST(SumOnDevice, NotWhereItMayBeSomethingElse) {
  EXPECT_THAT(
      LeftFor(
          kSumOnDeviceAsked,
          "import torch\ntotal = Meter()\nfor x in d:\n    x.backward()\n    total += x.item()\n"),
      ElementsAre(HasSubstr("what total holds before is not certain")));
}

void ExpectLeftSumOnDevice(std::string_view program, const char* why) {
  EXPECT_EQ(Changes(kSumOnDeviceAsked, program), "");
  EXPECT_THAT(LeftFor(kSumOnDeviceAsked, program), ElementsAre(HasSubstr(why)));
}

TEST(SumOnDevice, NotWhereItMayBeNoTensor) {
  ExpectLeftSumOnDevice(WithBodySumOnDevice("    m = f(x)\n    total += m.item()\n"),
                        "not certain that m is a tensor");
  ExpectLeftSumOnDevice(WithBodySumOnDevice("    x = numpy(x)\n    total += x.item()\n"),
                        "x is a tensor");
  ExpectLeftSumOnDevice(WithBodySumOnDevice("    total += (np.abs(x) == b).sum().item()\n"),
                        "is a tensor");
  ExpectLeftSumOnDevice(WithBodySumOnDevice("    total += (a == b).sum().item()\n"), "is a tensor");
}

TEST(SumOnDevice, NotOfALossInAnInteger) {
  ExpectLeftSumOnDevice("import torch\nn = 0\nfor x in d:\n    x.backward()\n    n += x.item()\n",
                        "begins as an integer");
}

TEST(SumOnDevice, NotWhereAnErrorLeavesIt) {
  ExpectLeftSumOnDevice(R"(import torch
total = 0.0
try:
    for x in d:
        x.backward()
        total += x.item()
except KeyboardInterrupt:
    pass
)",
                        "an error that is caught");
}

TEST(SumOnDevice, NotWhereAFunctionSeesIt) {
  ExpectLeftSumOnDevice(R"(import torch
total = 0.0
def show():
    print(total)
for x in d:
    x.backward()
    total += x.item()
)",
                        "a function mentions total");
}

TEST(SumOnDevice, SaysWhichOtherReadsAreInTheLoop) {
  constexpr std::string_view kReads = R"(import torch
for i, x in enumerate(d):
    loss = model(x)
    loss.backward()
    losses.append(loss.item())
    print(loss.item())
    meter.update(
        out.detach().cpu().numpy())
    if i % 10 == 0:
        log(loss.item())
)";
  EXPECT_EQ(Changes(kSumOnDeviceAsked, kReads), "");
  EXPECT_THAT(LeftFor(kSumOnDeviceAsked, kReads),
              ElementsAre(HasSubstr("5: loss.item() waits for the device in every step"),
                          HasSubstr("8: out.detach().cpu() waits"),
                          HasSubstr("8: out.detach().cpu().numpy() waits")));
}

// Conditions are looked at in every step; what lies behind them is not.
TEST(SumOnDevice, SaysWhichConditionsAndNumbersReadTheDevice) {
  constexpr std::string_view kReads = R"(import torch
for i, x in enumerate(d):
    loss = model(x)
    if loss.item() > 10:
        print("large", loss.item())
    if not torch.isfinite(loss).all():
        break
    assert not torch.isnan(loss)
    loss.backward()
    best = min(best, float(loss))
    if i % 10 == 0 and float(loss) < 1:
        save()
    n = int(i)
    if i % 10 == 0:
        log(float(loss))
)";
  EXPECT_EQ(Changes(kSumOnDeviceAsked, kReads), "");
  EXPECT_THAT(LeftFor(kSumOnDeviceAsked, kReads),
              ElementsAre(HasSubstr("4: loss.item() waits for the device in every step"),
                          HasSubstr("10: float(loss) waits"),
                          HasSubstr("6: not torch.isfinite(loss).all() waits"),
                          HasSubstr("8: not torch.isnan(loss) waits")));
}

TEST(SumOnDevice, SaysNothingOfWhatIsNoTensorOrNotReadInEveryStep) {
  constexpr std::string_view kReads = R"(import torch
for i, (x, y) in enumerate(d):
    out = model(x)
    loss = crit(out, y)
    n = y.size(0)
    rows = out.shape[0]
    names = [str(k) for k in out]
    seen = float(n) + float(rows) + int(names)
    mean = float(loss) if i % 100 == 0 else 0
    if loss is None:
        raise ValueError
    loss.backward()
    lossv = 0
    if i % 100:
        continue
    log(float(loss), loss.item())
)";
  EXPECT_THAT(LeftFor(kSumOnDeviceAsked, kReads), ElementsAre());
}

TEST(SumOnDevice, SaysWhichConditionsCompareTensors) {
  constexpr std::string_view kReads = R"(import torch
for i, x in enumerate(d):
    loss = model(x)
    if torch.isnan(loss) or torch.isinf(loss):
        break
    if loss > 100:
        break
    loss.backward()
)";
  EXPECT_THAT(
      LeftFor(kSumOnDeviceAsked, kReads),
      ElementsAre(HasSubstr("4: torch.isnan(loss) or torch.isinf(loss) waits for the device"),
                  HasSubstr("6: loss > 100 waits for the device")));
}

TEST(SumOnDevice, NotOutsideOfATrainingLoop) {
  EXPECT_EQ(Changes(kSumOnDeviceAsked,
                    "import torch\ntotal = 0\nfor x in d:\n    total += model(x).item()\n"),
            "");
}

TEST(SumOnDevice, NotOfOtherSums) {
  EXPECT_EQ(
      Changes(kSumOnDeviceAsked,
              WithBodySumOnDevice(
                  "    total -= x.item()\n    total += x.item() + y.item()\n    seen += len(x)\n")),
      "");
}

TEST(SumOnDevice, NotWhereStacksShowAnotherLine) {
  EXPECT_EQ(Changes({.kind = "sum-on-device", .finding = "host-sync", .lines = {6}},
                    WithBodySumOnDevice("    total += x.item()\n    other(x)\n")),
            "");
}

}  // namespace
}  // namespace rankscope::fix
