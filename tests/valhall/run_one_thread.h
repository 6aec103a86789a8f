// Memory instructions of one thread.
#pragma once

#include "valhall/run_program.h"

namespace warpjit::valhall {

// One thread; r2:r3 = u0:u1 is the address of memory, 64 bytes of it, and r8:r9 is that + u2.
struct OneThread {
  Finished finished;
  std::uint32_t word(std::size_t k) const { return finished.memory.at(k); }
  const ir::MemoryFault& fault() const {
    static const ir::MemoryFault kNone;
    return finished.report.first_fault ? finished.report.first_fault->access : kNone;
  }
};
inline std::vector<std::uint32_t> pattern(std::size_t words = 16) {
  std::vector<std::uint32_t> memory(words);
  for (std::size_t k = 0; k < 4 * words; ++k)
    memory[k / 4] |= static_cast<std::uint32_t>(0x80 + k) << k % 4 * 8;
  return memory;
}
inline OneThread run_one(const std::string& body, std::uint32_t offset = 0, GuestOptions options = {}) {
  options.uniforms.insert(options.uniforms.begin(), {offset, 0});
  if (options.memory.size() == 512) options.memory = pattern();
  OneThread one{
      run_source("MOV.i32 r2, u0\nMOV.i32 r3, u1\nMOV.i32 r10, u2\nMOV.i32 r11, u3\nIADD.u64 r8, r2, r10\n" +
                     body + "NOP.end\n",
                 options)};
  EXPECT_TRUE(one.finished.status.ok())
      << body << (one.finished.status ? "" : to_string(one.finished.status.error()));
  return one;
}

}  // namespace warpjit::valhall
