// A target of C++17 with the C interface, all of its headers.
#include <warpjit/pica200.h>
#include <warpjit/pixels.h>
#include <warpjit/tesla.h>
#include <warpjit/textures.h>
#include <warpjit/usse.h>
#include <warpjit/valhall.h>

#include <cstdio>
#include <string_view>

static_assert(__cplusplus == 201703L, "linking warpjit::c leaves the language as it is");

int main() {
  warpjit_engine* engine = nullptr;
  if (warpjit_engine_create(nullptr, &engine, nullptr) != WARPJIT_OK) return 1;
  warpjit_engine_info info{};
  info.size = sizeof info;
  const bool good = warpjit_engine_get_info(engine, &info, nullptr) == WARPJIT_OK;
  std::printf("C++17: target %s\n", warpjit_name(WARPJIT_NAMES_TARGET, info.target));
  warpjit_engine_destroy(engine);
  return good && std::string_view(warpjit_status_name(WARPJIT_OK)) == "ok" ? 0 : 1;
}
