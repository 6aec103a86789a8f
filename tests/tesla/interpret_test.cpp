#include "tesla/interpret_test.h"

#include "tesla/translate_test.h"

namespace warpjit::tesla {

namespace {

// The bytes of all ranges of g[].
std::vector<std::byte> global_bytes(const Launch& launch) {
  std::vector<std::byte> bytes;
  for (const auto& ranges : launch.globals)
    for (const GlobalRange& range : ranges) bytes.insert(bytes.end(), range.bytes.begin(), range.bytes.end());
  return bytes;
}
void set_global_bytes(const Launch& launch, const std::vector<std::byte>& bytes) {
  auto from = bytes.begin();
  for (const auto& ranges : launch.globals)
    for (const GlobalRange& range : ranges) {
      std::copy_n(from, range.bytes.size(), range.bytes.begin());
      from += static_cast<std::ptrdiff_t>(range.bytes.size());
    }
}

// The same as IR on the memory as it was, unless only the interpreter can run it.
void check_ir(const Program& program, const Finished& finished, const GuestOptions& options,
              const std::vector<std::byte>& before) {
  if (!finished.status.ok() && finished.status.error().code == ErrorCode::bad_input) return;
  const std::vector<std::byte> wanted = global_bytes(options.launch);
  set_global_bytes(options.launch, before);
  const IrOutcome ir = run_ir(program, options.modes, options.launch, {.verify = true});
  const std::vector<std::byte> got = global_bytes(options.launch);
  set_global_bytes(options.launch, wanted);
  if (!ir.status.ok() && ir.status.error().code == ErrorCode::unsupported) return;
  ASSERT_EQ(ir.status.ok(), finished.status.ok()) << (ir.status.ok() ? "" : to_string(ir.status.error()));
  if (!ir.status.ok()) {
    EXPECT_EQ(ir.status.error().code, finished.status.error().code) << to_string(ir.status.error());
    return;
  }
  EXPECT_TRUE(got == wanted) << "the IR's results are different";
  EXPECT_EQ(ir.faulted, finished.report.first_fault.has_value());
}

}  // namespace

Finished run_source(const std::string& source, GuestOptions options) {
  Finished finished;
  const Program program = program_of(source);
  auto interpreter = Interpreter::prepare(program, options.modes, targets_of(program, options.launch));
  if (!interpreter) {
    finished.status = interpreter.error();
    return finished;
  }
  finished.g0 = std::move(options.g0);
  options.launch.globals[0] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(finished.g0))}};
  const std::vector<std::byte> before = global_bytes(options.launch);
  finished.status = interpreter->run(options.launch, finished.report);
  check_ir(program, finished, options, before);
  return finished;
}

Finished run_body(const std::string& body, GuestOptions options) {
  if (options.launch.block[0] == 1) options.launch.block[0] = kLanes;
  return run_source(kPrologue + body + kStoreR2, std::move(options));
}

}  // namespace warpjit::tesla
