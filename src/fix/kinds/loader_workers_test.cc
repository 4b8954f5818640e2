#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kLoaderWorkersAsked{.kind = "loader-workers", .finding = "data-starvation"};

std::string MadeLoaderWorkers(std::string_view program, const Asked& asked = kLoaderWorkersAsked) {
  return Changes(asked, program);
}

TEST(LoaderWorkers, OfADatasetOfTheProgram) {
  EXPECT_EQ(MadeLoaderWorkers(R"(import torch
from torch.utils.data import DataLoader, Dataset

class Images(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, i):
        return torch.zeros(3)

loader = DataLoader(Images(), batch_size=4)
for x in loader:
    model(x).sum().backward()
)"),
            R"(-loader = DataLoader(Images(), batch_size=4)
+loader = DataLoader(Images(), batch_size=4, num_workers=4, prefetch_factor=4, persistent_workers=True)
)");
}

TEST(LoaderWorkers, OfAModuleUnderAnotherName) {
  EXPECT_EQ(MadeLoaderWorkers(R"(import torch.utils.data as D

loader = D.DataLoader(
    data,
    shuffle=True,
    num_workers=0,
)
)"),
            R"(-    num_workers=0,
+    num_workers=4,
+    prefetch_factor=4, persistent_workers=True,
)");
}

TEST(LoaderWorkers, WithWorkersThatEndAfterEachEpoch) {
  EXPECT_EQ(
      MadeLoaderWorkers(R"(import torch

def loaders(data):
    sampler = torch.utils.data.RandomSampler(data)
    return torch.utils.data.DataLoader(data, sampler=sampler, num_workers=8, persistent_workers=False)
)"),
      R"(-    return torch.utils.data.DataLoader(data, sampler=sampler, num_workers=8, persistent_workers=False)
+    return torch.utils.data.DataLoader(data, sampler=sampler, num_workers=8, persistent_workers=True, prefetch_factor=4)
)");
}

constexpr std::string_view kTwo = R"(from torch.utils.data import DataLoader

train_loader = DataLoader(a, 32, shuffle=True)
test_loader = DataLoader(b, 32, shuffle=True)

def train(loader):
    for x in loader:
        model(x).backward()

def test():
    for x in test_loader:
        model(x)

train(train_loader)
)";

TEST(LoaderWorkers, OfTheLoopThatTrains) {
  EXPECT_EQ(MadeLoaderWorkers(kTwo), R"(-train_loader = DataLoader(a, 32, shuffle=True)
+train_loader = DataLoader(a, 32, shuffle=True, num_workers=4, prefetch_factor=4, persistent_workers=True)
)");
}

TEST(LoaderWorkers, OfTheLoopThatStacksShow) {
  EXPECT_EQ(MadeLoaderWorkers(
                kTwo, {.kind = "loader-workers", .finding = "data-starvation", .lines = {11}}),
            R"(-test_loader = DataLoader(b, 32, shuffle=True)
+test_loader = DataLoader(b, 32, shuffle=True, num_workers=4, prefetch_factor=4, persistent_workers=True)
)");
}

void ExpectLeftLoaderWorkers(std::string_view program, const char* why) {
  EXPECT_EQ(MadeLoaderWorkers(program), "");
  EXPECT_THAT(LeftFor(kLoaderWorkersAsked, program), ElementsAre(HasSubstr(why)));
}

TEST(LoaderWorkers, NotOfAStream) {
  ExpectLeftLoaderWorkers(R"(from torch.utils.data import DataLoader, IterableDataset
class Lines(IterableDataset):
    def __iter__(self):
        yield 1
lines = Lines()
loader = DataLoader(lines, batch_size=4)
)",
                          "6: workers are not added: its dataset is an IterableDataset");
}

TEST(LoaderWorkers, NotOfWhatMayBeAStream) {
  ExpectLeftLoaderWorkers(R"(from torch.utils.data import DataLoader
from somewhere import Things
loader = DataLoader(Things(), batch_size=4)
)",
                          "not certain that its dataset has items by index");
}

TEST(LoaderWorkers, NotOfItemsOnADevice) {
  ExpectLeftLoaderWorkers(R"(import torch
from torch.utils.data import DataLoader, TensorDataset
x = torch.randn(100, 3).cuda()
loader = DataLoader(TensorDataset(x), shuffle=True)
)",
                          "workers cannot use a device");
}

TEST(LoaderWorkers, NotWhereTheirNumberIsComputed) {
  ExpectLeftLoaderWorkers(R"(from torch.utils.data import DataLoader
loader = DataLoader(data, shuffle=True, num_workers=args.workers)
)",
                          "num_workers is computed");
}

