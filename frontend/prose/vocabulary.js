/** What the prose of docs, help texts and page may not say, and what it says instead. One word for one thing. */

const word = (pattern, instead) => ({ pattern: new RegExp(`\\b(?:${pattern})\\b`, "giu"), instead });

export const MAX_WORDS_PER_SENTENCE = 30;

export const VOCABULARY = [
  word("told", "said, reported, shown or notified"),
  word("anew", "again"),
  word("mend(?:s|ed|ing)?", "fix, correct or repair"),
  word("aside", "rejected or quarantined"),
  word("misread", "rejected"),
  word("so many", "the number"),
  word("by (?:itself|themselves|oneself)", "automatically or alone"),
  word("of (?:its|their|your|our|his|her|one's) own", "its own X, or custom X"),
  word("whoever", "anyone who, or the noun"),
  word("horizons?", "watermark"),
  word("beats?", "heartbeat"),
  word("couriers?", "sink writer"),
  word("carriers?", "connector"),
  word("spell(?:s|ed|ing)?|spelt", "write or format"),
  word("troubles?", "problem"),
  word("cures?", "hint"),
  word("newsroom", "broadcast"),
  word("unread", "backlog"),
  word("lending", "sharing"),
  word("the door(?! been opened)", "the events endpoint"),
  word("receipts?", "deduplication record"),
  word("tails?", "history"),
  word("packs?", "segment"),
  word("makes? known", "publish or notify"),
  word("c[oa]mes? to be", "is created"),
];

/** A sentence begins with its subject, so with none of these. */
export const OPENINGS = [
  "who",
  "whoever",
  "what",
  "so many",
  "anew",
  "by itself",
  "of its own",
  "of one's own",
];
