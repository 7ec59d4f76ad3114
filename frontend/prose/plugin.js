/** Rules of ESLint for prose, the same for Markdown and for the strings of the page. */

import { findLongSentences, findOpenings, findWords } from "./problems.js";
import { visitMarkdown, visitScript } from "./texts.js";

function createRule(findProblems) {
  return {
    meta: { type: "suggestion", schema: [{ type: "object", properties: { except: { type: "string" } } }] },
    create(context) {
      const { except = "^$" } = context.options[0] ?? {};
      const report = (text, locate) =>
        !new RegExp(except, "u").test(text) &&
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
