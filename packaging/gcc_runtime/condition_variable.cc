// What GCC before 12 knows as std::condition_variable::wait, and DuckDB was linked with. Debian's
// archive has the current one alone.
#include <pthread.h>

#include <condition_variable>
#include <mutex>

extern "C" __attribute__((visibility("default"))) void WaitOfGcc11(
    std::condition_variable* condition, std::unique_lock<std::mutex>& lock) {
  pthread_cond_wait(condition->native_handle(), lock.mutex()->native_handle());
}
__asm__(
    ".symver WaitOfGcc11, "
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
