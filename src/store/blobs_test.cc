// What every implementation of Blobs promises, and what that in S3 does besides.
#include "store/blobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "base/durable.h"
#include "base/file.h"
#include "base/until.h"
#include "s3/digest.h"
#include "s3/fake_bucket_for_test.h"
#include "store/s3_blobs.h"
#include "store/sha256.h"
#include "store/verified_contents.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kBlobsAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";  // FIPS 180-4's example

// A bucket that outlives the blobs in it: each opening has a transport of its own.
class ToBucket final : public s3::Transport {
 public:
  explicit ToBucket(s3::FakeBucket& bucket) : bucket_(bucket) {}
  s3::Outcome Send(const s3::HttpRequest& request) override { return bucket_.Send(request); }

 private:
  s3::FakeBucket& bucket_;
};

class BlobsFixture : public testing::Test {
 protected:
  BlobsFixture() {
    std::string name = (fs::temp_directory_path() / "rankscope_blobs_XXXXXX").string();
    root_ = mkdtemp(name.data());
    bucket_.now_s = std::time(nullptr);
  }
  ~BlobsFixture() override { fs::remove_all(root_); }

  Result<std::unique_ptr<Blobs>> TryS3(BlobCacheOptions cache = {}, bool creates = true,
                                       s3::ClientSettings settings = {},
                                       std::string store_id = "") {
    auto transport = std::make_unique<ToBucket>(bucket_);
    s3::Surroundings surroundings{.now_s = [] { return std::int64_t{std::time(nullptr)}; },
                                  .sleep = [](auto) {},
                                  .random = [] { return 0.0; }};
    auto client = std::make_unique<s3::Client>(s3::kTestPlace, s3::kTestKeys, *transport,
                                               std::move(surroundings), settings);
    return MakeS3Blobs(std::move(transport), std::move(client),
                       {.cache_folder = (root_ / "cache").string(),
                        .cache = std::move(cache),
                        .store_id = std::move(store_id),
                        .creates = creates});
  }
  std::unique_ptr<Blobs> OpenS3(BlobCacheOptions cache = {}, s3::ClientSettings settings = {}) {
    auto blobs = TryS3(std::move(cache), true, settings);
    EXPECT_TRUE(blobs.ok()) << blobs.status().message();
    return blobs.ok() ? std::move(*blobs) : nullptr;
  }
  std::unique_ptr<Blobs> OpenFolder() const {
    for (const char* part : {"blobs", "temporary"}) fs::create_directories(root_ / part);
    return MakeFolderBlobs((root_ / "blobs").string(), (root_ / "temporary").string());
  }
  static std::map<std::string, std::uint64_t> AllOf(const Blobs& blobs) {
    std::map<std::string, std::uint64_t> all;
    EXPECT_TRUE(blobs
                    .ForEach([&](const BlobInfo& blob, std::int64_t) {
                      all.emplace(blob.sha256, blob.bytes);
                    })
                    .ok());
    return all;
  }
  static std::string KeyOf(std::string_view sha256) {
    return "p/blobs/" + std::string(sha256.substr(0, 2)) + "/" + std::string(sha256);
  }
  std::string CachedPath(std::string_view sha256) const {
    return (root_ / "cache" / sha256.substr(0, 2) / sha256).string();
  }
  std::size_t Temporaries() const {
    std::size_t count = 0;
    for (const char* folder : {"temporary", "cache/temporary"}) {
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(root_ / folder, error))
        count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }

  fs::path root_;
  s3::FakeBucket bucket_;
};

enum class BlobsKind : std::uint8_t { kFolder, kS3 };

