#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <utility>

#include "system.h"

namespace warpjit::tool::system {
namespace {

constexpr int kMostToWait = 20;  // milliseconds for a message of the end

using StopHandler = void (*)(int);
using AlarmHandler = void (*)();
constinit StopHandler stop_handler = nullptr;
constinit AlarmHandler alarm_handler = nullptr;

void handle_stop(int number) {
  const int kept = errno;
  stop_handler(number);
  errno = kept;
}
void handle_alarm(int) {
  const int kept = errno;
  alarm_handler();
  errno = kept;
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

int flags_of(File::Use use) {
  switch (use) {
    case File::Use::read:
      return O_RDONLY;
    case File::Use::create:
      return O_WRONLY | O_CREAT | O_EXCL;
    case File::Use::overwrite:
      break;
  }
  return O_WRONLY | O_TRUNC;
}

}  // namespace

std::vector<std::string> arguments(int argc, char** argv) { return {argv + std::min(argc, 1), argv + argc}; }
unsigned process_number() { return static_cast<unsigned>(getpid()); }

void prepare(void (*stop)(int), void (*alarm)()) {
  stop_handler = stop;
  alarm_handler = alarm;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) == -1)  // the next file must not become stdout
      static_cast<void>(open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
  for (const int number : {SIGINT, SIGTERM}) handle(number, handle_stop);
  handle(SIGALRM, handle_alarm);
  sigset_t all;
  sigemptyset(&all);
  for (const int number : {SIGINT, SIGTERM, SIGALRM}) sigaddset(&all, number);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
}

void set_alarm(double seconds) {
  const double whole = std::floor(seconds);
  const auto rest = static_cast<suseconds_t>((seconds - whole) * 1e6);
  itimerval timer{};
  timer.it_value = {static_cast<time_t>(whole), whole == 0 ? std::max<suseconds_t>(rest, 1) : rest};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

void wait_for_end() {
  while (true) pause();
}

void end_now(const PathCharacter* unfinished, std::string_view message, int exit_code) {
  if (unfinished != nullptr) unlink(unfinished);
  pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&ready, 1, kMostToWait) == 1)
    static_cast<void>(!write(STDERR_FILENO, message.data(), message.size()));
  _exit(exit_code);
}

File::File(const std::filesystem::path& path, Use use)
    : number_(open(path.c_str(), flags_of(use) | O_CLOEXEC, 0666)) {}
File::~File() { static_cast<void>(close()); }
int File::close() {
  const int number = std::exchange(number_, -1);
  return number < 0 || ::close(number) == 0 ? 0 : errno;
}

std::ptrdiff_t read_some(int file, std::byte* bytes, std::size_t size) {
  ssize_t part;
  do {
    part = ::read(file, bytes, size);
  } while (part < 0 && errno == EINTR);
  return part < 0 ? -errno : part;
}

int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd wait{.fd = file, .events = POLLOUT, .revents = 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

bool is_terminal(int file) { return isatty(file) != 0; }

Existing existing(const std::filesystem::path& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return {};
  return {true, S_ISREG(found.st_mode), found.st_mode & 07777U};
}
int check_writable(const std::filesystem::path& path) { return access(path.c_str(), W_OK) == 0 ? 0 : errno; }
int set_permissions(int file, unsigned permissions) { return fchmod(file, permissions) == 0 ? 0 : errno; }
int rename_over(const std::filesystem::path& from, const std::filesystem::path& to) {
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace warpjit::tool::system
