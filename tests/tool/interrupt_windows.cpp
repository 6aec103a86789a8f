// For scripts/test-windows: starts a program on the console that it is on itself, presses Ctrl-C there after a while, and
// says how the program ended.
//   interrupt MILLISECONDS PROGRAM ARGUMENTS...
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// This program gets Ctrl-C, too. A handler of its own, unlike one that is null, is not inherited.
BOOL WINAPI ignore(DWORD) { return TRUE; }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::string command;
  for (int n = 2; n < argc; ++n) command += (n == 2 ? "\"" : " \"") + std::string(argv[n]) + "\"";
  SetConsoleCtrlHandler(ignore, TRUE);
  STARTUPINFOA startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION process{};
  if (!CreateProcessA(nullptr, command.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &startup,
                      &process))
    return 2;
  if (WaitForSingleObject(process.hProcess, static_cast<DWORD>(std::atoi(argv[1]))) == WAIT_OBJECT_0) {
    std::puts("ended by itself");
    return 1;
  }
  const ULONGLONG start = GetTickCount64();
  if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) {
    std::printf("no Ctrl-C: error %lu\n", GetLastError());
    return 1;
  }
  DWORD code = 0;
  const DWORD waited = WaitForSingleObject(process.hProcess, 10'000);
  GetExitCodeProcess(process.hProcess, &code);
  std::printf("exit code %lu within %llu ms\n", code, GetTickCount64() - start);
  return waited == WAIT_OBJECT_0 ? 0 : 1;
}
