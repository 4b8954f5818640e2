// Who reaches what by requests, and what is said to whom does not.
#include "agent/rpc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/reader.h"

namespace rankscope::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uid_t kAda = 1000;
constexpr uid_t kBob = 1001;

class RpcTest : public ::testing::Test {
 protected:
  RpcTest() {
    Poll(1, kAda);
    Poll(2, kBob);
  }
  void Poll(pid_t pid, uid_t uid) {
    captures_.OnPoll({.address = "a", .pid = pid, .uid = uid}, {.type = 2, .pids = {pid}}, now_);
  }
  std::string Ask(std::string_view request, RpcCaller caller, const std::string& token = "") {
    const Rpc rpc({captures_, decisions_, values_, {}, {}},
                  {"1", "host", token, [&](std::string_view text) { said_ += text; }},
                  [this] { return now_; });
    return rpc.Answer(request, caller);
  }
  static RpcCaller User(uid_t uid) {
    return {.uid = uid, .name = "user " + std::to_string(uid), .problem = ""};
  }
  std::string OnDemand(const RpcCaller& caller) {
    return Ask(R"({"fn":"setKinetOnDemandRequest","config":"ACTIVITIES_LOG_FILE=/tmp/a.json"})",
               caller);
  }

  Now now_{.steady_ms = 1, .unix_us = 1'700'000'000'000'000};
  Captures captures_{"/nowhere", {}};
  const Decisions decisions_;
  JobValues values_{[this] { return now_; }};
  std::string said_;
};

TEST_F(RpcTest, AUserReachesHisOwnAndRootAll) {
  EXPECT_THAT(OnDemand(User(kAda)), HasSubstr("\"processesMatched\":[1]"));
  EXPECT_THAT(OnDemand(User(0)), HasSubstr("\"processesMatched\":[1,2]"));
  EXPECT_THAT(OnDemand(User(4)), HasSubstr("\"processesMatched\":[]"));
  EXPECT_THAT(Ask(R"({"fn":"listProcesses"})", User(kBob)), Not(HasSubstr("\"pid\":1,")));
  EXPECT_THAT(Ask(R"({"fn":"tellMetrics","pid":1,"values":{"step_time_s":1}})", User(kBob)),
              HasSubstr("no process 1"));
}

TEST_F(RpcTest, WhoAskedForWhatIsSaid) {
  OnDemand(User(kAda));
  EXPECT_THAT(said_, HasSubstr("rpc: user 1000 asks for setKinetOnDemandRequest: capture"));
  EXPECT_THAT(said_, HasSubstr("of pids 1"));
}

TEST_F(RpcTest, CapturesOfOthersAreNotThere) {
  const std::string made = OnDemand(User(kAda));
  const Result<json::Reader> answer = json::Reader::Parse(made);
  const std::string id = answer->root()["id"].TextOr("");
  ASSERT_FALSE(id.empty());
  const std::string get = fmt::format(R"({{"fn":"getCapture","id":"{}"}})", id);
  const std::string cancel = fmt::format(R"({{"fn":"cancelCapture","id":"{}"}})", id);
  EXPECT_THAT(Ask(get, User(kBob)), HasSubstr("there is no capture"));
  EXPECT_THAT(Ask(cancel, User(kBob)), HasSubstr("there is no capture"));
  EXPECT_THAT(Ask(R"({"fn":"listCaptures"})", User(kBob)), Not(HasSubstr(id)));
  EXPECT_THAT(Ask(get, User(kAda)), HasSubstr(id));
  EXPECT_THAT(Ask(cancel, User(kAda)), HasSubstr("\"cancelled\":true"));
}

// What servers of before send, and one field that a later one may add.
TEST_F(RpcTest, ACaptureIsAskedForByItsFields) {
  const std::string answer =
      Ask(R"({"fn":"startCapture","id":"c:1","source":"capture","log_file":"/tmp/a.json",)"
          R"("iterations":3,"iteration_roundup":10,"shapes":true,"stacks":false,"memory":false,)"
          R"("cpu":false,"process_limit":7,"job":"4711","pids":[1],"later":{"x":1}})",
          User(0));
  EXPECT_THAT(answer, HasSubstr(R"("processesMatched":[],"id":"","warnings":[])"));
  const std::string get = R"({"fn":"getCapture","id":"c:2"})";
  EXPECT_EQ(Ask(R"({"fn":"startCapture","id":"c:2","log_file":"/tmp/a.json","pids":[1]})", User(0)),
            R"({"activityProfilersBusy":0,"activityProfilersTriggered":[1],)"
            R"("eventProfilersBusy":0,"eventProfilersTriggered":[],"processesMatched":[1],)"
            R"("id":"c:2","warnings":[]})");
  EXPECT_THAT(Ask(get, User(0)),
              HasSubstr(R"("over":false,"config":"ACTIVITIES_LOG_FILE=/tmp/a.json\nPROFILE_)"));
  EXPECT_THAT(Ask(get, User(0)),
              HasSubstr(R"("warnings":[],"members":[{"pid":1,"inside":1,"state":"waiting",)"
                        R"("bytes":0,"rank":null,"world_size":null,)"));
  for (const std::string_view wrong :
       {R"("shapes":"yes")", R"("duration_ms":"5")", R"("process_limit":-1)", R"("pids":5)"}) {
    EXPECT_THAT(
        Ask(fmt::format(R"({{"fn":"startCapture","log_file":"/tmp/a.json",{}}})", wrong), User(0)),
        HasSubstr("needed\"}"))
        << wrong;
  }
}

TEST_F(RpcTest, ARunOfTheServerIsNamedByWhoIsTrusted) {
  const std::string_view start =
      R"({"fn":"startCapture","log_file":"/tmp/a.json","id":"0123456789abcdef:1"})";
  EXPECT_THAT(Ask(start, User(kAda)), HasSubstr("takes the agent's token"));
  EXPECT_THAT(Ask(start, {.is_trusted = true, .uid = {}, .name = "", .problem = ""}),
              HasSubstr("0123456789abcdef:1"));
  EXPECT_EQ(captures_.All().back().terms.run, "0123456789abcdef");
  // As a configuration has it, it is a name like any other.
  captures_.Cancel("0123456789abcdef:1");
  Ask(R"({"fn":"setKinetOnDemandRequest","config":"ACTIVITIES_LOG_FILE=/a.json\nREQUEST_TRACE_ID=0123456789abcde0:1"})",
      User(kAda));
  EXPECT_EQ(captures_.All().back().terms.run, "");
  EXPECT_TRUE(captures_.All().back().terms.keeps_files) << "somebody named the file";
}

TEST_F(RpcTest, NobodyIsRefusedWithTheFieldsOfDynolog) {
  const RpcCaller nobody{.problem = "the kernel does not tell"};
  const std::string answer = OnDemand(nobody);
  const Result<json::Reader> read = json::Reader::Parse(answer);
  for (const std::string_view key :
       {"activityProfilersTriggered", "eventProfilersTriggered", "processesMatched"})
    EXPECT_TRUE(read->root()[key].IsArray()) << key;
  for (const std::string_view key : {"activityProfilersBusy", "eventProfilersBusy"})
    EXPECT_EQ(read->root()[key].IntegerOr(-1), 0) << key;
  EXPECT_THAT(answer, HasSubstr("trust_loopback"));
  EXPECT_EQ(captures_.All().size(), 0U);
  EXPECT_THAT(Ask(R"({"fn":"dcgmProfPause"})", nobody), HasSubstr("\"status\":false"));
  EXPECT_THAT(Ask(R"({"fn":"getStatus"})", User(kAda), "secret"), HasSubstr("\"status\":0"));
  EXPECT_THAT(Ask(R"({"fn":"setKinetOnDemandRequest","config":"A=B=C"})", User(kAda)),
              HasSubstr("\"processesMatched\":[],\"error\":"));
}

TEST_F(RpcTest, TheTokenReachesAll) {
  EXPECT_THAT(Ask(R"({"fn":"listProcesses","token":"secret"})", User(kAda), "secret"),
              HasSubstr("\"pid\":2,"));
}

TEST_F(RpcTest, ThereIsNothingToPauseWithoutADriver) {
  EXPECT_EQ(Ask(R"({"fn":"dcgmProfPause"})", User(kAda)), R"({"status":false})");
}

}  // namespace
}  // namespace rankscope::agent
