// The C interface (warpjit.h) on top of the C++ one: handles, structs by their versions, errors as text.
#include "warpjit/warpjit.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>

#include "base/result.h"
#include "warpjit/pica200.hpp"
#include "warpjit/warpjit.hpp"

// What the opaque handles are.
struct warpjit_engine {
  warpjit_log_function log;
  void* log_context;
  warpjit::Engine engine;
  warpjit::EngineInfo info;
  warpjit_engine(const warpjit::EngineOptions& options, warpjit_log_function log, void* log_context)
      : log(log), log_context(log_context), engine(with_log(options)), info(engine.info()) {}

 private:
  warpjit::EngineOptions with_log(warpjit::EngineOptions options) {
    if (log == nullptr) return options;
    options.log = [](void* context, warpjit::LogLevel level, const char* message) {
      const auto* self = static_cast<const warpjit_engine*>(context);
      self->log(self->log_context, static_cast<std::int32_t>(level), message);
    };
    options.log_context = this;
    return options;
  }
};
struct warpjit_program {
  warpjit::Program program;
};
struct warpjit_launch {
  warpjit::Launch launch;
};
struct warpjit_compilation {
  warpjit::Compilation compilation;
};

namespace warpjit {
namespace {

// ---- The same numbers on both sides --------------------------------------------------------------------

constexpr warpjit_status status_of(ErrorCode code) { return static_cast<warpjit_status>(code) + 1; }
static_assert(status_of(ErrorCode::bad_input) == WARPJIT_BAD_INPUT);
static_assert(status_of(ErrorCode::internal) == WARPJIT_INTERNAL);

template <class Enum>
constexpr bool same(Enum value, int number) {
  return static_cast<int>(value) == number;
}
static_assert(same(EngineKind::jit, WARPJIT_JIT) && same(EngineKind::guest, WARPJIT_GUEST));
static_assert(same(Target::automatic, WARPJIT_TARGET_AUTOMATIC) && same(Target::a64, WARPJIT_TARGET_A64));
static_assert(same(CodeMemory::automatic, WARPJIT_CODE_MEMORY_AUTOMATIC) &&
              same(CodeMemory::none, WARPJIT_CODE_MEMORY_NONE));
static_assert(same(LogLevel::debug, WARPJIT_LOG_DEBUG) && same(LogLevel::warning, WARPJIT_LOG_WARNING));
static_assert(same(ComponentType::f32, WARPJIT_F32) && same(ComponentType::snorm16, WARPJIT_SNORM16) &&
              same(ComponentType::s32, WARPJIT_S32));
static_assert(same(Isa::pica200, WARPJIT_ISA_PICA200));
static_assert(same(Stage::vertex, WARPJIT_STAGE_VERTEX - 1) &&
              same(Stage::geometry, WARPJIT_STAGE_GEOMETRY - 1));

Error bad(std::string message, std::string where = {}) {
  return {ErrorCode::bad_input, std::move(message), std::move(where)};
}

// The enumerator of a number from outside; `last` is the largest there is.
template <class Enum>
Result<Enum> enumerator(std::int64_t number, Enum last, const char* what) {
  if (number >= 0 && number <= static_cast<std::int64_t>(last)) return static_cast<Enum>(number);
  return bad("there is no such value: " + std::to_string(number), what);
}

Status check_flags(std::uint32_t flags, std::uint32_t known) {
  if ((flags & ~known) == 0) return {};
  return Error{ErrorCode::unsupported, "this library does not know all of the flags", "flags"};
}

// ---- Pointers and structs from outside -----------------------------------------------------------------

Status given(const void* pointer, const char* what) {
  return pointer != nullptr ? Status() : bad("this is NULL", what);
}

// Of the first version of a struct; one that grows gets a constant of its own here.
template <class Struct>
constexpr std::size_t kFirstSize = sizeof(Struct);
constexpr std::size_t kLargestStruct = 4096;  // no version will be larger: `size` was not set

Status check_size(std::size_t size, std::size_t least, const char* what) {
  if (size >= least && size <= kLargestStruct) return {};
  return bad("the struct's size is " + std::to_string(size) + ", not " + std::to_string(least) + " or more",
             what);
}

// The caller's struct as this version has it; all 0 for NULL.
template <class Struct>
Result<Struct> read(const Struct* from, const char* what) {
  Struct result{};
  if (from == nullptr) return result;
  WARPJIT_CHECK(check_size(from->size, kFirstSize<Struct>, what));
  std::memcpy(&result, from, std::min(from->size, sizeof result));
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  for (std::size_t n = sizeof result; n < from->size; ++n)
    if (bytes[n] != 0)
      return Error{ErrorCode::unsupported, "a member is set that this library does not know", what};
  return result;
}

// Fills the caller's struct as far as it goes.
template <class Struct>
void write(Struct from, Struct* to) {
  if (to == nullptr) return;
  from.size = to->size;
  std::memcpy(to, &from, std::min(to->size, sizeof from));
}
// To be asked before the work whose result is written.
template <class Struct>
Status check_room(const Struct* to, const char* what) {
  return to == nullptr ? Status() : check_size(to->size, kFirstSize<Struct>, what);
}

template <class T>
Result<std::span<const T>> array(const T* data, std::size_t count, const char* what) {
  if (count != 0) WARPJIT_CHECK(given(data, what));
  return std::span<const T>(data, count);
}

// ---- Errors --------------------------------------------------------------------------------------------

template <std::size_t N>
void copy_text(const std::string& from, char (&to)[N]) {
  std::size_t length = std::min(from.size(), N - 1);
  // Not in the middle of a character.
  while (length < from.size() && length != 0 && (from[length] & 0xC0) == 0x80) --length;
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

warpjit_status report_error(warpjit_status status, const Error& error, warpjit_error* to) {
  if (to == nullptr || !check_room(to, "error")) return status;
  warpjit_error text{};
  text.status = status;
  copy_text(error.where, text.where);
  copy_text(error.message, text.message);
  write(text, to);
  return status;
}

// Runs a call's body, a function that gives a Status, and turns what it gives into what C gets.
template <class Body>
warpjit_status call(warpjit_error* error, Body body) noexcept {
  try {
    const Status status = body();
    if (!status) return report_error(status_of(status.error().code), status.error(), error);
    return report_error(WARPJIT_OK, {}, error);
  } catch (const std::bad_alloc&) {
    // Without a message: that could fail, too.
    return report_error(WARPJIT_RESOURCE_LIMIT, {}, error);
  } catch (const std::exception&) {
    return report_error(WARPJIT_INTERNAL, {}, error);
  }
}

// ---- Options and reports -------------------------------------------------------------------------------

class EmbeddersExecutor final : public Executor {
 public:
  EmbeddersExecutor(warpjit_parallel_for function, void* context, unsigned concurrency)
      : function_(function), context_(context), concurrency_(std::max(1u, concurrency)) {}
  unsigned concurrency() const override { return concurrency_; }
  void parallel_for(std::size_t count, void (*body)(void*, std::size_t), void* context) override {
    function_(context_, count, body, context);
  }

 private:
  warpjit_parallel_for function_;
  void* context_;
  unsigned concurrency_;
};

Result<RunOptions> run_options(const warpjit_run_options* from) {
  WARPJIT_TRY(const warpjit_run_options given, read(from, "options"));
  WARPJIT_CHECK(check_flags(given.flags, WARPJIT_RUN_BACKGROUND | WARPJIT_RUN_GENERIC));
  RunOptions options;
  WARPJIT_TRY(options.engine, enumerator(given.engine, EngineKind::guest, "engine"));
  WARPJIT_TRY(options.target, enumerator(given.target, Target::a64, "target"));
  options.threads = given.threads;
  if (given.fuel != 0) options.fuel = given.fuel;
  options.background = (given.flags & WARPJIT_RUN_BACKGROUND) != 0;
  options.generic = (given.flags & WARPJIT_RUN_GENERIC) != 0;
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  options.cancel = reinterpret_cast<const std::atomic<std::uint32_t>*>(given.cancel);
  return options;
}

warpjit_report to_c(const CompileReport& report) {
  warpjit_report result{};
  result.engine = static_cast<std::int32_t>(report.engine);
  result.target = static_cast<std::int32_t>(report.target);
  result.lanes = report.lanes;
  result.threads = 1;
  result.cache_hit = report.cache_hit;
  result.generic = report.generic;
  result.code_bytes = report.code_bytes;
  result.compile_ns = report.translate_ns + report.passes_ns + report.backend_ns + report.place_ns;
  return result;
}
warpjit_report to_c(const Report& report) {
  warpjit_report result = to_c(static_cast<const CompileReport&>(report));
  result.threads = report.threads;
  result.run_ns = report.run_ns;
  result.interpreted = report.interpreted;
  return result;
}

Result<Location> location(const warpjit_location* from) {
  WARPJIT_CHECK(given(from, "location"));
  Location result;
  WARPJIT_TRY(result.kind, enumerator(from->kind, LocationKind::uniform, "location"));
  if (from->first > 0xFFFF || from->count > 0xFFFF || from->components > 0xFFFF)
    return bad("no program gave this", "location");
  result.first = static_cast<std::uint16_t>(from->first);
  result.count = static_cast<std::uint16_t>(from->count);
  result.components = static_cast<std::uint16_t>(from->components);
  result.word = from->word;
  return result;
}

Result<Format> format(std::int32_t type, std::uint32_t components) {
  Format result;
  WARPJIT_TRY(result.type, enumerator(type, ComponentType::s32, "type"));
  if (components < 1 || components > 4) return bad("rows have 1 to 4 components", "components");
  result.components = static_cast<std::uint8_t>(components);
  return result;
}

// A setter of `count` values of one register file.
template <class T>
warpjit_status set(warpjit_launch* launch, const warpjit_location* at, const T* values, std::size_t count,
                   warpjit_error* error, Status (Launch::*setter)(const Location&, std::span<const T>)) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(launch, "launch"));
    WARPJIT_TRY(const Location place, location(at));
    WARPJIT_TRY(const std::span<const T> words, array(values, count, "values"));
    return (launch->launch.*setter)(place, words);
  });
}

