/** Rules of ESLint for prose, the same for Markdown and for the strings of the page. */

import { findLongSentences, findOpenings, findWords } from "./problems.js";
import { visitMarkdown, visitScript } from "./texts.js";

function createRule(findProblems) {
  return {
    meta: { type: "suggestion", schema: [] },
    create(context) {
      const report = (text, locate) =>
        findProblems(text).forEach(({ index, message }) => context.report({ loc: locate(index), message }));
      return context.filename.endsWith(".md") ? visitMarkdown(report) : visitScript(report);
    },
  };
}

export default {
  rules: {
    vocabulary: createRule(findWords),
    opening: createRule(findOpenings),
    length: createRule(findLongSentences),
  },
};
