#include "service/processes/last_sentence.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace rankscope::service {
namespace {

std::string Said(const std::string& errors) {
  const std::string path = ::testing::TempDir() + "/last_sentence_" + std::to_string(getpid());
  std::ofstream(path) << errors;
  std::string sentence = LastSentence(path);
  std::filesystem::remove(path);
  return sentence;
}

TEST(LastSentence, OfTheProgramAlone) {
  EXPECT_EQ(Said("reading\nrankscope: one\nrankscope: two\nterminated\n"), "two");
  EXPECT_EQ(Said("Segmentation fault\n"), "");
  EXPECT_EQ(LastSentence("/no/such/file"), "");
}

// The link by which a run's files are read is nothing that its user named.
TEST(LastSentence, NamesFilesAsTheirUserDid) {
  EXPECT_EQ(Said("rankscope: TRACES/a/rank0.json: not a trace\n"), "a/rank0.json: not a trace");
  EXPECT_EQ(Said("rankscope: TRACES: no .json file below this folder; a memory snapshot is there: "
                 "rankscope memory TRACES/step 3.pickle\n"),
            "the run's files: no .json file below this folder; a memory snapshot is there: "
            "rankscope memory step 3.pickle");
}

}  // namespace
}  // namespace rankscope::service