std::span<const Symbol> symbols(const warpjit_program* program, std::int32_t kind) {
  if (program == nullptr) return {};
  switch (kind) {
    case WARPJIT_INPUT:
      return program->program.inputs();
    case WARPJIT_OUTPUT:
      return program->program.outputs();
    case WARPJIT_UNIFORM:
      return program->program.uniforms();
    default:
      return {};
  }
}

}  // namespace
}  // namespace warpjit

using namespace warpjit;

// ---- Versions and errors -------------------------------------------------------------------------------

uint32_t warpjit_abi_version() { return WARPJIT_ABI_VERSION; }

void warpjit_version(uint32_t* major, uint32_t* minor, uint32_t* patch) {
  const Version v = version();
  if (major != nullptr) *major = v.major;
  if (minor != nullptr) *minor = v.minor;
  if (patch != nullptr) *patch = v.patch;
}

const char* warpjit_status_name(warpjit_status status) {
  if (status == WARPJIT_OK) return "ok";
  if (status == WARPJIT_PENDING) return "pending";
  if (status < WARPJIT_OK || status > status_of(ErrorCode::internal)) return "?";
  return name(static_cast<ErrorCode>(status - 1));
}

// ---- Engines -------------------------------------------------------------------------------------------

warpjit_status warpjit_engine_create(const warpjit_engine_options* options, warpjit_engine** engine,
                                     warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(engine, "engine"));
    WARPJIT_TRY(const warpjit_engine_options wanted, read(options, "options"));
    WARPJIT_CHECK(check_flags(
        wanted.flags, WARPJIT_ENGINE_PERF_MAP | WARPJIT_ENGINE_CHECKS | WARPJIT_ENGINE_NO_BACKGROUND));
    EngineOptions made;
    WARPJIT_TRY(made.code_memory, enumerator(wanted.code_memory, CodeMemory::none, "code_memory"));
    made.perf_map = (wanted.flags & WARPJIT_ENGINE_PERF_MAP) != 0;
    made.checks = (wanted.flags & WARPJIT_ENGINE_CHECKS) != 0;
    if (wanted.cache_bytes != 0) made.cache_bytes = wanted.cache_bytes;
    if (wanted.compile_threads != 0) made.compile_threads = wanted.compile_threads;
    if ((wanted.flags & WARPJIT_ENGINE_NO_BACKGROUND) != 0) made.compile_threads = 0;
    if (wanted.compile_queue != 0) made.compile_queue = wanted.compile_queue;
    if (wanted.parallel_for != nullptr)
      made.executor = std::make_shared<EmbeddersExecutor>(wanted.parallel_for, wanted.parallel_for_context,
                                                          wanted.concurrency);
    else if (wanted.threads != 0)
      made.executor = make_thread_pool(wanted.threads);
    *engine = new warpjit_engine(made, wanted.log, wanted.log_context);
    return {};
  });
}

