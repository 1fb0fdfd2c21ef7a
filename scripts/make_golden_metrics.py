#!/usr/bin/env python3
"""Makes tests/golden/metrics_random.jsonl: BLEU, chrF and TER of random lines, computed by sacreBLEU.

    python3 -m venv venv && venv/bin/pip install sacrebleu==2.6.0
    venv/bin/python scripts/make_golden_metrics.py > tests/golden/metrics_random.jsonl

First row: where the file comes from, and the settings. Then a row a line: hypothesis, two references (the second null where
there is none), and scores of the line under some of the settings, as [setting, references used, score]. Then rows of whole
texts: setting, the lines [begin, end), the references used (1: the first; 2: both, of lines that have both; "ragged": what
there is) and all numbers of the score. Last, tests of significance over the first lines that have both references:
hypothesis against second reference as baseline, scored by the first.
"""

import json
import logging
import random
import sys
import unicodedata
from itertools import product

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

COMMAND = "python scripts/make_golden_metrics.py > tests/golden/metrics_random.jsonl"
WORDS = ["house", "the", "The", "a", "Ελλάς", "ΌΣΟΣ", "İstanbul", "Straße", "3.14", "1,000", "10-20", "2024.", "e-mail",
         "don't", "John's", "it's,", "(hi)", "\"quoted\"", "&amp;", "&quot;", "&lt;b&gt;", "&amp;lt;", "<skipped>", "x<skipped>y",
         "U.S.A.", "...", ",,", ".5", "5.", "a.b", "a,1", "1,a", "-", "--", "5-", "-5", "€", "$5", "50%", "½", "Ⅷ", "٣", "٣.٤",
         "«mot»", "naïve", "nai\u0308ve", "中文", "中3文", "，。", "、「」", "ｆｕｌｌ", "ひらがな", "カタ・カナ", "\U00020000\U0002a6d6",
         "\U0002f800", "\u2001", "\u2026", "\u2460", "\u2a6d", "\u3299", "☃", "😀", "a\u00a0b", "a\u0085b", "a\u001cb", "a\u200bb",
         "a\u2028b", "a\rb", "\t", "\ufeff", "'s", "`", "~", "{}", "[1]", "a/b", "#tag", "@", "\\", "_x_", "^", "|||", "!", "?!"]
SEPARATORS = [" "] * 12 + ["", "  ", "\u00a0", "\u3000"]
# Blocks from which characters are drawn, by first and last code point.
BLOCKS = [(0x00, 0x7F)] * 6 + [(0x80, 0x24F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x6FF), (0x900, 0x97F), (0x1E00, 0x1FFF),
                               (0x2000, 0x206F), (0x20A0, 0x27BF), (0x2E80, 0x30FF), (0x3200, 0x4DBF), (0x4E00, 0x9FFF),
                               (0xAC00, 0xAC80), (0xF900, 0xFAFF), (0xFE30, 0xFFEF), (0x1F600, 0x1F64F), (0x20000, 0x2A6DF)]

LINES = 520
LONG_LINES = 14
SCORES_A_LINE = 6


def settings():
    found = []
    for i, (tokenize, smooth_method) in enumerate(product(["13a", "none", "char", "intl", "zh"], ["exp", "floor", "add-k", "none"])):
        found.append(("bleu", {"tokenize": tokenize, "smooth_method": smooth_method, "lowercase": i % 3 == 0,
                               "effective_order": i % 4 != 3}))
    found += [("bleu", options) for options in (
        {}, {"lowercase": True}, {"effective_order": True}, {"smooth_method": "floor", "smooth_value": 0.5},
        {"smooth_method": "add-k", "smooth_value": 2.0}, {"max_ngram_order": 2}, {"max_ngram_order": 6, "effective_order": True})]
    for word_order, whitespace, lowercase, eps_smoothing in product([0, 1, 2], [False, True], [False, True], [False, True]):
        found.append(("chrf", {"word_order": word_order, "whitespace": whitespace, "lowercase": lowercase,
                               "eps_smoothing": eps_smoothing}))
    found += [("chrf", options) for options in (
        {"beta": 1}, {"beta": 3, "word_order": 2}, {"char_order": 1}, {"char_order": 9, "word_order": 4})]
    for normalized, no_punct, asian_support, case_sensitive in product([False, True], repeat=4):
        found.append(("ter", {"normalized": normalized, "no_punct": no_punct, "asian_support": asian_support,
                              "case_sensitive": case_sensitive}))
    return found


def random_character(rng):
    while True:
        character = chr(rng.randint(*rng.choice(BLOCKS)))
        # A line end would end the line; what is not assigned yet may become a letter.
        if character != "\n" and unicodedata.category(character) not in ("Cn", "Cs"):
            return character