class EveryBlobs : public BlobsFixture, public testing::WithParamInterface<BlobsKind> {
 protected:
  std::unique_ptr<Blobs> Open() { return GetParam() == BlobsKind::kS3 ? OpenS3() : OpenFolder(); }
  // Behind the store's back.
  void Damage(std::string_view sha256) {
    if (GetParam() == BlobsKind::kS3) {
      bucket_.objects[KeyOf(sha256)].bytes = "abd";
      fs::remove(CachedPath(sha256));
    } else {
      std::ofstream(root_ / "blobs" / sha256.substr(0, 2) / sha256) << "abd";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryBlobs, testing::Values(BlobsKind::kFolder, BlobsKind::kS3),
                         [](const auto& kind) {
                           return std::string(kind.param == BlobsKind::kS3 ? "S3" : "Folder");
                         });

TEST_P(EveryBlobs, ContentsAreThereOnceAndOnlyAfterCommit) {
  const auto blobs = Open();
  {
    const auto writer = blobs->Create();
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Write("ab").ok());
    EXPECT_THAT(AllOf(*blobs), IsEmpty());
  }
  EXPECT_EQ(blobs->PathOf(kBlobsAbc).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(blobs->Look(kBlobsAbc).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(blobs->Verify(kBlobsAbc).code(), StatusCode::kNotFound);
  for (int i = 0; i < 2; ++i) {
    const auto blob = StoreText(*blobs, "abc");
    ASSERT_TRUE(blob.ok()) << blob.status().message();
    EXPECT_EQ(blob->sha256, kBlobsAbc);
    EXPECT_EQ(blob->bytes, 3U);
  }
  const auto path = blobs->PathOf(kBlobsAbc);
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(*ReadFile(*path), "abc");
  EXPECT_EQ(blobs->Look(kBlobsAbc)->bytes, 3U);
  EXPECT_TRUE(blobs->Verify(kBlobsAbc).ok());
  EXPECT_TRUE(blobs->VerifiedPathOf(kBlobsAbc).ok());
  EXPECT_THAT(AllOf(*blobs), ElementsAre(testing::Pair(kBlobsAbc, 3)));
  EXPECT_EQ(Temporaries(), 0U);
  for (const char* key : {"../../x", "", "ab/../ab"}) {
    EXPECT_EQ(blobs->PathOf(key).status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(blobs->Remove(key).code(), StatusCode::kInvalidArgument);
  }
}

TEST_P(EveryBlobs, ManyAreCommittedInOrder) {
  const auto blobs = Open();
  std::vector<std::unique_ptr<BlobWriter>> writers;
  for (int i = 0; i < 20; ++i) {
    auto writer = blobs->Create();
    ASSERT_TRUE(writer.ok());
    writers.push_back(std::move(*writer));
    ASSERT_TRUE(writers.back()->Write(std::to_string(i % 15)).ok());
  }
  const auto infos = blobs->CommitAll(writers);
  ASSERT_TRUE(infos.ok()) << infos.status().message();
  ASSERT_EQ(infos->size(), 20U);
  for (int i = 0; i < 20; ++i) EXPECT_EQ((*infos)[i].sha256, Sha256Of(std::to_string(i % 15)));
  EXPECT_EQ(AllOf(*blobs).size(), 15U);
}

TEST_P(EveryBlobs, AreThereForTheNextProcess) {
  ASSERT_TRUE(StoreText(*Open(), "abc").ok());
  ASSERT_TRUE(StoreText(*Open(), "").ok());
  fs::remove_all(root_ / "cache");
  const auto blobs = Open();
  EXPECT_EQ(*ReadFile(*blobs->PathOf(kBlobsAbc)), "abc");
  EXPECT_EQ(*ReadFile(*blobs->PathOf(Sha256Of(""))), "");
}

TEST_P(EveryBlobs, DamageIsNeverTakenForWhatWasStored) {
  const auto blobs = Open();
  ASSERT_TRUE(StoreText(*blobs, "abc").ok());
  Damage(kBlobsAbc);
  const Status verified = blobs->VerifiedPathOf(kBlobsAbc).status();
  EXPECT_EQ(verified.code(), StatusCode::kInternal);
  EXPECT_THAT(verified.message(), HasSubstr("damaged"));
  EXPECT_FALSE(IsAway(verified));
  EXPECT_EQ(blobs->Verify(kBlobsAbc).code(), StatusCode::kInternal);
  VerifiedContents known;
  EXPECT_FALSE(known.PathOf(*blobs, kBlobsAbc).ok());
  // Removing it and storing it again mends it.
  ASSERT_TRUE(blobs->Remove(kBlobsAbc).ok());
  EXPECT_EQ(blobs->PathOf(kBlobsAbc).status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(StoreText(*blobs, "abc").ok());
  EXPECT_TRUE(blobs->VerifiedPathOf(kBlobsAbc).ok());
}

TEST_P(EveryBlobs, WhatWasStoredAnewIsNotStale) {
  const auto blobs = Open();
  ASSERT_TRUE(StoreText(*blobs, "abc").ok());
  const std::int64_t now_s = std::time(nullptr);
  const auto fresh = blobs->RemoveUnused(kBlobsAbc, now_s - 60);
  ASSERT_TRUE(fresh.ok());
  EXPECT_FALSE(*fresh);
  EXPECT_TRUE(blobs->Look(kBlobsAbc).ok());
  const auto stale = blobs->RemoveUnused(kBlobsAbc, now_s + 60);
  ASSERT_TRUE(stale.ok());
  EXPECT_TRUE(*stale);
  const auto gone = blobs->RemoveUnused(kBlobsAbc, now_s + 60);
  ASSERT_TRUE(gone.ok());
  EXPECT_FALSE(*gone);
  EXPECT_FALSE(blobs->Look(kBlobsAbc).ok());
  EXPECT_TRUE(blobs->RemoveUnfinished(now_s).ok());
}

TEST_P(EveryBlobs, ManyThreadsMayStoreAndRead) {
  const auto blobs = Open();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        const std::string text = std::to_string((i + t) % 12);
        const auto blob = StoreText(*blobs, text);
        const auto path = blob.ok() ? blobs->PathOf(blob->sha256) : blob.status();
        if (!path.ok() || *ReadFile(*path) != text) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(AllOf(*blobs).size(), 12U);
}

using S3BlobsTest = BlobsFixture;

TEST_F(S3BlobsTest, WhatIsThereIsNotSentAgain) {
  const auto blobs = OpenS3();
  ASSERT_TRUE(StoreText(*blobs, "abc").ok());
  const std::size_t puts = bucket_.Count("PUT");
  ASSERT_TRUE(StoreText(*blobs, "abc").ok());
  EXPECT_EQ(bucket_.Count("PUT"), puts);
  EXPECT_EQ(*ReadFile(*blobs->PathOf(kBlobsAbc)), "abc");
  EXPECT_EQ(bucket_.Count("GET /traces/p/blobs/"), 0U);  // what was stored is here
  // Another process reads what is in its cache without fetching it.
  EXPECT_EQ(*ReadFile(*OpenS3()->PathOf(kBlobsAbc)), "abc");
  EXPECT_EQ(bucket_.Count("GET /traces/p/blobs/"), 0U);
}

TEST_F(S3BlobsTest, WhatIsOldIsMadeNewBeforeARunNamesIt) {
  ASSERT_TRUE(StoreText(*OpenS3(), "abc").ok());
  for (const bool knows_copies : {true, false}) {
    bucket_.knows_copies = knows_copies;
    bucket_.knows_conditions = knows_copies;
    bucket_.objects[KeyOf(kBlobsAbc)].modified_s = bucket_.now_s - 7200;
    ASSERT_TRUE(StoreText(*OpenS3(), "abc").ok());
    EXPECT_EQ(bucket_.objects[KeyOf(kBlobsAbc)].modified_s, bucket_.now_s) << knows_copies;
    EXPECT_EQ(bucket_.objects[KeyOf(kBlobsAbc)].bytes, "abc");
  }
  // One that can do neither: who stored it knows.
  bucket_.knows_conditions = true;
  bucket_.objects[KeyOf(kBlobsAbc)].modified_s = bucket_.now_s - 7200;
  const auto blobs = OpenS3();
  ASSERT_TRUE(StoreText(*blobs, "abc").ok());
  EXPECT_FALSE(*blobs->RemoveUnused(kBlobsAbc, bucket_.now_s - 3600));
}

TEST_F(S3BlobsTest, WhatOthersSentIsTakenWhenItIsWhatWasSaid) {
  const auto blobs = OpenS3();
  const std::string upload(64, 'e');
  const BlobInfo abc{.sha256 = std::string(kBlobsAbc), .bytes = 3};
  const auto address = blobs->AddressFor(upload, abc, 60);
  ASSERT_TRUE(address.ok()) << address.status().message();
  const std::size_t path = address->url.find("/uploads/" + upload + "?");
  ASSERT_NE(path, std::string::npos) << address->url;
  ASSERT_EQ(address->headers.size(), 1U);
  EXPECT_EQ(address->headers[0].second, s3::Base64OfHex(kBlobsAbc));
  const std::string of_blob = KeyOf(kBlobsAbc);
  const std::string key = of_blob.substr(0, of_blob.find("blobs/")) + "uploads/" + upload;
  EXPECT_EQ(blobs->TakeUpload(upload, abc).code(), StatusCode::kNotFound);
  for (const char* other : {"abd", "abcd", ""}) {
    bucket_.objects[key] = {other, bucket_.now_s};
    EXPECT_EQ(blobs->TakeUpload(upload, abc).code(), StatusCode::kBadData) << other;
    EXPECT_FALSE(bucket_.objects.contains(key)) << "it is gone";
    EXPECT_FALSE(bucket_.objects.contains(of_blob));
  }
  // A store that says nothing of its bytes: they are read.
  bucket_.objects[key] = {"abc", bucket_.now_s};
  std::size_t gets = bucket_.Count("GET");
  EXPECT_TRUE(blobs->TakeUpload(upload, abc).ok());
  EXPECT_EQ(bucket_.Count("GET"), gets + 1);
  EXPECT_EQ(bucket_.objects.at(of_blob).bytes, "abc");
  EXPECT_FALSE(bucket_.objects.contains(key));
  EXPECT_EQ(blobs->TakeUpload(upload, abc).code(), StatusCode::kNotFound) << "once";
  // One that has hashed them, and takes no others at this address: nothing passes through here.
  ASSERT_TRUE(blobs->Remove(kBlobsAbc).ok());
  bucket_.objects[key] = {"abc", bucket_.now_s, s3::Base64OfHex(kBlobsAbc)};
  gets = bucket_.Count("GET");
  EXPECT_TRUE(blobs->TakeUpload(upload, abc).ok());
  EXPECT_EQ(bucket_.Count("GET"), gets);
  EXPECT_EQ(bucket_.objects.at(of_blob).bytes, "abc");
  // And another checksum is none of this content.
  ASSERT_TRUE(blobs->Remove(kBlobsAbc).ok());
  bucket_.objects[key] = {"abd", bucket_.now_s, s3::Base64OfHex(s3::HexSha256("abd"))};
  EXPECT_EQ(blobs->TakeUpload(upload, abc).code(), StatusCode::kBadData);
  EXPECT_FALSE(bucket_.objects.contains(of_blob));
  // What nobody takes is garbage a day later.
  bucket_.objects[key] = {"abc", bucket_.now_s};
  ASSERT_TRUE(blobs->RemoveUnfinished(bucket_.now_s - 10).ok());
  EXPECT_TRUE(bucket_.objects.contains(key));
  bucket_.objects[key].modified_s -= 20;
  ASSERT_TRUE(blobs->RemoveUnfinished(std::time(nullptr) - 10).ok());
  EXPECT_FALSE(bucket_.objects.contains(key));
  // Bounds.
  EXPECT_EQ(blobs->AddressFor(upload, {abc.sha256, kMostDirectBytes + 1}, 60).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(blobs->AddressFor("../x", abc, 60).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(blobs->TakeUpload("../x", abc).code(), StatusCode::kInvalidArgument);
}

TEST_F(S3BlobsTest, AnObjectOfAnotherSizeIsReplaced) {
  const auto blobs = OpenS3();
  bucket_.objects[KeyOf(kBlobsAbc)] = {"ab", bucket_.now_s};
  ASSERT_TRUE(StoreText(*blobs, "abc").ok());
  EXPECT_EQ(bucket_.objects[KeyOf(kBlobsAbc)].bytes, "abc");
}

TEST_F(S3BlobsTest, BytesThatChangedOnTheirWayAreFetchedAgain) {
  ASSERT_TRUE(StoreText(*OpenS3(), "abc").ok());
  fs::remove_all(root_ / "cache");
  const auto blobs = OpenS3();
  int wrong = 1;
  bucket_.on_get = [&](std::string& body) {
    if (wrong-- > 0) body[0] = 'x';
  };
  EXPECT_EQ(*ReadFile(*blobs->PathOf(kBlobsAbc)), "abc");
  // Shorter ones, too; and what stays wrong is damaged, and no file.
  ASSERT_TRUE(StoreText(*blobs, "defg").ok());
  const std::string sha256 = Sha256Of("defg");
  fs::remove(CachedPath(sha256));
  wrong = 1000;
  const Status damaged = blobs->PathOf(sha256).status();
  EXPECT_EQ(damaged.code(), StatusCode::kInternal);
  EXPECT_FALSE(fs::exists(CachedPath(sha256)));
  EXPECT_EQ(Temporaries(), 0U);
}

TEST_F(S3BlobsTest, ACopyThatIsDamagedIsFetchedAgain) {
  ASSERT_TRUE(StoreText(*OpenS3(), "abc").ok());
  // By a process before this one.
  std::ofstream(CachedPath(kBlobsAbc)) << "abd";
  const auto blobs = OpenS3();
  EXPECT_EQ(*ReadFile(*blobs->PathOf(kBlobsAbc)), "abc");
  // And while this one runs.
  std::ofstream(CachedPath(kBlobsAbc)) << "abd";
  EXPECT_EQ(*ReadFile(*blobs->VerifiedPathOf(kBlobsAbc)), "abc");
  std::ofstream(CachedPath(kBlobsAbc)) << "shorter or longer";
  EXPECT_EQ(*ReadFile(*blobs->PathOf(kBlobsAbc)), "abc");
}

TEST_F(S3BlobsTest, ManyWhoAskShareOneFetch) {
  ASSERT_TRUE(StoreText(*OpenS3(), "abc").ok());
  fs::remove_all(root_ / "cache");
  const auto blobs = OpenS3();
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&] {
      const auto path = blobs->PathOf(kBlobsAbc);
      if (path.ok() && *ReadFile(*path) == "abc") ++good;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 16);
  EXPECT_EQ(bucket_.Count("GET /traces/p/blobs/"), 1U);
}

TEST_F(S3BlobsTest, ManyAreFetchedAhead) {
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back(StoreText(*OpenS3(), std::to_string(i))->sha256);
  fs::remove_all(root_ / "cache");
  const auto blobs = OpenS3();
  names.emplace_back(kBlobsAbc);  // is not there
  Prefetch(*blobs, names);
  EXPECT_EQ(bucket_.Count("GET /traces/p/blobs/"), 21U);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(*ReadFile(*blobs->PathOf(names[i])), std::to_string(i));
  EXPECT_EQ(bucket_.Count("GET /traces/p/blobs/"), 21U);
}

TEST_F(S3BlobsTest, AwayIsNoDamage) {
  ASSERT_TRUE(StoreText(*OpenS3(), "abc").ok());
  fs::remove_all(root_ / "cache");
  const auto blobs = OpenS3();
  bucket_.before = [](const s3::HttpRequest&) { return s3::FakeBucket::Break(); };
  for (const Status& status :
       {blobs->PathOf(kBlobsAbc).status(), blobs->VerifiedPathOf(kBlobsAbc).status(),
        blobs->Verify(kBlobsAbc), blobs->Look(kBlobsAbc).status(),
        StoreText(*blobs, "new").status(), blobs->Remove(kBlobsAbc),
        blobs->RemoveUnused(kBlobsAbc, 0).status(), blobs->ForEach([](const auto&, auto) {})}) {
    EXPECT_TRUE(IsAway(status)) << status.message();
  }
  // Keys that are no longer good, too.
  bucket_.before = [](const s3::HttpRequest&) {
    return s3::FakeBucket::Refuse(403, "ExpiredToken");
  };
  EXPECT_TRUE(IsAway(blobs->PathOf(kBlobsAbc).status()));
  EXPECT_EQ(Temporaries(), 0U);
  bucket_.before = nullptr;
  EXPECT_TRUE(blobs->PathOf(kBlobsAbc).ok());
}

TEST_F(S3BlobsTest, ListingsThatLagDoNoHarm) {
  const auto blobs = OpenS3();
  ASSERT_TRUE(StoreText(*blobs, "abc").ok());
  bucket_.hides = [](const std::string&) { return true; };
  EXPECT_THAT(AllOf(*blobs), IsEmpty());
  EXPECT_TRUE(blobs->Look(kBlobsAbc).ok());
  bucket_.hides = nullptr;
  bucket_.objects.erase(KeyOf(kBlobsAbc));  // listed a moment ago
  EXPECT_FALSE(*blobs->RemoveUnused(kBlobsAbc, bucket_.now_s + 60));
}

TEST_F(S3BlobsTest, WhatIsNotOursIsLeftAlone) {
  const auto blobs = OpenS3();
  ASSERT_TRUE(StoreText(*blobs, "abc").ok());
  for (const char* key : {"p/blobs/ab/readme", "p/blobs/x", "p/blobs/00/", "p/other", "blobs/ab/x"})
    bucket_.objects[key] = {"x", 0};
  // In the folder of another.
  bucket_.objects["p/blobs/00/" + std::string(kBlobsAbc)] = {"x", 0};
  EXPECT_THAT(AllOf(*blobs), ElementsAre(testing::Pair(kBlobsAbc, 3)));
}

TEST_F(S3BlobsTest, BigContentsGoInParts) {
  const auto blobs = OpenS3({}, {.part_bytes = 1000});
  const std::string text(25'500, 'x');
  const auto blob = StoreText(*blobs, text);
  ASSERT_TRUE(blob.ok()) << blob.status().message();
  EXPECT_EQ(bucket_.objects[KeyOf(blob->sha256)].bytes, text);
  EXPECT_THAT(bucket_.uploads, IsEmpty());
  EXPECT_TRUE(blobs->Verify(blob->sha256).ok());
}

TEST_F(S3BlobsTest, ABucketSaysWhoseItIs) {
  EXPECT_THAT(TryS3({}, false).status().message(), HasSubstr("there are no blobs of rankscope"));
  ASSERT_TRUE(OpenS3() != nullptr);
  EXPECT_TRUE(TryS3({}, false).ok());
  bucket_.objects["p/blobs.json"].bytes = "{\"format\": 2}";
  EXPECT_THAT(TryS3().status().message(), HasSubstr("says format 2"));
  bucket_.objects["p/blobs.json"].bytes = "<html>";
  EXPECT_EQ(TryS3().status().code(), StatusCode::kBadData);
  bucket_.takes_signatures = false;
  EXPECT_THAT(TryS3().status().message(), HasSubstr("AWS_SECRET_ACCESS_KEY"));
}

TEST_F(S3BlobsTest, APrefixBelongsToOneStore) {
  const auto open = [&](const char* id) { return TryS3({}, true, {}, id).status(); };
  EXPECT_TRUE(open("0123456789abcdef").ok());
  EXPECT_TRUE(open("0123456789abcdef").ok());
  const Status other = open("fedcba9876543210");
  EXPECT_EQ(other.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(other.message(), HasSubstr("has the contents of another store (0123456789abcdef"));
  EXPECT_TRUE(open("").ok());
}

class CacheTest : public BlobsFixture {
 protected:
  std::unique_ptr<BlobCache> Open(std::uint64_t most_bytes, bool evicts = true) {
    auto cache = BlobCache::Open(
        (root_ / "cache").string(),
        {.most_bytes = most_bytes, .free_pct = 0, .evicts = evicts, .now_s = [this] {
           return clock_s_;
         }});
    EXPECT_TRUE(cache.ok());
    return std::move(*cache);
  }
  // A content of four bytes; its path, or "".
  std::string Ask(BlobCache& cache, int number) {
    const std::string text = std::to_string(1000 + number);
    const auto path = cache.PathOf(Sha256Of(text), [&](SpoolFile& file) {
      ++fetches_;
      return file.Write(text);
    });
    return path.ok() ? *path : "";
  }
  bool IsThere(int number) const {
    return fs::exists(CachedPath(Sha256Of(std::to_string(1000 + number))));
  }

  std::int64_t clock_s_ = 1000;
  int fetches_ = 0;
};

TEST_F(CacheTest, WhatWasUsedLongestAgoGoes) {
  const auto cache = Open(12);
  for (const int number : {1, 2, 3}) {
    EXPECT_NE(Ask(*cache, number), "");
    clock_s_ += 100;
  }
  EXPECT_NE(Ask(*cache, 1), "");
  clock_s_ += 100;
  EXPECT_NE(Ask(*cache, 4), "");
  EXPECT_EQ(fetches_, 4);
  EXPECT_TRUE(IsThere(1));
  EXPECT_FALSE(IsThere(2));
  EXPECT_TRUE(IsThere(3));
  EXPECT_EQ(cache->numbers().bytes, 12U);
  EXPECT_EQ(cache->numbers().evicted, 1);
  EXPECT_NE(Ask(*cache, 2), "");
  EXPECT_EQ(fetches_, 5);
}

TEST_F(CacheTest, WhatIsHeldOrNewStays) {
  const auto cache = Open(4);
  auto hold = cache->Hold({Sha256Of("1001"), Sha256Of("1002")});
  for (const int number : {1, 2, 3}) EXPECT_NE(Ask(*cache, number), "");
  EXPECT_TRUE(IsThere(3));  // somebody is about to open it
  clock_s_ += 100;
  EXPECT_NE(Ask(*cache, 4), "");
  EXPECT_FALSE(IsThere(3));
  EXPECT_TRUE(IsThere(1) && IsThere(2));
  auto second = cache->Hold({Sha256Of("1001")});
  clock_s_ += 100;
  hold.reset();
  EXPECT_TRUE(IsThere(1));
  EXPECT_FALSE(IsThere(2));
  second.reset();
  EXPECT_EQ(cache->numbers().bytes, 4U);
}

TEST_F(CacheTest, TheNextProcessKeepsItAndItsBound) {
  {
    const auto cache = Open(100);
    for (const int number : {1, 2, 3}) EXPECT_NE(Ask(*cache, number), "");
  }
  std::ofstream(root_ / "cache" / "temporary" / "pending-abc") << "left";
  // Who does not write to the store leaves all as it is.
  EXPECT_EQ(Open(4, false)->numbers().contents, 3);
  EXPECT_EQ(Temporaries(), 1U);
  EXPECT_EQ(Open(8)->numbers().contents, 2);
  EXPECT_EQ(Temporaries(), 0U);
}

TEST_F(CacheTest, AFailedFetchIsToldToAllAndLeavesNothing) {
  const auto cache = Open(100);
  const auto fails = [](SpoolFile& file) -> Status {
    RS_RETURN_IF_ERROR(file.Write("half"));
    return Error(StatusCode::kIo, "s3://traces/k: cut off");
  };
  EXPECT_TRUE(IsAway(cache->PathOf(kBlobsAbc, fails).status()));
  EXPECT_EQ(Temporaries(), 0U);
  EXPECT_EQ(cache->numbers().contents, 0);
  // A full disk makes room and tries again, once.
  for (const int number : {1, 2}) EXPECT_NE(Ask(*cache, number), "");
  clock_s_ += 100;
  int tries = 0;
  const auto path = cache->PathOf(kBlobsAbc, [&](SpoolFile& file) -> Status {
    if (tries++ == 0) return Error(StatusCode::kResource, "the disk is full");
    return file.Write("abc");
  });
  EXPECT_TRUE(path.ok());
  EXPECT_EQ(cache->numbers().evicted, 1);
}

}  // namespace
}  // namespace rankscope::store
