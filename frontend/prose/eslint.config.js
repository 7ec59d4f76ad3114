/** `npm run prose`: docs, help texts (docs/operators.md is written from them), README, CHANGELOG and the page's strings. */

import markdown from "@eslint/markdown";
import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

import prose from "./plugin.js";

const rules = { "prose/vocabulary": "error", "prose/opening": "error", "prose/length": "error" };

/** The result of an example is the list of a timeline's values. */
const EXAMPLE_RESULT = { except: "^Code is .* s[.]$" };

export default [
  { ignores: ["**/*.test.ts", "**/*.testing.ts", "**/schema.ts"] },
  { linterOptions: { reportUnusedDisableDirectives: "off" } },
  {
    files: ["**/*.md"],
    language: "markdown/gfm",
    linterOptions: { noInlineConfig: true },
    plugins: { markdown, prose },
    rules,
  },
  { files: ["docs/operators.md"], rules: { "prose/length": ["error", EXAMPLE_RESULT] } },
  {
    files: ["**/*.ts", "**/*.tsx"],
    languageOptions: { parser: tseslint.parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    plugins: { prose, "react-hooks": hooks },
    rules,
  },
];
