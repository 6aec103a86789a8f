#include "unpack.h"

#ifdef WARPJIT_LZMA
#include <lzma.h>

#include <algorithm>
#include <array>
#endif

namespace warpjit::tool {

#ifdef WARPJIT_LZMA

Result<std::vector<std::byte>> unpack_xz(std::span<const std::byte> bytes, const std::string& name,
                                         std::uint64_t limit) {
  constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMostMemory, LZMA_CONCATENATED) != LZMA_OK)
    return Error{ErrorCode::resource_limit, "there is no memory to unpack it", name};
  struct End {
    lzma_stream& stream;
    ~End() { lzma_end(&stream); }
  } const end{stream};
  std::vector<std::byte> result;
  std::vector<std::uint8_t> part(std::size_t{1} << 16);
  stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  stream.avail_in = bytes.size();
  for (;;) {
    stream.next_out = part.data();
    stream.avail_out = part.size();
    const lzma_ret code = lzma_code(&stream, LZMA_FINISH);
    const std::size_t count = part.size() - stream.avail_out;
    if (count > limit - result.size())
      return Error{ErrorCode::resource_limit, "unpacks to more than " + std::to_string(limit) + " bytes",
                   name};
    const auto* from = reinterpret_cast<const std::byte*>(part.data());
    result.insert(result.end(), from, from + count);
    if (code == LZMA_STREAM_END) return result;
    if (code == LZMA_MEM_ERROR || code == LZMA_MEMLIMIT_ERROR)
      return Error{ErrorCode::resource_limit, "there is no memory to unpack it", name};
    if (code != LZMA_OK) return Error{ErrorCode::bad_input, "is no whole xz stream", name};
  }
}

#else

Result<std::vector<std::byte>> unpack_xz(std::span<const std::byte>, const std::string& name, std::uint64_t) {
  return Error{ErrorCode::unsupported,
               "this build has no liblzma: unpack the file, and leave .xz out of its name", name};
}

#endif

}  // namespace warpjit::tool
