/* Files as a whole. */
#ifndef FILES_H
#define FILES_H

#include <stdio.h>
#include <stdlib.h>

/* To be freed. The program ends if it cannot be read. */
static void* read_file(const char* name, size_t* size) {
  FILE* file = fopen(name, "rb");
  void* bytes = NULL;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
    const long end = ftell(file);
    rewind(file);
    if (end > 0 && (bytes = malloc((size_t)end)) != NULL) *size = fread(bytes, 1, (size_t)end, file);
  }
  if (file != NULL) fclose(file);
  if (bytes == NULL) {
    fprintf(stderr, "%s: cannot be read\n", name);
    exit(1);
  }
  return bytes;
}

#endif
