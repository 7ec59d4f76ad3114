/** `npm run prose`: docs, help texts (docs/operators.md is written from them), README, CHANGELOG and the page's strings. */

import markdown from "@eslint/markdown";
import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

import prose from "./plugin.js";

const rules = { "prose/vocabulary": "error", "prose/opening": "error", "prose/length": "error" };

/** Pages still to be rewritten. The list only shrinks. */
const TO_DO = [
  "CHANGELOG.md",
  "docs/operators.md",
  "docs/recipes.md",
];

export default [
  { ignores: [...TO_DO, "**/*.test.ts", "**/*.testing.ts", "**/schema.ts"] },
  { linterOptions: { reportUnusedDisableDirectives: "off" } },
  {
    files: ["**/*.md"],
    language: "markdown/gfm",
    linterOptions: { noInlineConfig: true },
    plugins: { markdown, prose },
    rules,
  },
  {
    files: ["**/*.ts", "**/*.tsx"],
    languageOptions: { parser: tseslint.parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    plugins: { prose, "react-hooks": hooks },
    rules,
  },
];
