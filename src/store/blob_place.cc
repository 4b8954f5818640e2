#include "store/blob_place.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/durable.h"
#include "base/file.h"
#include "fetch/curl_transport.h"
#include "json/reader.h"
#include "json/writer.h"
#include "store/lazy_blobs.h"
#include "store/random_id.h"
#include "store/run.h"
#include "store/s3_blobs.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;

std::string RecordPath(const std::string& folder) { return folder + "/blobs.json"; }

std::string IdPath(const std::string& folder) { return folder + "/blobs.id"; }

bool HasBlobs(const std::string& folder) {
  std::error_code error;
  for (const auto& part : fs::directory_iterator(folder + "/blobs", error)) {
    std::error_code ignored;
    if (!fs::is_empty(part.path(), ignored)) return true;
  }
  return false;
}

// What is said goes before what is remembered, and that before the environment; the bucket itself
// does not change.
Result<BlobPlace> Together(const std::string& folder, const BlobPlace& said,
                           const BlobPlace& remembered) {
  const std::string& endpoint =
      said.s3_endpoint.empty() ? remembered.s3_endpoint : said.s3_endpoint;
  const std::string& region = said.s3_region.empty() ? remembered.s3_region : said.s3_region;
  if (said.place.empty()) {
    if (remembered.place.empty() && !(said.s3_endpoint.empty() && said.s3_region.empty())) {
      return Error(StatusCode::kInvalidArgument,
                   "--s3-endpoint and --s3-region go with --blobs s3://BUCKET/PREFIX");
    }
    return BlobPlace{remembered.place, endpoint, region, said.cache_bytes, said.cache_folder};
  }
  RS_ASSIGN_OR_RETURN(BlobPlace together, WholePlace({said.place, endpoint, region}));
  together.cache_bytes = said.cache_bytes;
  together.cache_folder = said.cache_folder;
  if (!remembered.place.empty() && remembered.place != together.place) {
    return Error(StatusCode::kInvalidArgument,
                 "{}: the contents of this store lie in {}, not in {}: give that place, or none",
                 folder, remembered.place, together.place);
  }
  if (remembered.place.empty() && HasBlobs(folder)) {
    return Error(StatusCode::kInvalidArgument,
                 "{}: the contents of this store lie in its folder: rankscope store blobs --to {} "
                 "moves them there",
                 folder, together.place);
  }
  return together;
}

std::string OwnCacheOf(const BlobPlace& said) {
  const char* const variable = std::getenv("RANKSCOPE_BLOB_CACHE_DIR");
  return said.cache_folder.empty() && variable != nullptr ? variable : said.cache_folder;
}

}  // namespace

Result<BlobPlace> RememberedPlace(const std::string& folder) {
  const std::string path = RecordPath(folder);
  std::error_code error;
  if (!fs::exists(path, error)) return BlobPlace{};
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const auto reader = json::Reader::Parse(text);
  BlobPlace place;
  if (reader.ok()) {
    place.place = reader->root()["place"].TextOr("");
    place.s3_endpoint = reader->root()["endpoint"].TextOr("");
    place.s3_region = reader->root()["region"].TextOr("");
  }
  if (!place.place.empty()) return place;
  return Error(StatusCode::kBadData,
               "{}: it does not say where the contents of this store lie: write {{\"place\": "
               "\"s3://BUCKET/PREFIX\"}} into it",
               path);
}

Status RememberPlace(const std::string& folder, const BlobPlace& place) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("place", place.place).Member("endpoint", place.s3_endpoint);
  writer.Member("region", place.s3_region).EndObject();
  return WriteDurably(RecordPath(folder), json + "\n", folder + "/temporary");
}

