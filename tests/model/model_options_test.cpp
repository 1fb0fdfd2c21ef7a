#include "model/model_options.h"

#include "core/error.h"
#include "support/tiny_model.h"

using namespace gloss;

TEST_CASE("combinations that make no sense are refused with the reason", "[model][options][unit]") {
  auto options = tiny_options("bahdanau");
  SECTION("input feeding with bahdanau") {
    options.input_feeding = true;
    CHECK_THROWS_WITH(options.validate(), Catch::Contains("already feeds the context"));
  }
  SECTION("location with a local window") {
    options.attention_score = "location";
    options.attention_window = "local-p";
    CHECK_THROWS_WITH(options.validate(), Catch::Contains("position alone"));
  }
  SECTION("relu input with luong") {
    options.attention = "luong";
    options.decoder_input = "relu";
    CHECK_THROWS_WITH(options.validate(), Catch::Contains("only after it"));
  }
  SECTION("state readout, tied, of another width") {
    options.readout = "state";
    options.embedding_size = 3;
    CHECK_THROWS_WITH(options.validate(), Catch::Contains("tie-embeddings"));
  }
  SECTION("dot over a bidirectional encoder") {
    options.attention_score = "dot";
    options.bidirectional = true;
    CHECK_THROWS_AS(make_model(options, {.source = 9, .target = 9, .shared = false}), UsageError);
  }
}

TEST_CASE("resolved options name what the attention stands for", "[model][options][unit]") {
  const auto bahdanau = tiny_options("bahdanau").resolved(), luong = tiny_options("luong").resolved();
  CHECK(bahdanau.attention_score == "additive");
  CHECK(bahdanau.readout == "maxout");
  CHECK(luong.attention_score == "general");
  CHECK(luong.readout == "attentional");
  CHECK(bahdanau.attention_size == bahdanau.hidden_size);
  CHECK(luong.attention_size == 0);  // general has no width of its own
}

TEST_CASE("an unknown model type is refused with the list of types", "[model][options][unit]") {
  auto options = tiny_options("bahdanau");
  options.type = "cnn";
  CHECK_THROWS_WITH(make_model(options, {.source = 9, .target = 9, .shared = false}), Catch::Contains("rnn"));
}
