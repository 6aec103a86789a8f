// The C interface: engines, their options and what they tell of themselves.
#include "runtime/api/c/boundary.h"

namespace warpjit::c_api {
namespace {

static_assert(same(CodeMemory::automatic, WARPJIT_CODE_MEMORY_AUTOMATIC) &&
              same(CodeMemory::none, WARPJIT_CODE_MEMORY_NONE));
static_assert(same(LogLevel::debug, WARPJIT_LOG_DEBUG) && same(LogLevel::warning, WARPJIT_LOG_WARNING));

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

// Calls a method that cannot fail.
template <class Method>
warpjit_status tell(warpjit_engine* engine, Method method) {
  return call(nullptr, {{engine, "engine"}}, [&] {
    (engine->engine.*method)();
    return Status();
  });
}

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;

warpjit_status warpjit_engine_create(const warpjit_engine_options* options, warpjit_engine** engine,
                                     warpjit_error* error) {
  return call(error, {{engine, "engine"}}, [&]() -> Status {
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
    if (wanted.boolean_variants != 0) made.boolean_variants = wanted.boolean_variants;
    if (wanted.parallel_for != nullptr)
      made.executor = std::make_shared<EmbeddersExecutor>(wanted.parallel_for, wanted.parallel_for_context,
                                                          wanted.concurrency);
    else if (wanted.threads != 0 && (made.executor = make_thread_pool(wanted.threads)) == nullptr)
      return no_memory();
    auto created = std::make_unique<warpjit_engine>(made, wanted.log, wanted.log_context);
    WARPJIT_CHECK(created->engine.status());
    *engine = created.release();
    return {};
  });
}

void warpjit_engine_destroy(warpjit_engine* engine) { delete engine; }

warpjit_status warpjit_engine_get_info(const warpjit_engine* engine, warpjit_engine_info* info,
                                       warpjit_error* error) {
  return fill(info, "info", error, {{engine, "engine"}}, [&] {
    const EngineInfo& known = engine->info;
    warpjit_engine_info result{};
    result.jit = known.jit;
    result.target = static_cast<std::int32_t>(known.best);
    for (const Target target : known.targets) result.targets |= 1u << static_cast<unsigned>(target);
    result.code_memory = static_cast<std::int32_t>(known.code_memory);
    result.concurrency = known.concurrency;
    result.no_jit_reason = known.no_jit_reason.c_str();
    return result;
  });
}

warpjit_status warpjit_engine_get_statistics(const warpjit_engine* engine, warpjit_statistics* statistics,
                                             warpjit_error* error) {
  return fill(statistics, "statistics", error, {{engine, "engine"}}, [&] {
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
    result.compile_ns = nanoseconds(known.compile_time);
    result.background_compiles = known.background_compiles;
    result.interpreted_runs = known.interpreted_runs;
    result.waiting = known.waiting;
    result.compiling = known.compiling;
    return result;
  });
}

warpjit_status warpjit_engine_find_guest_place(const warpjit_engine* engine, const void* host_address,
                                               warpjit_guest_place* place, warpjit_error* error) {
  return fill(place, "place", error, {{engine, "engine"}}, [&] {
    warpjit_guest_place result{};
    if (const auto found = engine->engine.find_guest_place(host_address)) {
      result.found = 1;
      result.guest_address = found->guest_address;
      copy_text(found->program, result.program);
    }
    return result;
  });
}

warpjit_status warpjit_engine_clear_cache(warpjit_engine* engine) {
  return tell(engine, &Engine::clear_cache);
}
warpjit_status warpjit_engine_wait_for_compilations(warpjit_engine* engine) {
  return tell(engine, &Engine::wait_for_compilations);
}
warpjit_status warpjit_engine_cancel_compilations(warpjit_engine* engine) {
  return tell(engine, &Engine::cancel_compilations);
}
