// grpc_service FILE (sync|callback) WORKERS CLIENTS CALLS SLEEP_MS LOCKED_MS
//
// A real server of gRPC, and clients that each make so many calls, one after the other. sync:
// gRPC's own threads run the handler. callback: the service hands requests to so many workers of
// its own. Its requests are recorded into FILE; standard output has what the service itself knows
// of them.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "ranker.grpc.pb.h"
#include "rankscope/grpc_requests.h"
#include "truth.h"

namespace {

using rankscope::ranker::Answer;
using rankscope::ranker::Question;
using rankscope::ranker::Ranker;
using rankscope::requests::Now;
using rankscope::truth::Call;
using rankscope::truth::Truth;

void Sleep(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// What both kinds of service do with a question.
class Work {
 public:
  explicit Work(Truth& truth) : truth_(truth) {}

  grpc::Status Do(const Question& question, Answer& answer) {
    const std::int64_t begin = Now();
    std::int64_t waited = 0;
    rankscope::requests::Current().SetId(std::to_string(question.call()));
    Sleep(question.sleep_ms());
    if (question.locked_ms() > 0) {
      const std::int64_t before = Now();
      const rankscope::requests::LockGuard<std::mutex> lock(mutex_, "index");
      waited = Now() - before;
      Sleep(question.locked_ms());
    }
    answer.set_text(std::string(100, 'a'));
    truth_.Note(question.call(), [&](Call& own) {
      own.begin_ns = begin;
      own.lock_ns = waited;
      own.end_ns = Now();
    });
    if (question.call() < 0) return {grpc::StatusCode::INVALID_ARGUMENT, "below 0"};
    return grpc::Status::OK;
  }

 private:
  Truth& truth_;
  std::mutex mutex_;
};

class SyncRanker : public Ranker::Service {
 public:
  explicit SyncRanker(Work& work) : work_(work) {}
  grpc::Status Rank(grpc::ServerContext*, const Question* question, Answer* answer) override {
    return work_.Do(*question, *answer);
  }
  grpc::Status Stream(grpc::ServerContext*, grpc::ServerReader<Question>* reader,
                      Answer* answer) override {
    Question question;
    while (reader->Read(&question)) work_.Do(question, *answer);
    return grpc::Status::OK;
  }

 private:
  Work& work_;
};

class Pool {
 public:
  explicit Pool(int workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { Run(); });
  }
  ~Pool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void Post(std::function<void()> task) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
  }

 private:
  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return is_ending_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool is_ending_ = false;
};

class PoolRanker : public Ranker::CallbackService {
 public:
  PoolRanker(Work& work, int workers) : work_(work), pool_(workers) {}
  grpc::ServerUnaryReactor* Rank(grpc::CallbackServerContext* context, const Question* question,
                                 Answer* answer) override {
    auto* reactor = context->DefaultReactor();
    auto request = rankscope::requests::QueuedHere();
    pool_.Post([this, reactor, request, question, answer] {
      rankscope::requests::HandlerScope handler(request);
      const grpc::Status status = work_.Do(*question, *answer);
      handler.End();
      reactor->Finish(status);
    });
    return reactor;
  }

 private:
  Work& work_;
  Pool pool_;
};

}  // namespace

int main(int count, char** values) {
  if (count != 8) return 2;
  const bool is_sync = std::string(values[2]) == "sync";
  const int workers = std::atoi(values[3]), clients = std::atoi(values[4]);
  const int calls = std::atoi(values[5]), sleep_ms = std::atoi(values[6]);
  const int locked_ms = std::atoi(values[7]);

  Truth truth;
  rankscope::requests::Options options;
  options.path = values[1];
  options.service = "ranker";
  rankscope::requests::Recorder recorder(options);
  if (!recorder.problem().empty()) {
    std::fprintf(stderr, "%s\n", recorder.problem().c_str());
    return 1;
  }
  Work work(truth);
  SyncRanker sync_ranker(work);
  PoolRanker pool_ranker(work, is_sync ? 0 : workers);
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  if (is_sync) {
    builder.RegisterService(&sync_ranker);
  } else {
    builder.RegisterService(&pool_ranker);
  }
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> creators;
  creators.push_back(std::make_unique<rankscope::requests::GrpcCalls>(recorder));
  builder.experimental().SetInterceptorCreators(std::move(creators));
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) return 1;

  const auto channel =
      grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials());
  const auto stub = Ranker::NewStub(channel);
  const auto ask = [&](int number, int sleep, int locked) {
    Question question;
    question.set_call(number);
    question.set_sleep_ms(sleep);
    question.set_locked_ms(locked);
    Answer answer;
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    truth.Note(number, [](Call& own) { own.sent_ns = Now(); });
    stub->Rank(&context, question, &answer);
    truth.Note(number, [](Call& own) { own.had_ns = Now(); });
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < calls; ++j) ask(1 + i * calls + j, sleep_ms, locked_ms);
    });
  }
  for (std::thread& thread : threads) thread.join();

  ask(-1, 0, 0);  // fails
  if (is_sync) {
    Answer answer;
    grpc::ClientContext context;
    const auto writer = stub->Stream(&context, &answer);
    for (int i = 0; i < 3; ++i) {
      Question question;
      question.set_call(1'000'000 + i);
      writer->Write(question);
    }
    writer->WritesDone();
    writer->Finish();
  }
  server->Shutdown();
  truth.Print();
  return 0;
}
