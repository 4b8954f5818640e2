#include "fetch/curl_functions.h"

#include <dlfcn.h>

#include <type_traits>

namespace rankscope::fetch::curl {
namespace {

Status LoadInto(Functions& functions) {
  // Both of Debian's have the same interface; the second comes with other packages.
  void* library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error(StatusCode::kResource,
                 "libcurl, which sends requests to servers of others, is not installed "
                 "(libcurl.so.4): on Debian and Ubuntu apt-get install libcurl4");
  }
  const char* missing = nullptr;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) missing = name;
  };
  find("curl_global_init", functions.global_init);
  find("curl_easy_init", functions.easy_init);
  find("curl_easy_cleanup", functions.easy_cleanup);
  find("curl_easy_reset", functions.easy_reset);
  find("curl_easy_setopt", functions.easy_setopt);
  find("curl_easy_perform", functions.easy_perform);
  find("curl_easy_getinfo", functions.easy_getinfo);
  find("curl_easy_strerror", functions.easy_strerror);
  find("curl_slist_append", functions.slist_append);
  find("curl_slist_free_all", functions.slist_free_all);
  if (missing != nullptr) {
    return Error(StatusCode::kResource,
                 "libcurl.so.4 is another library than libcurl 7 or 8: it has no {}", missing);
  }
  if (const int code = functions.global_init(kGlobalDefault); code != kOk)
    return Error(StatusCode::kResource, "libcurl does not start: {}",
                 functions.easy_strerror(code));
  return OkStatus();
}

}  // namespace

Result<const Functions*> Load() {
  static Functions functions;
  static const Status kLoaded = LoadInto(functions);
  if (!kLoaded.ok()) return kLoaded;
  return &functions;
}

}  // namespace rankscope::fetch::curl