void warpjit_engine_destroy(warpjit_engine* engine) { delete engine; }

warpjit_status warpjit_engine_get_info(const warpjit_engine* engine, warpjit_engine_info* info,
                                       warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(engine, "engine"));
    WARPJIT_CHECK(given(info, "info"));
    WARPJIT_CHECK(check_room(info, "info"));
    const EngineInfo& known = engine->info;
    warpjit_engine_info result{};
    result.jit = known.jit;
    result.target = static_cast<std::int32_t>(known.best);
    for (const Target target : known.targets) result.targets |= 1u << static_cast<unsigned>(target);
    result.code_memory = static_cast<std::int32_t>(known.code_memory);
    result.concurrency = known.concurrency;
    result.no_jit_reason = known.no_jit_reason.c_str();
    write(result, info);
    return {};
  });
}

warpjit_status warpjit_engine_get_statistics(const warpjit_engine* engine, warpjit_statistics* statistics,
                                             warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(engine, "engine"));
    WARPJIT_CHECK(given(statistics, "statistics"));
    WARPJIT_CHECK(check_room(statistics, "statistics"));
    const EngineStatistics known = engine->engine.statistics();
    warpjit_statistics result{};
    result.hits = known.hits;
    result.misses = known.misses;
    result.compiles = known.compiles;
    result.failures = known.failures;
    result.evictions = known.evictions;
    result.kernels = known.kernels;
    result.bytes = known.bytes;
    result.capacity = known.capacity;
    result.compile_ns = known.compile_ns;
    result.background_compiles = known.background_compiles;
    result.interpreted_runs = known.interpreted_runs;
    result.waiting = known.waiting;
    result.compiling = known.compiling;
    write(result, statistics);
    return {};
  });
}

