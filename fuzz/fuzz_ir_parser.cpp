// Any text as IR; what parses prints and parses to the same.
#include "ir/parser.h"
#include "ir/printer.h"
#include "target.h"

int warpjit::fuzz::fuzz_ir_parser(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  const auto function = ir::parse(fuzz::text(data, size));
  if (!function) {
    fuzz::require(!function.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  const std::string printed = ir::print(*function);
  const auto again = ir::parse(printed);
  fuzz::require(again.ok(), "what is printed can be parsed");
  fuzz::require(ir::print(*again) == printed, "and prints the same");
  return 0;
}
