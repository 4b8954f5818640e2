// Records the requests of a server of gRPC (C++, 1.51) by its interceptors.
//
//   rankscope::requests::Recorder recorder({.path = "requests.jsonl", .service = "ranker"});
//   std::vector<std::unique_ptr<
//       grpc::experimental::ServerInterceptorFactoryInterface>> creators;
//   creators.push_back(std::make_unique<rankscope::requests::GrpcCalls>(recorder));
//   builder.experimental().SetInterceptorCreators(std::move(creators));
//
// What interceptors show: a call when a thread of gRPC has taken it up, its answer on the way, and
// its end. What it waited for before that (in the kernel, in gRPC's completion queue, for a thread
// of a synchronous server) no hook tells: the queue of such a server is not known.
//
// A service of the callback or asynchronous API that hands requests to workers of its own has a
// queue that can be seen. It says that there is one, and its workers say when they begin:
//
//   grpc::ServerUnaryReactor* Rank(grpc::CallbackServerContext* context, ...) override {
//     auto* reactor = context->DefaultReactor();
//     auto request = rankscope::requests::QueuedHere();     // waits from now on
//     pool.Post([=]() mutable {
//       rankscope::requests::HandlerScope handler(request); // a worker takes it
//       ...
//       handler.End();
//       reactor->Finish(grpc::Status::OK);
//     });
//     return reactor;
//   }
//
//   begin     the request is read (unary and server streaming), or the call is there (other kinds,
//             whose handlers read themselves): the handler follows in the same thread
//   end       the handler gives its status
//   sent      gRPC says that the answer is sent; without an answer, that the call is over
#pragma once

#include <grpcpp/support/interceptor.h>
#include <grpcpp/support/server_interceptor.h>

#include <new>

#include "rankscope/request_recorder.h"

namespace rankscope::requests {

namespace detail {

class GrpcCall : public grpc::experimental::Interceptor {
 public:
  using Point = grpc::experimental::InterceptionHookPoints;
  using Type = grpc::experimental::ServerRpcInfo::Type;

  GrpcCall(Recorder& recorder, const grpc::experimental::ServerRpcInfo& info) noexcept
      : request_(recorder.See(MethodOf(info.method()))),
        reads_itself_(info.type() == Type::CLIENT_STREAMING ||
                      info.type() == Type::BIDI_STREAMING) {}
  ~GrpcCall() override {
    if (!has_ended_) request_.Cancel();  // it never gave a status
    request_.Finish();
  }

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(reads_itself_ ? Point::POST_RECV_INITIAL_METADATA
                                                          : Point::POST_RECV_MESSAGE) &&
        !has_begun_) {
      has_begun_ = true;
      request_.BeginHandler();
      SetCurrent(request_);
    }
    if (methods->QueryInterceptionHookPoint(Point::PRE_SEND_STATUS) && !has_ended_) {
      has_ended_ = true;
      request_.EndHandler();
      const grpc::Status status = methods->GetSendStatus();
      if (status.error_code() == grpc::StatusCode::CANCELLED) {
        request_.Cancel();
      } else if (!status.ok()) {
        request_.Fail(status.error_code());
      }
      SetCurrent({});
    }
    if (methods->QueryInterceptionHookPoint(Point::POST_SEND_MESSAGE) && has_ended_) {
      is_sent_ = true;
      request_.Sent();
    }
    if (methods->QueryInterceptionHookPoint(Point::POST_RECV_CLOSE) && has_ended_ && !is_sent_)
      request_.Sent();
    methods->Proceed();
  }

 private:
  static std::string_view MethodOf(const char* method) noexcept {
    std::string_view name = method == nullptr ? "" : method;
    if (!name.empty() && name.front() == '/') name.remove_prefix(1);
    return name;
  }

  Request request_;
  bool reads_itself_;
  bool has_begun_ = false, has_ended_ = false, is_sent_ = false;
};

}  // namespace detail

// The request that this thread of gRPC was given; it waits for a worker of the service from now on.
// Its time counts from when gRPC gave it: what was before that is not known.
inline Request QueuedHere() noexcept {
  Request request = Current();
  request.Queue();
  SetCurrent({});
  return request;
}

class GrpcCalls : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  // `recorder` outlives the server.
  explicit GrpcCalls(Recorder& recorder) : recorder_(recorder) {}

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override {
    return new (std::nothrow) detail::GrpcCall(recorder_, *info);
  }

 private:
  Recorder& recorder_;
};

}  // namespace rankscope::requests
