#!/usr/bin/env python3
"""Makes tests/golden/metrics_random.jsonl: BLEU and chrF of random lines, computed by sacreBLEU.

    python3 -m venv venv && venv/bin/pip install sacrebleu==2.6.0
    venv/bin/python scripts/make_golden_metrics.py > tests/golden/metrics_random.jsonl
"""

import json
import random
import sys

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF

COMMAND = "python scripts/make_golden_metrics.py > tests/golden/metrics_random.jsonl"
WORDS = ["house", "the", "The", "a", "Ελλάς", "ΌΣΟΣ", "İstanbul", "Straße", "3.14", "1,000", "10-20", "2024.", "e-mail",
         "don't", "(hi)", "\"quoted\"", "&amp;", "&quot;", "&lt;b&gt;", "&amp;lt;", "<skipped>", "x<skipped>y", "U.S.A.",
         "...", ",,", ".5", "5.", "a.b", "a,1", "1,a", "-", "--", "5-", "-5", "€", "$5", "50%", "½", "Ⅷ", "٣", "٣.٤",
         "«mot»", "naïve", "nai\u0308ve", "中文", "中3文", "，。", "ｆｕｌｌ", "ひらがな", "\U00020000\U0002a6d6", "\U0002f800",
         "\u2001", "\u2026", "\u2460", "\u2a6d", "☃", "😀", "a\u00a0b", "a\u0085b", "a\u001cb", "a\u200bb", "a\u2028b",
         "a\rb", "\t", "\ufeff", "'s", "`", "~", "{}", "[1]", "a/b", "#tag", "@", "\\", "_x_", "^", "|||", "!", "?!"]
SEPARATORS = [" "] * 12 + ["", "  ", "\u00a0", "\u3000"]
BLEU_OPTIONS = [{}, {"tokenize": "none"}, {"tokenize": "char"}, {"tokenize": "intl"}, {"tokenize": "zh"},
                {"lowercase": True}, {"smooth_method": "floor"}, {"smooth_method": "floor", "smooth_value": 0.5},
                {"smooth_method": "add-k"}, {"smooth_method": "add-k", "smooth_value": 2.0},
                {"smooth_method": "none"}, {"max_ngram_order": 2}, {"max_ngram_order": 6, "effective_order": True}]
CHRF_OPTIONS = [{}, {"word_order": 2}, {"whitespace": True}, {"lowercase": True}, {"eps_smoothing": True},
                {"char_order": 3, "word_order": 1, "beta": 1}, {"beta": 3, "word_order": 2, "eps_smoothing": True}]


def random_line(rng, length):
    return "".join(rng.choice(WORDS) + rng.choice(SEPARATORS) for _ in range(length)).rstrip()


def changed(rng, line):
    """A line that shares most characters and words with the given one."""
    words = line.split(" ")
    for _ in range(rng.randint(0, 1 + len(words) // 3)):
        i = rng.randrange(len(words))
        words[i] = rng.choice(WORDS) if rng.random() < 0.6 else words[i].lower()
    if rng.random() < 0.2:
        words = words[: rng.randint(0, len(words))]
    return " ".join(words).rstrip()


def main():
    rng = random.Random(20)
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    print(json.dumps({"made_by": COMMAND, "sacrebleu": sacrebleu.__version__}))
    sentence = BLEU(effective_order=True)
    intl = BLEU(effective_order=True, tokenize="intl")
    zh = BLEU(effective_order=True, tokenize="zh", lowercase=True)
    chrf, chrf_pp = CHRF(), CHRF(word_order=2, lowercase=True)
    hypotheses, first, second = [], [], []
    for _ in range(300):
        reference = random_line(rng, rng.randint(0, 14))
        hypothesis, other = changed(rng, reference), changed(rng, reference)
        hypotheses.append(hypothesis)
        first.append(reference)
        second.append(other)
        references = [reference, other]
        print(json.dumps({"hypothesis": hypothesis, "references": references, "scores": [
            sentence.sentence_score(hypothesis, references).score, intl.sentence_score(hypothesis, references).score,
            zh.sentence_score(hypothesis, references).score, chrf.sentence_score(hypothesis, references).score,
            chrf_pp.sentence_score(hypothesis, references).score]}, ensure_ascii=True))
    for metric, kind, settings in (("bleu", BLEU, BLEU_OPTIONS), ("chrf", CHRF, CHRF_OPTIONS)):
        for options in settings:
            score = kind(**options).corpus_score(hypotheses, [first, second]).score
            print(json.dumps({"metric": metric, "options": options, "score": score}))


if __name__ == "__main__":
    main()
