// SHA-256: the key of content in the store, since nobody can forge it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

struct evp_md_ctx_st;

namespace rankscope::store {

class Sha256 {
 public:
  Sha256();
  void Add(const void* data, std::size_t size);
  void Add(std::string_view text) { Add(text.data(), text.size()); }
  // 64 lower-case digits. Nothing is to be added afterwards.
  std::string Hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string Sha256Of(std::string_view text);
Result<std::string> Sha256OfFile(const std::string& path);

// Whether a text is what Hex gives.
bool IsSha256(std::string_view text);

}  // namespace rankscope::store
