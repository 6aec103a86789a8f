// Bochs 2.7 refuses EVEX gathers and scatters whose index is zmm16 to zmm31 (EVEX.V' = 0): its decoder takes
// V' for an unused vvvv and raises #UD. Preloaded, this runs vpgatherdd, vgatherdps, vpscatterdd and
// vscatterdps on the registers in the signal's frame instead. Any other illegal instruction prints its bytes
// and ends the program with 132.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static const int kGreg[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static uint32_t* lane(uint8_t* x, unsigned r, unsigned i) {  // XSAVE, standard format
  if (r >= 16) return (uint32_t*)(x + 1664 + 64 * (r - 16)) + i;
  if (i < 4) return (uint32_t*)(x + 160 + 16 * r) + i;
  if (i < 8) return (uint32_t*)(x + 576 + 16 * r) + i - 4;
  return (uint32_t*)(x + 1152 + 32 * r) + i - 8;
}

static int run(ucontext_t* u) {
  const uint8_t* p = (const uint8_t*)u->uc_mcontext.gregs[REG_RIP];
  uint8_t op = p[4], modrm = p[5], sib = p[6];
  if (p[0] != 0x62 || (p[1] & 15) != 2 || (p[2] & 0x87) != 0x05 || (p[3] & 8) || (modrm & 7) != 4) return 0;
  if (op != 0x90 && op != 0x92 && op != 0xa0 && op != 0xa2) return 0;
  unsigned mod = modrm >> 6, n = 4u << (p[3] >> 5 & 3), k = p[3] & 7;
  if (mod == 3 || n > 16 || !k) return 0;
  unsigned reg = (modrm >> 3 & 7) | (p[1] & 0x80 ? 0 : 8) | (p[1] & 0x10 ? 0 : 16);
  unsigned index = (sib >> 3 & 7) | (p[1] & 0x40 ? 0 : 8) | 16, base = (sib & 7) | (p[1] & 0x20 ? 0 : 8);
  if (reg == index && op < 0xa0) return 0;
  int64_t at = 0;
  unsigned length = 7;
  if (mod == 1) at = 4 * (int8_t)p[7], length = 8;
  if (mod == 2 || (mod == 0 && (base & 7) == 5)) {
    int32_t d;
    memcpy(&d, p + 7, 4);
    at = d, length = 11;
  }
  if (mod != 0 || (base & 7) != 5) at += u->uc_mcontext.gregs[kGreg[base]];
  uint8_t* x = (uint8_t*)u->uc_mcontext.fpregs;
  static const struct {
    int bit, offset, size;
  } kParts[] = {{1, 160, 256}, {2, 576, 256}, {5, 1088, 64}, {6, 1152, 512}, {7, 1664, 1024}};
  uint64_t* present = (uint64_t*)(x + 512);
  for (int i = 0; i < 5; ++i)
    if (!(*present >> kParts[i].bit & 1)) memset(x + kParts[i].offset, 0, kParts[i].size);
  *present |= 0xe6;
  uint64_t* mask = (uint64_t*)(x + 1088) + k;
  for (unsigned i = 0; i < n; ++i) {
    if (!(*mask >> i & 1)) continue;
    void* address = (void*)(at + ((int64_t)(int32_t)*lane(x, index, i) << (sib >> 6)));
    if (op < 0xa0)
      memcpy(lane(x, reg, i), address, 4);
    else
      memcpy(address, lane(x, reg, i), 4);
  }
  if (op < 0xa0)
    for (unsigned i = n; i < 16; ++i) *lane(x, reg, i) = 0;
  *mask = 0;
  u->uc_mcontext.gregs[REG_RIP] += length;
  return 1;
}

static void handle(int number, siginfo_t* info, void* context) {
  if (run(context)) return;
  const uint8_t* p = (const uint8_t*)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
  char text[200];
  int n = snprintf(text, sizeof text, "ILLEGAL INSTRUCTION (signal %d) at %p:", number, (const void*)p);
  for (int i = 0; i < 12; ++i) n += snprintf(text + n, sizeof text - n, " %02x", p[i]);
  text[n++] = '\n';
  if (write(2, text, n) < 0) _exit(133);
  _exit(132);
}

__attribute__((constructor)) static void install(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, 0);
}
