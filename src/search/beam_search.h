#pragma once

#include <cstdint>
#include <vector>

#include "model/seq2seq.h"
#include "search/hypothesis.h"
#include "search/search_options.h"

namespace gloss {

/// Beam search over a batch (greedy search is beam 1). The rules of one sentence's beam stand in sentence_search.h;
/// here they are fed from the model. Sentences that are done leave the batch, so what a sentence gets does not depend
/// on the others.
///
/// \param model          in eval mode
/// \param memory         of the batch
/// \param output_limits  [batch] most pieces of each translation, end mark not counted
/// \return               for each sentence its n best, best first; at least one
std::vector<std::vector<Hypothesis>> beam_search(Seq2Seq& model, const Memory& memory,
                                                 const SearchOptions& options,
                                                 const std::vector<int64_t>& output_limits);

}  // namespace gloss
