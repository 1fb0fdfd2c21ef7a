#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gloss {

void in_parallel(size_t count, size_t piece, int64_t threads,
                 const std::function<void(size_t begin, size_t end)>& work) {
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto take_pieces = [&] {
    try {
      for (size_t begin = next.fetch_add(piece); begin < count; begin = next.fetch_add(piece))
        work(begin, std::min(begin + piece, count));
    } catch (...) {
      const std::scoped_lock guard(failure_lock);
      failure = std::current_exception();
      next = count;  // the others need not go on
    }
  };
  const size_t pieces = (count + piece - 1) / piece;
  const size_t wanted = std::min(pieces, static_cast<size_t>(std::max<int64_t>(threads, 1)));
  {
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < wanted; ++i) helpers.emplace_back(take_pieces);
    take_pieces();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace gloss
