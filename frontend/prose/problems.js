/** The problems of a text: words of the vocabulary, openings and long sentences, each with the index where it begins. */

import { MAX_WORDS_PER_SENTENCE, OPENINGS, VOCABULARY } from "./vocabulary.js";

const SENTENCES = new Intl.Segmenter("en", { granularity: "sentence" });
const OPENING = new RegExp(`^["'“(*]*(${OPENINGS.join("|")})\\b`, "iu");
/** A label has no end, and a question begins as questions do. */
const ENDED = /[.:!]["'”)]*\s*$/u;
const WORD = /\S*[\p{L}\p{N}]\S*/gu;

export function findWords(text) {
  return VOCABULARY.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
      index,
      message: `“${found}”: write ${instead}.`,
    })),
  );
}

export function findOpenings(text) {
  return splitSentences(text).flatMap(({ segment, index }) => {
    const opening = ENDED.test(segment) ? OPENING.exec(segment) : null;
    return opening
      ? [{ index, message: `A sentence begins with “${opening[1]}”: begin with its subject.` }]
      : [];
  });
}

export function findLongSentences(text) {
  return splitSentences(text).flatMap(({ segment, index }) => {
    const words = segment.match(WORD)?.length ?? 0;
    const message = `A sentence has ${words} words: ${MAX_WORDS_PER_SENTENCE} are the most.`;
    return words > MAX_WORDS_PER_SENTENCE ? [{ index, message }] : [];
  });
}

/** The segmenter would end a sentence at the end of a line. */
function splitSentences(text) {
  return [...SENTENCES.segment(text.replaceAll("\n", " "))];
}
