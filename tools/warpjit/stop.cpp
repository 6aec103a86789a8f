#include "stop.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "output.h"

namespace warpjit::tool {
namespace {

constexpr int kBadInputCode = 2, kStoppedCode = 3;
constexpr suseconds_t kGrace = 50'000;  // microseconds that a command has to end by itself
constexpr int kMostToWait = 20;         // milliseconds for a message of the end

constinit std::atomic<std::uint32_t> cancel{0};
constinit std::atomic<int> signal_number{0};
constinit std::atomic<bool> out_of_time{false}, ended{false};
constinit std::atomic<const char*> unfinished{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

constexpr std::string_view kInterrupted = "warpjit: interrupted\n",
                           kOutOfTime = "warpjit: cancelled: the time of --timeout is over\n",
                           kNoMemory = "warpjit: resource limit: out of memory\n";

void set_timer(time_t seconds, suseconds_t microseconds) {
  itimerval timer{};
  timer.it_value = {seconds, microseconds};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void handle_signal(int number) {
  const int kept = errno;
  int none = 0;
  if (!signal_number.compare_exchange_strong(none, number)) end_stopped();
  cancel = 1;
  set_timer(0, kGrace);
  errno = kept;
}

// The time of --timeout, or the grace after it or after a signal, is over.
void handle_alarm(int) {
  const int kept = errno;
  if (interrupted() || out_of_time.exchange(true)) end_stopped();
  cancel = 1;
  set_timer(0, kGrace);
  errno = kept;
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

// An exception that nothing catches was thrown: in a thread of a library, or where nothing may throw.
[[noreturn]] void handle_terminate() {
  try {
    if (std::current_exception() != nullptr) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (const std::system_error& problem) {
    end_process("warpjit: resource limit: " + text::shortened(problem.what()) + "\n", kBadInputCode);
  } catch (const std::exception& problem) {
    end_process("warpjit: internal error: " + text::shortened(problem.what()) + "\n", kStoppedCode);
  } catch (...) {
  }
  end_process("warpjit: internal error: an unknown exception\n", kStoppedCode);
}

}  // namespace

void prepare_process() {
  std::set_new_handler(end_without_memory);
  std::set_terminate(handle_terminate);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) == -1)  // the next file must not become stdout
      static_cast<void>(open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
  for (const int number : {SIGINT, SIGTERM}) handle(number, handle_signal);
  handle(SIGALRM, handle_alarm);
  sigset_t all;
  sigemptyset(&all);
  for (const int number : {SIGINT, SIGTERM, SIGALRM}) sigaddset(&all, number);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
}

void stop_after(double seconds) {
  const double whole = std::floor(seconds);
  const auto rest = static_cast<suseconds_t>((seconds - whole) * 1e6);
  set_timer(static_cast<time_t>(whole), whole == 0 ? std::max<suseconds_t>(rest, 1) : rest);
}

bool stopping() { return cancel != 0; }
const std::atomic<std::uint32_t>* cancel_word() { return &cancel; }

Error stop_error() {
  return {ErrorCode::cancelled, interrupted() ? "interrupted" : "the time of --timeout is over", {}};
}
bool interrupted() { return signal_number != 0; }
void end_stopped() {
  if (const int number = signal_number; number != 0) end_process(kInterrupted, 128 + number);
  end_process(kOutOfTime, kStoppedCode);
}

void end_process(std::string_view message, int exit_code) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // this thread's handlers do not come between
  if (ended.exchange(true))
    while (true) pause();  // another thread ends it
  if (const char* const path = unfinished) unlink(path);
  pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&ready, 1, kMostToWait) == 1)  // a pipe that nobody reads may be full
    static_cast<void>(!write(STDERR_FILENO, message.data(), message.size()));
  _exit(exit_code);
}
void end_without_memory() { end_process(kNoMemory, kBadInputCode); }

UnfinishedFile::UnfinishedFile(const char* path) { unfinished = path; }
UnfinishedFile::~UnfinishedFile() { unfinished = nullptr; }

}  // namespace warpjit::tool
