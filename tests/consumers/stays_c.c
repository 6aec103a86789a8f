/* C alone: the library's version, and an engine. */
#include <stdio.h>
#include <warpjit/warpjit.h>

int main(void) {
  warpjit_engine* engine = NULL;
  uint32_t major = 0, minor = 0, patch = 0;
  warpjit_version(&major, &minor, &patch);
  if (warpjit_engine_create(NULL, &engine, NULL) != WARPJIT_OK) return 1;
  warpjit_engine_destroy(engine);
  printf("C: warpjit %u.%u.%u, headers %s\n", (unsigned)major, (unsigned)minor, (unsigned)patch,
         WARPJIT_VERSION_STRING);
  return major == WARPJIT_VERSION_MAJOR && minor == WARPJIT_VERSION_MINOR && patch == WARPJIT_VERSION_PATCH
             ? 0
             : 1;
}
