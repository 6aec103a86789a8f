// Containers of CUDA kernels for this ISA, docs/guests/tesla.md 14: text cubins of CUDA 1 and 2, ELF
// cubins of later versions. Both readers take hostile bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "frontend/tesla/container/program.h"

namespace warpjit::tesla {

inline constexpr std::size_t kMaxKernels = 1024;  // in a container
// Every kernel has a copy of its module's constants; all of them together, in words.
inline constexpr std::size_t kMaxCopiedConstants = std::size_t{1} << 22;

// True if this begins as a cubin of either kind, whole or not. ELF files for other machines are no cubins.
bool is_cubin(std::span<const std::byte> bytes);

// Reads either kind, recognized by its first bytes.
// Every kernel is within the limits of program.h and has code.
Result<Container> read_cubin(std::span<const std::byte> bytes, const std::string& file_name);

// Text. Unused blocks and keys (samplers, relocations) are skipped. Not of any driver: `type = fragment`
// (vertex, geometry) with the fields of graphics_fields.h after it.
// An error's `where` is "file:line:column".
Result<Container> read_text_cubin(std::string_view text, const std::string& file_name);

// A text cubin that reads back as the same kernels. Names are those that a container or the assembler takes.
std::string write_text_cubin(const Container& container);

// ELF, 32 or 64 bits. The format of sm_1x files is only partly known: registers come from the section's
// sh_info, the size of shared memory is that of .nv.shared, .nv.info is skipped. An error names the file, the
// byte offset and the field.
Result<Container> read_elf_cubin(std::span<const std::byte> bytes, const std::string& file_name);

}  // namespace warpjit::tesla