warpjit_status warpjit_engine_clear_cache(warpjit_engine* engine) {
  return call(nullptr, [&]() -> Status {
    WARPJIT_CHECK(given(engine, "engine"));
    engine->engine.clear_cache();
    return {};
  });
}

// ---- Programs ------------------------------------------------------------------------------------------

warpjit_status warpjit_program_from_shbin(const void* bytes, size_t byte_count,
                                          const warpjit_program_choice* choice, warpjit_program** program,
                                          warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(program, "program"));
    WARPJIT_TRY(const std::span<const std::byte> data,
                array(static_cast<const std::byte*>(bytes), byte_count, "bytes"));
    WARPJIT_TRY(const warpjit_program_choice wanted, read(choice, "choice"));
    WARPJIT_CHECK(check_flags(wanted.flags, WARPJIT_PROGRAM_F24));
    Selection made;
    if (wanted.entry != nullptr) made.entry = wanted.entry;
    if (wanted.source_name != nullptr) made.source_name = wanted.source_name;
    if (wanted.position != 0) made.index = wanted.position - 1;
    if (wanted.stage != WARPJIT_STAGE_ANY) {
      WARPJIT_TRY(made.stage, enumerator(std::int64_t{wanted.stage} - 1, Stage::geometry, "stage"));
    }
    const pica200::Modes modes{.f24 = (wanted.flags & WARPJIT_PROGRAM_F24) != 0};
    WARPJIT_TRY(Program read, pica200::load_shbin(data, made, modes));
    *program = new warpjit_program{std::move(read)};
    return {};
  });
}

warpjit_status warpjit_program_from_words(const warpjit_program_words* words, warpjit_program** program,
                                          warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(words, "words"));
    WARPJIT_CHECK(given(program, "program"));
    WARPJIT_TRY(const warpjit_program_words wanted, read(words, "words"));
    WARPJIT_CHECK(check_flags(wanted.flags, WARPJIT_PROGRAM_F24));
    WARPJIT_CHECK(enumerator(wanted.isa, Isa::pica200, "isa"));
    pica200::RawProgram raw;
    WARPJIT_TRY(raw.code, array(wanted.code, wanted.code_count, "code"));
    WARPJIT_TRY(raw.descriptors, array(wanted.descriptors, wanted.descriptor_count, "descriptors"));
    raw.entry = wanted.entry;
    if (wanted.source_name != nullptr) raw.source_name = wanted.source_name;
    WARPJIT_TRY(Program made, pica200::load_words(raw, {.f24 = (wanted.flags & WARPJIT_PROGRAM_F24) != 0}));
    *program = new warpjit_program{std::move(made)};
    return {};
  });
}

void warpjit_program_destroy(warpjit_program* program) { delete program; }

