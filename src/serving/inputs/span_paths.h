// Spans of other services around requests, over all files: each service exports its own.
//
// The W3C trace context gives a span the id of the span that called it. From a request's outermost
// span in its own file the path goes up through the spans of other files to the outermost one of
// all. Only lengths are compared, so the services' clocks need not agree.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "serving/base/data.h"

namespace rankscope::serving {

class SpanPaths {
 public:
  // A span that is no request and no part of one.
  void AddService(const std::string& trace, const std::string& id, std::string parent,
                  std::int64_t length_ns);

  struct Caller {
    std::size_t request = 0;  // its index in ServingData::requests
    std::string trace;
    std::string span;            // that called, of another file
    std::int64_t length_ns = 0;  // of the request
    bool has_others = false;     // its outermost span in its own file is above other requests, too
  };
  void AddRequest(Caller caller) { callers_.push_back(std::move(caller)); }

  // Sets Request::around for requests that are alone below an outermost span of another file, which
  // is at least as long. A caller that made several requests waited for all of them. Returns the
  // number of requests. O(spans).
  std::int64_t TellAround(std::vector<Request>& requests) const;

 private:
  struct Service {
    std::string parent;
    std::int64_t length_ns = 0;
  };
  // Its key; "" if no file has that span.
  std::string TopmostAbove(const Caller& caller) const;

  boost::unordered_flat_map<std::string, Service> services_;  // by trace and id
  std::vector<Caller> callers_;
};

}  // namespace rankscope::serving
