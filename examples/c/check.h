/* What the examples share: the text of the last error, and the end of the program if a call fails. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <warpjit/warpjit.h>

static warpjit_error error = {.size = sizeof error};

static void check(warpjit_status status) {
  if (status == WARPJIT_OK) return;
  fprintf(stderr, "%s: %s: %s\n", warpjit_status_name(status), error.where, error.message);
  exit(1);
}

/* The number of elements of an array. */
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#endif
