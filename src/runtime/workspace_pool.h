// The memory that compilations of an engine use again and again, one workspace for each that runs at once.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/target.h"

namespace warpjit::runtime {

class WorkspacePool {
 public:
  // A workspace until the end of the lease's life. The pool must live longer.
  class Lease {
   public:
    Lease(WorkspacePool& pool, backend::Workspace workspace)
        : pool_(pool), workspace_(std::move(workspace)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      const std::lock_guard lock(pool_.mutex_);
      if (pool_.idle_.size() < kMostIdle) pool_.idle_.push_back(std::move(workspace_));
    }
    backend::Workspace& operator*() { return workspace_; }

   private:
    WorkspacePool& pool_;
    backend::Workspace workspace_;
  };

  Lease borrow() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return {*this, backend::Workspace()};
    backend::Workspace workspace = std::move(idle_.back());
    idle_.pop_back();
    return {*this, std::move(workspace)};
  }

 private:
  static constexpr std::size_t kMostIdle = 8;
  std::mutex mutex_;
  std::vector<backend::Workspace> idle_;
};

}  // namespace warpjit::runtime
