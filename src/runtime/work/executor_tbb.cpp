// The default executor of builds with oneTBB.
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "warpjit/warpjit.hpp"

namespace warpjit {
namespace {

class TbbExecutor final : public Executor {
 public:
  unsigned concurrency() const override {
    return static_cast<unsigned>(std::max(1, tbb::this_task_arena::max_concurrency()));
  }
  void parallel_for(std::size_t count, void (*body)(void* context, std::size_t index),
                    void* context) override {
    // Isolated, so that a thread that waits here does not pick up other work of the embedder.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          std::size_t{0}, count, [=](std::size_t index) { body(context, index); }, tbb::simple_partitioner());
    });
  }
};

}  // namespace

std::shared_ptr<Executor> make_default_executor() { return std::make_shared<TbbExecutor>(); }

}  // namespace warpjit
