#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace gloss {

/// Calls work(begin, end) for pieces of at most `piece` items that together cover 0 … count-1, on up to `threads`
/// threads, the calling one among them. Which thread gets which piece is open: a result must not depend on it.
/// An exception of a piece is thrown again once all threads have ended.
void in_parallel(size_t count, size_t piece, int64_t threads,
                 const std::function<void(size_t begin, size_t end)>& work);

}  // namespace gloss