warpjit_status warpjit_program_find(const warpjit_program* program, int32_t kind, const char* name,
                                    warpjit_location* location, warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(program, "program"));
    WARPJIT_CHECK(given(name, "name"));
    WARPJIT_CHECK(given(location, "location"));
    using Find = Result<Location> (Program::*)(std::string_view) const;
    constexpr Find kFind[] = {&Program::input, &Program::output, &Program::uniform, &Program::state};
    if (kind < 0 || kind >= static_cast<std::int32_t>(std::size(kFind)))
      return bad("there is no such value: " + std::to_string(kind), "kind");
    WARPJIT_TRY(const Location found, (program->program.*kFind[kind])(name));
    *location = {static_cast<std::uint32_t>(found.kind), found.first, found.count, found.components,
                 found.word};
    return {};
  });
}

size_t warpjit_program_symbol_count(const warpjit_program* program, int32_t kind) {
  return symbols(program, kind).size();
}

warpjit_status warpjit_program_get_symbol(const warpjit_program* program, int32_t kind, size_t index,
                                          warpjit_symbol* symbol, warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(program, "program"));
    WARPJIT_CHECK(given(symbol, "symbol"));
    WARPJIT_CHECK(check_room(symbol, "symbol"));
    const std::span<const Symbol> list = symbols(program, kind);
    if (index >= list.size()) return bad("there are " + std::to_string(list.size()), "index");
    warpjit_symbol result{};
    result.name = list[index].name.c_str();
    result.reg = list[index].reg.c_str();
    result.count = list[index].count;
    write(result, symbol);
    return {};
  });
}

// ---- Launches ------------------------------------------------------------------------------------------

warpjit_status warpjit_launch_create(const warpjit_program* program, warpjit_launch** launch,
                                     warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(program, "program"));
    WARPJIT_CHECK(given(launch, "launch"));
    *launch = new warpjit_launch{Launch(program->program)};
    return {};
  });
}

warpjit_status warpjit_launch_copy(const warpjit_launch* launch, warpjit_launch** copy,
                                   warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(launch, "launch"));
    WARPJIT_CHECK(given(copy, "copy"));
    *copy = new warpjit_launch{Launch(launch->launch)};
    return {};
  });
}

void warpjit_launch_destroy(warpjit_launch* launch) { delete launch; }

warpjit_status warpjit_launch_set_floats(warpjit_launch* launch, const warpjit_location* location,
                                         const float* values, size_t count, warpjit_error* error) {
  return set(launch, location, values, count, error, &Launch::set_uniform);
}
warpjit_status warpjit_launch_set_bits(warpjit_launch* launch, const warpjit_location* location,
                                       const uint32_t* words, size_t count, warpjit_error* error) {
  return set(launch, location, words, count, error, &Launch::set_bits);
}
warpjit_status warpjit_launch_set_integers(warpjit_launch* launch, const warpjit_location* location,
                                           const uint32_t* values, size_t count, warpjit_error* error) {
  return set(launch, location, values, count, error, &Launch::set_int);
}
warpjit_status warpjit_launch_set_state(warpjit_launch* launch, const warpjit_location* location,
                                        const uint32_t* words, size_t count, warpjit_error* error) {
  return set(launch, location, words, count, error, &Launch::set_state);
}
warpjit_status warpjit_launch_set_bool(warpjit_launch* launch, const warpjit_location* at, uint32_t value,
                                       warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(launch, "launch"));
    WARPJIT_TRY(const Location place, location(at));
    return launch->launch.set_bool(place, value != 0);
  });
}

warpjit_status warpjit_launch_bind_input(warpjit_launch* launch, const warpjit_location* at,
                                         const warpjit_attribute* attribute, warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(launch, "launch"));
    WARPJIT_TRY(const Location place, location(at));
    WARPJIT_CHECK(given(attribute, "attribute"));
    WARPJIT_TRY(const warpjit_attribute rows, read(attribute, "attribute"));
    WARPJIT_TRY(const Format format, format(rows.type, rows.components));
    return launch->launch.bind_input(place, {rows.data, rows.byte_count, rows.stride, format});
  });
}
warpjit_status warpjit_launch_bind_output(warpjit_launch* launch, const warpjit_location* at,
                                          const warpjit_output* output, warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(launch, "launch"));
    WARPJIT_TRY(const Location place, location(at));
    WARPJIT_CHECK(given(output, "output"));
    WARPJIT_TRY(const warpjit_output rows, read(output, "output"));
    WARPJIT_TRY(const Format format, format(rows.type, rows.components));
    return launch->launch.bind_output(place, {rows.data, rows.byte_count, rows.stride, format});
  });
}

namespace {
// A call on a launch that cannot fail.
template <class Body>
warpjit_status on(warpjit_launch* launch, Body body) {
  if (launch == nullptr) return WARPJIT_BAD_INPUT;
  body(launch->launch);
  return WARPJIT_OK;
}
}  // namespace