Result<std::string> StoreIdOf(const std::string& folder, bool creates) {
  const std::string path = IdPath(folder);
  std::error_code error;
  if (fs::exists(path, error)) {
    RS_ASSIGN_OR_RETURN(std::string id, ReadFile(path));
    while (!id.empty() && id.back() == '\n') id.pop_back();
    if (IsRunId(id)) return id;
    return Error(StatusCode::kBadData,
                 "{}: it does not hold the id of this store: take that of blobs.json in its bucket",
                 path);
  }
  if (!creates) return std::string();
  std::string id = RandomId();
  RS_RETURN_IF_ERROR(WriteDurably(path, id + "\n", folder + "/temporary"));
  return id;
}

std::string CopiesFolderOf(const std::string& folder, const BlobPlace& said) {
  std::string own = OwnCacheOf(said);
  return own.empty() ? folder + "/blob-cache" : own;
}

Result<BlobPlace> WholePlace(const BlobPlace& said) {
  RS_ASSIGN_OR_RETURN(
      const s3::Place place,
      s3::ParsePlace(said.place, said.s3_endpoint, said.s3_region, s3::ProcessEnvironment()));
  return BlobPlace{.place = place.Text(), .s3_endpoint = place.endpoint, .s3_region = place.region};
}

Result<std::unique_ptr<Blobs>> OpenBlobsInS3(const BlobPlace& said, std::string cache_folder,
                                             bool writes) {
  const s3::Environment environment = s3::ProcessEnvironment();
  RS_ASSIGN_OR_RETURN(s3::Place place,
                      s3::ParsePlace(said.place, said.s3_endpoint, said.s3_region, environment));
  RS_ASSIGN_OR_RETURN(s3::Credentials keys, s3::CredentialsOf(environment));
  RS_ASSIGN_OR_RETURN(auto transport, fetch::MakeCurlTransport(
                                          {.ca_file = environment("AWS_CA_BUNDLE").value_or("")}));
  auto client = std::make_unique<s3::Client>(std::move(place), std::move(keys), *transport,
                                             s3::RealSurroundings());
  return MakeS3Blobs(std::move(transport), std::move(client),
                     {.cache_folder = std::move(cache_folder),
                      .cache = {.most_bytes = said.cache_bytes,
                                .evicts = writes,
                                .is_exclusive = writes && !said.cache_folder.empty()},
                      .store_id = said.store_id,
                      .creates = writes});
}

Status CheckCopiesAreItsOwn(const std::string& folder, const BlobPlace& said) {
  if (!OwnCacheOf(said).empty()) return OkStatus();
  RS_ASSIGN_OR_RETURN(const BlobPlace remembered, RememberedPlace(folder));
  if (said.place.empty() && remembered.place.empty()) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "{}: several processes share it: give each a folder of its own for copies of "
               "contents in S3, on its machine: --blob-cache-dir, or RANKSCOPE_BLOB_CACHE_DIR",
               folder);
}

Result<std::unique_ptr<Blobs>> OpenBlobs(const std::string& folder, const std::string& temporary,
                                         const BlobPlace& said, bool writes) {
  RS_ASSIGN_OR_RETURN(const BlobPlace remembered, RememberedPlace(folder));
  RS_ASSIGN_OR_RETURN(BlobPlace place, Together(folder, said, remembered));
  if (place.place.empty()) return MakeFolderBlobs(folder + "/blobs", temporary);
  RS_ASSIGN_OR_RETURN(place.store_id, StoreIdOf(folder, writes));
  place.cache_folder = OwnCacheOf(place);
  const std::string cache = CopiesFolderOf(folder, place);
  if (!writes) {
    return MakeLazyBlobs([place, cache] { return OpenBlobsInS3(place, cache, false); });
  }
  RS_ASSIGN_OR_RETURN(auto blobs, OpenBlobsInS3(place, cache, true));
  BlobPlace kept = place;
  kept.cache_bytes = remembered.cache_bytes;  // the cache is not remembered, nor is the id
  kept.cache_folder = remembered.cache_folder;
  kept.store_id = remembered.store_id;
  if (kept != remembered) RS_RETURN_IF_ERROR(RememberPlace(folder, kept));
  return blobs;
}

}  // namespace rankscope::store
