#include "runtime/api/c/boundary.h"

#include <algorithm>

namespace warpjit::c_api {

Error bad(std::string message, std::string where) {
  return {ErrorCode::bad_input, std::move(message), std::move(where)};
}

Status check_flags(std::uint32_t flags, std::uint32_t known) {
  if ((flags & ~known) == 0) return {};
  return Error{ErrorCode::unsupported, "this library does not know all of the flags", "flags"};
}

Status given(const void* pointer, const char* what) {
  return pointer != nullptr ? Status() : bad("this is NULL", what);
}

Result<std::span<const std::byte>> bytes_at(const void* data, std::size_t count) {
  return array(static_cast<const std::byte*>(data), count, "bytes");
}

static_assert(same(ComponentType::f32, WARPJIT_F32) && same(ComponentType::snorm16, WARPJIT_SNORM16) &&
              same(ComponentType::s32, WARPJIT_S32));
Result<Format> format(std::int32_t type, std::uint32_t components) {
  Format result;
  WARPJIT_TRY(result.type, enumerator(type, ComponentType::s32, "type"));
  if (components < 1 || components > 4) return bad("rows have 1 to 4 components", "components");
  result.components = static_cast<std::uint8_t>(components);
  return result;
}

Status check_size(std::size_t size, std::size_t least, const char* what) {
  if (fits(size, least)) return {};
  return bad("the struct's size is " + std::to_string(size) + ", not " + std::to_string(least) + " or more",
             what);
}

void copy_text(std::string_view from, std::span<char> to) {
  std::size_t length = std::min(from.size(), to.size() - 1);
  while (length < from.size() && length != 0 && (from[length] & 0xC0) == 0x80) --length;
  std::copy_n(from.data(), length, to.data());
  to[length] = '\0';
}

warpjit_status report_error(warpjit_status status, const Error& error, warpjit_error* to) noexcept {
  if (to == nullptr || !fits(to->size, kFirstSize<warpjit_error>)) return status;
  warpjit_error text{};
  text.status = status;
  copy_text(error.where, text.where);
  copy_text(error.message, text.message);
  write(text, to);
  return status;
}

}  // namespace warpjit::c_api
