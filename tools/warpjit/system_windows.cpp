#define WIN32_LEAN_AND_MEAN
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>
// After windows.h.
#include <shellapi.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <new>
#include <utility>

#include "system.h"

namespace warpjit::tool::system {
namespace {

constexpr unsigned kMostOfWrite = 1 << 20;  // bytes; a pipe takes no more at once than it has room for
constexpr std::size_t kMostOfConsole = 8192;

using StopHandler = void (*)(int);
using AlarmHandler = void (*)();
constinit StopHandler stop_handler = nullptr;
constinit AlarmHandler alarm_handler = nullptr;
constinit PTP_TIMER timer = nullptr;

// Windows calls it on a thread of its own. What closes the console ends the process when this returns.
BOOL WINAPI handle_console(DWORD event) {
  const bool interrupt = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
  stop_handler(interrupt ? SIGINT : SIGTERM);
  if (!interrupt) wait_for_end();
  return TRUE;
}
VOID CALLBACK handle_timer(PTP_CALLBACK_INSTANCE, PVOID, PTP_TIMER) { alarm_handler(); }

HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

int flags_of(File::Use use) {
  switch (use) {
    case File::Use::read:
      return _O_RDONLY;
    case File::Use::create:
      return _O_WRONLY | _O_CREAT | _O_EXCL;
    case File::Use::overwrite:
      break;
  }
  return _O_WRONLY | _O_TRUNC;
}

std::string utf8(const wchar_t* text) {
  const int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
  if (size <= 1) return {};
  std::string result(static_cast<std::size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text, -1, result.data(), size, nullptr, nullptr);
  result.pop_back();
  return result;
}

// A console shows UTF-8 in its code page, which is another one as a rule: it gets UTF-16.
int write_console(HANDLE console, std::string_view bytes) {
  wchar_t wide[kMostOfConsole];
  while (!bytes.empty()) {
    std::size_t size = std::min(bytes.size(), kMostOfConsole);
    // Not within a character.
    while (size < bytes.size() && size > 1 && (static_cast<unsigned char>(bytes[size]) & 0xC0) == 0x80)
      --size;
    int left = MultiByteToWideChar(CP_UTF8, 0, bytes.data(), static_cast<int>(size), wide, kMostOfConsole);
    for (const wchar_t* at = wide; left > 0;) {
      DWORD written = 0;
      if (!WriteConsoleW(console, at, static_cast<DWORD>(left), &written, nullptr) || written == 0)
        return EIO;
      at += written;
      left -= static_cast<int>(written);
    }
    bytes.remove_prefix(size);
  }
  return 0;
}

int error_number(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      return ENOENT;
    case ERROR_DISK_FULL:
      return ENOSPC;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
      return EACCES;
    default:
      return EIO;
  }
}

}  // namespace

std::vector<std::string> arguments(int, char**) {
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  if (words == nullptr) throw std::bad_alloc();
  std::vector<std::string> result;
  for (int n = 1; n < count; ++n) result.push_back(utf8(words[n]));
  LocalFree(words);
  return result;
}
unsigned process_number() { return GetCurrentProcessId(); }

void prepare(void (*stop)(int), void (*alarm)()) {
  stop_handler = stop;
  alarm_handler = alarm;
  for (const int file : {0, 1, 2}) {
    if (_get_osfhandle(file) < 0) {  // the next file must not become stdout
      const int null = _wopen(L"NUL", (file == kStderr ? _O_WRONLY : _O_RDONLY) | _O_BINARY);
      if (null >= 0 && null != file) {
        _dup2(null, file);
        _close(null);
      }
    }
    _setmode(file, _O_BINARY);
  }
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);  // no windows
  timer = CreateThreadpoolTimer(handle_timer, nullptr, nullptr);
  SetConsoleCtrlHandler(handle_console, TRUE);
}

void set_alarm(double seconds) {
  if (timer == nullptr) return;
  // Negative: from now, in units of 100 ns.
  const auto units = static_cast<LONGLONG>(std::min(seconds, 1e9) * 1e7);
  ULARGE_INTEGER due;
  due.QuadPart = static_cast<ULONGLONG>(-std::max<LONGLONG>(units, 1));
  FILETIME time{due.LowPart, due.HighPart};
  SetThreadpoolTimer(timer, &time, 0, 0);
}

void block_signals() {}  // handlers have threads of their own

void wait_for_end() {
  while (true) Sleep(INFINITE);
}

void end_now(const PathCharacter* unfinished, std::string_view message, int exit_code) {
  if (unfinished != nullptr && !DeleteFileW(unfinished)) {
    // It is open here for writing: it goes when the process ends, which closes it.
    const HANDLE file =
        CreateFileW(unfinished, DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                    OPEN_EXISTING, FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    static_cast<void>(file);
  }
  static_cast<void>(write_all(kStderr, message));
  TerminateProcess(GetCurrentProcess(), static_cast<UINT>(exit_code));
  wait_for_end();
}

// Others may rename or delete the file meanwhile, as on other systems; end_now() does.
File::File(const std::filesystem::path& path, Use use) : number_(-1) {
  const DWORD access = use == Use::read ? GENERIC_READ : GENERIC_WRITE;
  const DWORD creation = use == Use::read     ? OPEN_EXISTING
                         : use == Use::create ? CREATE_NEW
                                              : TRUNCATE_EXISTING;
  HANDLE file = CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                            nullptr, creation, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE && use == Use::overwrite)  // devices cannot be cut
    file = CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING,
                       FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    errno = error_number(GetLastError());
    return;
  }
  number_ = _open_osfhandle(reinterpret_cast<std::intptr_t>(file), flags_of(use) | _O_BINARY);
  if (number_ < 0) CloseHandle(file);
}
File::~File() { static_cast<void>(close()); }
int File::close() {
  const int number = std::exchange(number_, -1);
  return number < 0 || _close(number) == 0 ? 0 : errno;
}

std::ptrdiff_t read_some(int file, std::byte* bytes, std::size_t size) {
  const int part = _read(file, bytes, static_cast<unsigned>(std::min<std::size_t>(size, kMostOfWrite)));
  return part < 0 ? -errno : part;
}

int write_all(int file, std::string_view bytes) {
  if (is_terminal(file)) return write_console(handle_of(file), bytes);
  while (!bytes.empty()) {
    const int written =
        _write(file, bytes.data(), static_cast<unsigned>(std::min<std::size_t>(bytes.size(), kMostOfWrite)));
    if (written < 0)
      return errno == EINVAL ? EPIPE : errno;  // so the C library says that nobody reads the pipe
    if (written == 0) return ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

bool is_terminal(int file) {
  DWORD mode = 0;
  return GetConsoleMode(handle_of(file), &mode) != 0;
}

Existing existing(const std::filesystem::path& path) {
  const HANDLE file =
      CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                  nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    // A name that is there, but not for us.
    const DWORD attributes = GetFileAttributesW(path.c_str());
    if (attributes == INVALID_FILE_ATTRIBUTES) return {};
    return {true, (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0};
  }
  BY_HANDLE_FILE_INFORMATION information{};
  const bool regular = GetFileType(file) == FILE_TYPE_DISK &&
                       GetFileInformationByHandle(file, &information) &&
                       (information.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
  CloseHandle(file);
  return {true, regular};
}
int check_writable(const std::filesystem::path& path) { return _waccess(path.c_str(), 2) == 0 ? 0 : errno; }
int set_permissions(int, unsigned) { return 0; }
int rename_over(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING)) return 0;
  return error_number(GetLastError());
}

}  // namespace warpjit::tool::system
