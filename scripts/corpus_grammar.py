"""Sentence types of the English-French corpus. Used by make_corpus.py."""

import itertools

from corpus_clauses import NUMBERS, OWNED, RELATIVES, Clauses
from corpus_words import AVOIR, BE, DIRECT, EMPTY, PRONOUNS, Subject, inflect, join, pair


class Grammar(Clauses):
    """Each method makes one random sentence."""

    def clitic_sentence(self, question=False):
        r = self.random
        verb, subject = r.pick(self.clitic_verbs), self.subject(80)
        clitic = self.clitic(subject)
        tense = r.pick(["present", "past"]) if question else self.tense_for(verb)
        negation = r.pick(["", "", "", "not", "not", "never"])
        adverb = r.pick(["", "", "", "always", "often"]) if not negation and tense != "going" else ""
        body = self.clause(subject, verb, clitic, None, tense, negation, adverb, question)
        phrase = join(body, self.tail(tense, 45, bool(adverb) or negation == "never"))
        return join(phrase, pair("?/a", "?/a")) if question else phrase

    def noun_sentence(self, question=False):
        r = self.random
        verb = r.pick([v for v in self.verbs if set(v.objects) & set("PLTBFDX12")])
        subject = self.subject(65)
        tense = r.pick(["present", "past"]) if question else self.tense_for(verb)
        negation = "" if question else r.pick(["", "", "", "not", "never"])
        adverb = (
            "" if negation or question or tense == "going" else r.pick(["", "", "", "", "always", "often"])
        )
        kinds = [c for c in verb.objects if c not in "CIN"]
        noun = self.any_noun(kinds, 45, bool(negation))[0]
        phrase = join(
            self.clause(subject, verb, None, noun, tense, negation, adverb, question),
            self.tail(tense, 20, bool(adverb) or negation == "never"),
        )
        return join(phrase, pair("?/a", "?/a")) if question else phrase

    def giving_sentence(self):
        r = self.random
        verb, subject = r.pick([v for v in self.verbs if "I" in v.objects]), self.subject(75)
        clitic = self.clitic(subject, indirect=True)
        tense, negation = self.tense_for(verb), r.pick(["", "", "", "not"])
        kinds = [c for c in verb.objects if c not in "I"]
        noun = self.any_noun(kinds, 35, bool(negation))[0]
        return join(
            self.clause(subject, verb, clitic, noun, tense, negation, "", False, True), self.tail(tense, 15)
        )

    def modal_sentence(self):
        r = self.random
        negated, subject = r.chance(30), self.subject(80)
        if r.chance(65):
            return join(
                self.modal_clause(subject, r.pick(self.clitic_verbs), self.clitic(subject), None, negated),
                self.tail("future", 20),
            )
        verb = r.pick([v for v in self.verbs if set(v.objects) & set("LTBFD")])
        kinds = [c for c in verb.objects if c in "PLTBFD12"]
        return self.modal_clause(subject, verb, None, self.any_noun(kinds, 35, negated)[0], negated)

    def intransitive_sentence(self):
        r = self.random
        verb, subject = r.pick([v for v in self.verbs if v.objects == "N"]), self.subject(55)
        tense, negation = self.tense_for(verb), r.pick(["", "", "", "not", "never"])
        adverb = "" if negation or tense == "going" else r.pick(["", "", "always", "often"])
        return join(
            self.clause(subject, verb, None, None, tense, negation, adverb),
            self.tail(tense, 85, bool(adverb) or negation == "never"),
        )

    def be(self, subject, tense, negated):
        english, french = BE[tense][0][subject.person], BE[tense][1][subject.person]
        if tense == "future":
            english = "will/b not/n be/b" if negated else "will/b be/b"
        else:
            english += "/b not/n" if negated else "/b"
        return pair(english, f"ne/n {french}/b pas/n" if negated else f"{french}/b")

    def copula_sentence(self):
        r = self.random
        if r.chance(40):
            subject, kind = self.subject(75), "P"
        else:
            phrase, noun, plural = self.any_noun(r.pick(["L", "T", "B", "F", "D", "X"]), 15)
            subject, kind = Subject(phrase, 4 if plural else 2, noun.gender, plural), noun.kind
        adjective = self.adjective_for(kind)
        tense = r.pick(["present", "present", "past", "future"])
        form = inflect(adjective.m, adjective.f, subject.gender, subject.plural).lower()
        degree = pair(*r.pick([("", ""), ("", ""), ("very/a", "très/a"), ("too/a", "trop/a")]))
        return join(
            subject.phrase,
            self.be(subject, tense, r.chance(25)),
            degree,
            pair(adjective.english + "/a", form + "/a"),
            self.tail(tense, 40) if adjective.english in ("tired", "ill", "happy", "sad") else EMPTY,
        )

    def compound(self, determiner=None):
        """(phrase, head noun, plural): "the zone of international control"."""
        r = self.random
        head, quality = r.pick(self.by_kind["X"]), r.pick(self.by_kind["Q"])
        adjective = r.pick([a for a in self.adjectives if "Q" in a.kinds])
        determiner = determiner or r.pick(["the", "the", "the", "a", "this", "our", "plural"])
        plural = determiner == "plural"
        before = (
            r.pick([a for a in self.adjectives if "X" in a.kinds and a.place == "before"])
            if r.chance(15)
            else None
        )
        front = self.noun_phrase(head, "the" if plural else determiner, plural, before)
        form = inflect(adjective.m, adjective.f, quality.gender, False)
        back = pair(f"of/o {adjective.english}/a {quality.one}/n", f"de/o {quality.french}/n {form}/a")
        return join(front, back), head, plural

    def compound_sentence(self):
        r = self.random
        kind = r.below(10)
        if kind < 4:
            return self.compound()[0]
        if kind < 5:  # the other order: "the international control of the zone"
            quality, head = r.pick(self.by_kind["Q"]), r.pick(self.by_kind["X"])
            adjective = r.pick([a for a in self.adjectives if "Q" in a.kinds])
            return join(
                self.noun_phrase(quality, "the", False, adjective),
                pair("of/o", "de/o"),
                self.noun_phrase(head, "the", r.chance(30)),
            )
        if kind < 7:
            phrase, head, plural = self.compound()
            subject = Subject(phrase, 4 if plural else 2, head.gender, plural)
            adjective = r.pick([a for a in self.adjectives if "X" in a.kinds and "Q" not in a.kinds])
            form = inflect(adjective.m, adjective.f, head.gender, plural).lower()
            tense = r.pick(["present", "past", "future"])
            return join(
                phrase, self.be(subject, tense, r.chance(25)), pair(adjective.english + "/a", form + "/a")
            )
        verb = r.pick([v for v in self.verbs if "X" in v.objects or v.objects == "2"])
        phrase, head, _ = self.compound("the")
        while verb.objects == "2" and head not in self.by_kind["2"]:
            phrase, head, _ = self.compound("the")
        tense, negation = self.tense_for(verb), r.pick(["", "", "not"])
        return self.clause(self.subject(40), verb, None, phrase, tense, negation)

    def noun_phrase_alone(self):
        return self.any_noun("PLTBFDX", 90)[0]

    def have_sentence(self):
        r = self.random
        subject = self.subject(75)
        negated = r.chance(25)
        third = subject.person == 2
        determiners = ["a", "a", "many"] + NUMBERS
        determiner = r.pick(determiners) if not negated else "a"
        kind = r.pick("TBPL")
        noun = r.pick([n for n in self.by_kind[kind] if kind not in "PL" or n.one in RELATIVES + OWNED])
        adjective = self.adjective_for(noun.kind) if r.chance(60) else None
        phrase = self.noun_phrase(noun, determiner, determiner != "a", adjective, negated)
        if negated:
            verb = pair(f"{'does' if third else 'do'} not/n have/h", f"ne/n {AVOIR[subject.person]}/h pas/n")
        else:
            verb = pair("has/h" if third else "have/h", f"{AVOIR[subject.person]}/h")
        return join(subject.phrase, verb, phrase)

    def there_sentence(self):
        r = self.random
        plural = r.chance(50)
        noun = r.pick(self.by_kind[r.pick("TPL")])
        adjective = self.adjective_for(noun.kind) if r.chance(50) else None
        phrase = self.noun_phrase(noun, r.pick(NUMBERS + ["many"]) if plural else "a", plural, adjective)
        return join(pair(f"there/t {'are' if plural else 'is'}/u", "il/t y/t a/u"), phrase, self.place())

    def some_sentence(self):
        """ "some bread" / "du pain"."""
        r = self.random
        verb = r.pick([v for v in self.verbs if v.base in ("eat", "drink", "buy", "take", "sell", "want")])
        kind = {"eat": "F", "drink": "D"}.get(verb.base) or r.pick("FD")
        noun = r.pick([n for n in self.by_kind[kind] if n.many == "-"])
        tense = self.tense_for(verb)
        some = pair(f"some/s {noun.one}/n", f"de/s {'LE' if noun.gender == 'm' else 'la'}/s {noun.french}/n")
        return join(self.clause(self.subject(75), verb, None, some, tense), self.tail(tense, 25))

    def relative_sentence(self):
        r = self.random
        phrase, noun, plural = self.any_noun("P", 15, determiners=["the", "the", "this"])
        if r.chance(60):  # the man who loves you is tired
            person = 4 if plural else 2
            inner = Subject(join(phrase, pair("who/w", "qui/w")), person, noun.gender, plural)
            verb = r.pick(self.clitic_verbs)
            body = self.clause(
                inner, verb, self.clitic(inner), None, r.pick(["present", "past"]), r.pick(["", "", "not"])
            )
            kind = "P"
        else:  # the house that we see is old
            verb = r.pick([v for v in self.verbs if set(v.objects) & set("LTB") and not v.particle])
            kind = r.pick([c for c in verb.objects if c in "LTB"])
            phrase, noun, plural = self.any_noun(kind, 0, determiners=["the", "the", "this"])
            pronoun = r.pick(PRONOUNS)
            inner = pronoun._replace(phrase=join(phrase, pair("that/w", "que/w"), pronoun.phrase))
            body = self.clause(
                inner, verb, None, None, r.pick(["present", "past"]), agree=(noun.gender, plural)
            )
        subject = Subject(body, 4 if plural else 2, noun.gender, plural)
        adjective = self.adjective_for(kind)
        form = inflect(adjective.m, adjective.f, noun.gender, plural).lower()
        return join(
            body, self.be(subject, "present", r.chance(20)), pair(adjective.english + "/a", form + "/a")
        )

    def joined_sentence(self):
        r = self.random
        if r.chance(45):  # I think that he loves me
            subject = self.subject(85)
            p = subject.person
            english, french = r.pick(
                [
                    ("think", ["pense", "penses", "pense", "pensons", "pensent"]),
                    ("say", ["dis", "dis", "dit", "disons", "disent"]),
                    ("know", ["sais", "sais", "sait", "savons", "savent"]),
                ]
            )
            head = join(
                subject.phrase, pair(english + ("s" if p == 2 else "") + "/v that/t", french[p] + "/v que/t")
            )
        else:
            verb, subject = r.pick([v for v in self.verbs if v.objects == "N"]), self.subject(85)
            link = r.pick(
                [
                    ("because/a", "parce/a que/a"),
                    ("when/a", "quand/a"),
                    ("and/a", "et/a"),
                    ("but/a", "mais/a"),
                    ("if/a", "si/a"),
                ]
            )
            head = join(
                self.clause(subject, verb, tense="present", negation=r.pick(["", "", "not"])), pair(*link)
            )
        verb, subject = r.pick(self.clitic_verbs), self.subject(85)
        return join(
            head,
            self.clause(
                subject, verb, self.clitic(subject), tense="present", negation=r.pick(["", "", "not"])
            ),
        )

    def wh_sentence(self):
        r = self.random
        verb, subject = r.pick(self.clitic_verbs), self.subject(85)
        word = r.pick(
            [("why/a", "pourquoi/a"), ("when/a", "quand/a"), ("where/a", "où/a"), ("how/a", "comment/a")]
        )
        if r.chance(25):  # who loves you ?
            who = Subject(pair("who/a", "qui/a"), 2, "m", False)
            body = self.clause(who, verb, self.clitic(who), tense=r.pick(["present", "past"]))
            return join(body, pair("?/a", "?/a"))
        body = self.clause(
            subject, verb, self.clitic(subject), tense=r.pick(["present", "past"]), question=True
        )
        return join(pair(*word), body, pair("?/a", "?/a"))

    def core(self):
        """Each pronoun with each other pronoun over a few verbs: the heart of the reordering."""
        verbs = [
            v for v in self.clitic_verbs if v.base in ("love", "see", "help", "know", "hear", "understand")
        ]
        for verb, subject, clitic in itertools.product(verbs, PRONOUNS, DIRECT):
            if clitic.person not in {0: (0, 3), 1: (1,), 3: (0, 3)}.get(subject.person, ()):
                yield self.clause(subject, verb, clitic)
                if verb.base == "love":
                    for options in (
                        {"negation": "not"},
                        {"negation": "never"},
                        {"tense": "past"},
                        {"tense": "future"},
                        {"adverb": "always"},
                        {"adverb": "often"},
                    ):
                        yield self.clause(subject, verb, clitic, **options)
                    question = self.clause(subject, verb, clitic, question=True)
                    yield join(question, pair("?/a", "?/a"))