def random_word(rng):
    if rng.random() < 0.25:
        return "".join(random_character(rng) for _ in range(rng.randint(1, 6)))
    return rng.choice(WORDS)


def random_line(rng, length):
    return "".join(random_word(rng) + rng.choice(SEPARATORS) for _ in range(length)).rstrip()


def changed(rng, line):
    """A line that shares most characters and words with the given one."""
    words = line.split(" ")
    for _ in range(rng.randint(0, 1 + len(words) // 3)):
        i = rng.randrange(len(words))
        words[i] = random_word(rng) if rng.random() < 0.6 else words[i].lower()
    if len(words) > 3 and rng.random() < 0.6:  # a block moves
        begin, end = sorted(rng.sample(range(len(words) + 1), 2))
        block, rest = words[begin:end], words[:begin] + words[end:]
        place = rng.randint(0, len(rest))
        words = rest[:place] + block + rest[place:]
    if rng.random() < 0.2:
        words = words[: rng.randint(0, len(words))]
    return " ".join(words).rstrip()


def long_line(rng, words, kinds):
    return " ".join(f"w{rng.randrange(kinds)}" for _ in range(words))


def lines(rng):
    """Hypothesis, reference, and a second reference or None."""
    found = []
    for _ in range(LINES):
        reference = random_line(rng, rng.randint(0, 14))
        found.append((changed(rng, reference), reference, changed(rng, reference) if rng.random() < 0.7 else None))
    for i in range(LONG_LINES):  # beyond the beam and the limits of TER; few kinds of words give many shifts to try
        reference = long_line(rng, rng.randint(5, 130), 400 if i % 2 else 25)
        hypothesis = changed(rng, changed(rng, reference)) if i % 5 else long_line(rng, rng.randint(1, 130), 25)
        found.append((hypothesis, reference, None))
    return found


def metric(kind, options):
    return {"bleu": BLEU, "chrf": CHRF, "ter": TER}[kind](**options)


def numbers(score, scorer):
    found = {"score": score.score, "signature": scorer.get_signature().format()}
    for name in ("bp", "precisions", "counts", "totals", "sys_len", "ref_len", "num_edits", "ref_length"):
        if hasattr(score, name):
            found[name] = getattr(score, name)
    return found


def significance(part):
    """What sacreBLEU's resampling gives for the default metrics, with its defaults."""
    systems = [("baseline", [line[2] for line in part]), ("system", [line[0] for line in part])]
    scorers = {"BLEU": BLEU(), "chrF2": CHRF(), "TER": TER()}
    found = {}
    for test in ("bs", "ar"):
        _, results = PairedTest(systems, scorers, [[line[1] for line in part]], test_type=test)()
        for name in scorers:
            baseline, system = results[name]
            row = found.setdefault(name, {"baseline": baseline.score, "system": system.score})
            row[f"p_{test}"] = system.p_value
            if test == "bs":
                row.update(mean=float(system.mean), ci=float(system.ci), baseline_mean=float(baseline.mean),
                           baseline_ci=float(baseline.ci))
    return found


def write(row):
    print(json.dumps(row, separators=(",", ":")))


def main():
    rng = random.Random(20)
    chosen = settings()
    scorers = [metric(*setting) for setting in chosen]
    write({"made_by": COMMAND, "sacrebleu": sacrebleu.__version__,
           "settings": [{"metric": kind, "options": options} for kind, options in chosen]})

    text = lines(rng)
    for number, (hypothesis, first, second) in enumerate(text):
        scores = []
        is_long = number >= LINES
        picked = [i for i, (kind, _) in enumerate(chosen) if kind == "ter"][:1] if is_long else []
        picked += rng.sample(range(len(chosen)), 1 if is_long else SCORES_A_LINE)
        for setting in picked:
            count = 1 if second is None else rng.choice([1, 2])
            score = scorers[setting].sentence_score(hypothesis, [first, second][:count])
            scores.append([setting, count, score.score])
        write({"hypothesis": hypothesis, "references": [first, second], "scores": scores})

    for setting, ((kind, options), references) in enumerate(product(chosen, [1, 2, "ragged"])):
        begin = rng.randint(0, LINES - 60)
        end = begin + rng.randint(30, 60)
        part = [line for line in text[begin:end] if references != 2 or line[2] is not None]
        columns = [[line[1] for line in part], [line[2] for line in part]]
        scorer = metric(kind, options)
        score = scorer.corpus_score([line[0] for line in part], columns[:1] if references == 1 else columns)
        write({"setting": setting // 3, "lines": [begin, end], "references": references, **numbers(score, scorer)})

    both = [line for line in text if line[2] is not None]
    for count in (80, len(both)):
        write({"significance": significance(both[:count]), "lines": count})


if __name__ == "__main__":
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # it advises effective order for lines
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    main()