TEST(LoaderWorkers, NotWhereArgumentsComeFromElsewhere) {
  ExpectLeftLoaderWorkers(R"(from torch.utils.data import DataLoader
loader = DataLoader(data, shuffle=True, **options)
)",
                          "come from elsewhere");
}

TEST(LoaderWorkers, NotOfAnotherDataLoader) {
  EXPECT_EQ(MadeLoaderWorkers(R"(from mine import DataLoader
loader = DataLoader(data, shuffle=True)
)"),
            "");
  EXPECT_EQ(MadeLoaderWorkers(R"(from torch.utils.data import DataLoader
def DataLoader(*args, **kwargs):
    return make(*args, **kwargs)
loader = DataLoader(data, shuffle=True)
)"),
            "");
}

TEST(LoaderWorkers, NotWithFunctionsOfItsOwn) {
  for (const char* keyword : {"collate_fn", "worker_init_fn", "multiprocessing_context"})
    ExpectLeftLoaderWorkers(
        "import torch\nloader = torch.utils.data.DataLoader(data, shuffle=True, " +
            std::string(keyword) + "=f)\n",
        "of its own");
}

TEST(LoaderWorkers, NotWhereTheProgramSetsProcessesOrDevices) {
  for (const char* line : {"torch.multiprocessing.set_start_method('spawn')",
                           "torch.set_default_device('cuda')", "x = next(iter(loader))"})
    ExpectLeftLoaderWorkers(
        "import torch\nloader = torch.utils.data.DataLoader(data, shuffle=True)\n" +
            std::string(line) + "\n",
        "the program");
}

std::string WithClass(std::string_view init, std::string_view item, std::string_view behind = {}) {
  return fmt::format(R"(import torch
from torch.utils.data import DataLoader, Dataset
def load(i):
    return torch.zeros(3).to(gpu)
class Images(Dataset):
    def __init__(self):
        {}
    def __getitem__(self, i):
        {}
        return i
images = Images()
loader = DataLoader(images, shuffle=True)
{}
)",
                     init, item, behind);
}

TEST(LoaderWorkers, NotOfADatasetThatCopiesChange) {
  EXPECT_NE(MadeLoaderWorkers(WithClass("self.seen = 0", "pass")), "");
  ExpectLeftLoaderWorkers(WithClass("self.seen = 0", "self.seen += 1"), "Images changes");
  ExpectLeftLoaderWorkers(WithClass("self.seen = []", "self.seen.append(i)"), "Images changes");
  ExpectLeftLoaderWorkers(WithClass("pass", "SEEN.append(i)"), "Images changes");
  ExpectLeftLoaderWorkers(WithClass("pass", "CACHE[i] = 3"), "Images changes");
  EXPECT_NE(MadeLoaderWorkers(WithClass("pass", "x = []; x.append(i)")), "");
  ExpectLeftLoaderWorkers("f = open('x')\n" + WithClass("pass", "f.seek(i)"),
                          "uses what is opened once");
  ExpectLeftLoaderWorkers(WithClass("self.file = h5py.File(path)", "pass"), "Images opens files");
  ExpectLeftLoaderWorkers(WithClass("self.db = sqlite3.connect(path)", "pass"),
                          "Images opens files");
  ExpectLeftLoaderWorkers(WithClass("pass", "i = load(i)"),
                          "Images seems to put items on a device");
  ExpectLeftLoaderWorkers(WithClass("pass", "pass", "images.set_epoch(1)"), "looks into images");
  ExpectLeftLoaderWorkers(WithClass("pass", "pass", "print(loader.dataset.seen)"),
                          "looks into loader.dataset");
}

TEST(LoaderWorkers, NotOfADatasetInAFileThatIsNotLookedAt) {
  const Patches patches = MakePatches(RequestOf(kLoaderWorkersAsked),
                                      {{"train.py", R"(from torch.utils.data import DataLoader
from data import Images
loader = DataLoader(Images(), shuffle=True)
)"},
                                       {"data.py", "class Images:\n    pass\n"}});
  EXPECT_TRUE(patches.files.empty());
}

TEST(LoaderWorkers, NotWhereSeveralMayBeMeant) {
  constexpr std::string_view kProgram = R"(from torch.utils.data import DataLoader
a = DataLoader(one, shuffle=True)
b = DataLoader(two, shuffle=True)
)";
  EXPECT_EQ(MadeLoaderWorkers(kProgram), "");
  EXPECT_THAT(LeftFor(kLoaderWorkersAsked, kProgram),
              ElementsAre(HasSubstr("2: one of 2 places"), HasSubstr("3: one of 2 places")));
}

}  // namespace
}  // namespace rankscope::fix
