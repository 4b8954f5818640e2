#include "app/notebook_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::app {
namespace {

using ::testing::HasSubstr;

TEST(NotebookOf, OpensWhatWasChosen) {
  JobSpec spec;
  spec.paths = {"/dev/shm/run/../traces"};
  spec.ranks = {{0, 1, 2, 7}};
  spec.steps = {{12}};
  spec.captures = {CaptureChoice::Which::kGroup, 3};
  spec.cache.folder = "/cache";
  spec.cache.enabled = true;
  const auto notebook = NotebookOf(spec, Report());
  ASSERT_TRUE(notebook.ok()) << notebook.status().message();
  EXPECT_THAT(*notebook, HasSubstr(R"([\"/dev/shm/traces\"],)"));
  EXPECT_THAT(*notebook, HasSubstr(R"(ranks=\"0-2,7\",\n    steps=\"12\",\n    capture=3,)"));
  EXPECT_THAT(*notebook, HasSubstr(R"(cache_dir=\"/cache\",)"));
}

TEST(NotebookOf, StandardInputCannotBeOpenedAgain) {
  for (const char* path : {"/proc/self/fd/3", "/dev/stdin", "/dev/fd/0"}) {
    JobSpec spec;
    spec.paths = {path};
    EXPECT_THAT(NotebookOf(spec, Report()).status().message(), HasSubstr("not standard input"));
  }
}

}  // namespace
}  // namespace rankscope::app