warpjit_status warpjit_launch_unbind_inputs(warpjit_launch* launch) {
  return on(launch, [](Launch& it) { it.unbind_inputs(); });
}
warpjit_status warpjit_launch_unbind_outputs(warpjit_launch* launch) {
  return on(launch, [](Launch& it) { it.unbind_outputs(); });
}
warpjit_status warpjit_launch_set_count(warpjit_launch* launch, uint64_t count) {
  return on(launch, [&](Launch& it) { it.set_count(count); });
}
warpjit_status warpjit_launch_set_fuel(warpjit_launch* launch, uint64_t fuel) {
  return on(launch, [&](Launch& it) { it.set_fuel(fuel); });
}
warpjit_status warpjit_launch_set_allow_overlap(warpjit_launch* launch, uint32_t allow) {
  return on(launch, [&](Launch& it) { it.set_allow_overlap(allow != 0); });
}

// ---- Runs ----------------------------------------------------------------------------------------------

void warpjit_store(uint32_t* word, uint32_t value) {
  if (word != nullptr) std::atomic_ref<uint32_t>(*word).store(value, std::memory_order_release);
}

warpjit_status warpjit_engine_run(warpjit_engine* engine, const warpjit_launch* launch,
                                  const warpjit_run_options* options, warpjit_report* report,
                                  warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(engine, "engine"));
    WARPJIT_CHECK(given(launch, "launch"));
    WARPJIT_CHECK(check_room(report, "report"));
    WARPJIT_TRY(const RunOptions run, run_options(options));
    WARPJIT_TRY(const Report done, engine->engine.run(launch->launch, run));
    write(to_c(done), report);
    return {};
  });
}

warpjit_status warpjit_engine_compile(warpjit_engine* engine, const warpjit_launch* launch,
                                      const warpjit_run_options* options, warpjit_report* report,
                                      warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(engine, "engine"));
    WARPJIT_CHECK(given(launch, "launch"));
    WARPJIT_CHECK(check_room(report, "report"));
    WARPJIT_TRY(const RunOptions run, run_options(options));
    WARPJIT_TRY(const CompileReport done, engine->engine.compile(launch->launch, run));
    write(to_c(done), report);
    return {};
  });
}

warpjit_status warpjit_engine_warm(warpjit_engine* engine, const warpjit_launch* launch,
                                   const warpjit_run_options* options, warpjit_compilation** compilation,
                                   warpjit_error* error) {
  return call(error, [&]() -> Status {
    WARPJIT_CHECK(given(engine, "engine"));
    WARPJIT_CHECK(given(launch, "launch"));
    WARPJIT_TRY(const RunOptions run, run_options(options));
    WARPJIT_TRY(Compilation begun, engine->engine.warm(launch->launch, run));
    if (compilation != nullptr) *compilation = new warpjit_compilation{std::move(begun)};
    return {};
  });
}

warpjit_status warpjit_engine_wait_for_compilations(warpjit_engine* engine) {
  return call(nullptr, [&]() -> Status {
    WARPJIT_CHECK(given(engine, "engine"));
    engine->engine.wait_for_compilations();
    return {};
  });
}
warpjit_status warpjit_engine_cancel_compilations(warpjit_engine* engine) {
  return call(nullptr, [&]() -> Status {
    WARPJIT_CHECK(given(engine, "engine"));
    engine->engine.cancel_compilations();
    return {};
  });
}

warpjit_status warpjit_compilation_wait(const warpjit_compilation* compilation, uint64_t nanoseconds,
                                        warpjit_report* report, warpjit_error* error) {
  bool pending = false;
  const warpjit_status status = call(error, [&]() -> Status {
    WARPJIT_CHECK(given(compilation, "compilation"));
    WARPJIT_CHECK(check_room(report, "report"));
    pending = nanoseconds != WARPJIT_FOREVER && !compilation->compilation.wait_for(nanoseconds);
    if (pending) return {};
    WARPJIT_TRY(const CompileReport done, compilation->compilation.wait());
    write(to_c(done), report);
    return {};
  });
  return pending ? report_error(WARPJIT_PENDING, {}, error) : status;
}
int warpjit_compilation_cancel(warpjit_compilation* compilation) {
  return compilation != nullptr && compilation->compilation.cancel() ? 1 : 0;
}
void warpjit_compilation_destroy(warpjit_compilation* compilation) { delete compilation; }
