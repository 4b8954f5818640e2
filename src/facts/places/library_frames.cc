#include "facts/places/library_frames.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace rankscope {
namespace {

// Profilers leave out the folder in which Python looks modules up.
constexpr std::array<std::string_view, 60> kStandardFiles = {
    "_weakrefset", "abc",        "argparse",    "ast",          "base64",      "bisect",
    "calendar",    "cmd",        "codecs",      "configparser", "contextlib",  "copy",
    "copyreg",     "csv",        "dataclasses", "datetime",     "decimal",     "difflib",
    "enum",        "fnmatch",    "fractions",   "functools",    "genericpath", "getpass",
    "glob",        "gzip",       "hashlib",     "heapq",        "hmac",        "inspect",
    "io",          "ipaddress",  "linecache",   "locale",       "numbers",     "operator",
    "os",          "pathlib",    "pickle",      "platform",     "posixpath",   "pprint",
    "queue",       "random",     "re",          "selectors",    "shutil",      "signal",
    "socket",      "statistics", "string",      "struct",       "subprocess",  "tempfile",
    "textwrap",    "threading",  "traceback",   "types",        "typing",      "weakref"};
constexpr std::array<std::string_view, 14> kStandardPackages = {
    "asyncio/", "collections/", "concurrent/", "ctypes/", "email/",   "encodings/",
    "html/",    "http/",        "importlib/",  "json/",   "logging/", "multiprocessing/",
    "urllib/",  "xml/"};
constexpr std::array<std::string_view, 23> kPackages = {
    "PIL/",         "accelerate/", "datasets/",     "diffusers/",  "einops/",         "flax/",
    "jax/",         "jaxlib/",     "keras/",        "numpy/",      "optax/",          "pandas/",
    "pyarrow/",     "scipy/",      "sklearn/",      "tensorflow/", "torch_npu/",      "torch_xla/",
    "torchvision/", "tqdm/",       "transformers/", "triton/",     "rankscope_hooks/"};

template <std::size_t N>
bool BeginsWithOne(const std::array<std::string_view, N>& of, std::string_view text) {
  return std::any_of(of.begin(), of.end(),
                     [&](std::string_view one) { return text.starts_with(one); });
}

}  // namespace

bool IsFrameOfStandardLibrary(std::string_view frame) {
  const std::size_t end = frame.find(".py(");
  if (end == std::string_view::npos) return false;
  const std::string_view file = frame.substr(0, end);
  if (Contains(file, "lib/python3") && !Contains(file, "-packages/")) return true;
  const bool is_file = std::binary_search(kStandardFiles.begin(), kStandardFiles.end(), file);
  return is_file || BeginsWithOne(kStandardPackages, frame);
}

bool IsFrameOfLibrary(std::string_view frame) {
  return BeginsWithOne(kPackages, frame) || Contains(frame, "/site-packages/") ||
         Contains(frame, "/dist-packages/");
}

}  // namespace rankscope
