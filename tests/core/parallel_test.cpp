#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "core/error.h"
#include "support/catch.h"

using namespace gloss;

TEST_CASE("pieces of work cover everything once", "[core][parallel][property]") {
  const auto [count, piece, threads] = GENERATE(table<size_t, size_t, int64_t>(
      {{0, 3, 4}, {1, 3, 4}, {10, 3, 1}, {10, 3, 2}, {1000, 7, 8}, {5, 100, 3}, {10, 1, 0}}));
  std::vector<std::atomic<int>> visits(count);
  in_parallel(count, piece, threads, [&, limit = piece](size_t begin, size_t end) {
    if (end - begin > limit) throw std::logic_error("piece too large");
    for (size_t i = begin; i < end; ++i) ++visits[i];
  });
  CHECK(std::all_of(visits.begin(), visits.end(), [](const auto& n) { return n == 1; }));
}

TEST_CASE("an exception in any thread reaches the caller", "[core][parallel][unit]") {
  CHECK_THROWS_AS(in_parallel(100, 1, 4,
                              [](size_t begin, size_t) {
                                if (begin == 57) throw DataError("57");
                              }),
                  DataError);
}
