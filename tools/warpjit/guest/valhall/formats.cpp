#include "guest/valhall/formats.h"

#include <fmt/core.h>

namespace warpjit::tool {

namespace {

// Bits 12 to 19 of a format with one component; with n they are 8 (n - 1) greater.
struct Family {
  std::string_view type;
  std::uint32_t code;
};
constexpr Family kFamilies[] = {{"8unorm", 163},  {"8snorm", 99},   {"8uint", 131},  {"8sint", 195},
                                {"16unorm", 164}, {"16snorm", 100}, {"16uint", 132}, {"16sint", 196},
                                {"16f", 199},     {"32uint", 133},  {"32sint", 197}, {"32f", 167}};
constexpr Family kTens[] = {{"unorm", 67}, {"snorm", 69}, {"uint", 71}, {"sint", 73}};
// Which component is which is bits 0 to 11.
struct Order {
  std::string_view letters;
  std::uint32_t code;
};
constexpr Order kOrders[] = {{"r", 0}, {"rg", 0}, {"rgb", 0}, {"rgba", 0}, {"bgra", 4}};
constexpr Order kTenOrders[] = {{"rgb10a2", 0}, {"bgr10a2", 4}};

// Calls `visit(name, number)` for each until it is true.
template <class Visit>
void each_format(const Visit& visit) {
  for (const Family& family : kFamilies)
    for (const Order& order : kOrders) {
      const auto more = static_cast<std::uint32_t>(order.letters.size() - 1);
      if (visit(std::string(order.letters) + std::string(family.type),
                (family.code + 8 * more) << 12 | order.code))
        return;
    }
  for (const Family& family : kTens)
    for (const Order& order : kTenOrders)
      if (visit(std::string(order.letters) + std::string(family.type), family.code << 12 | order.code))
        return;
}

}  // namespace

std::optional<std::uint32_t> find_valhall_format(std::string_view name) {
  std::optional<std::uint32_t> found;
  each_format([&](const std::string& known, std::uint32_t number) {
    if (known == name) found = number;
    return found.has_value();
  });
  return found;
}

std::string valhall_format_name(std::uint32_t format) {
  std::string found;
  each_format([&](const std::string& name, std::uint32_t number) {
    if (number == format) found = name;
    return !found.empty();
  });
  return found.empty() ? fmt::format("{:#x}", format) : found;
}

std::string valhall_format_names() {
  std::string names;
  each_format([&](const std::string& name, std::uint32_t) {
    names += (names.empty() ? "" : ", ") + name;
    return false;
  });
  return names;
}

}  // namespace warpjit::tool
