import js from "@eslint/js"
import globals from "globals"

// The style is the house's own; these rules find faults.
export default [
  {ignores: ["**/vendor/**"]},
  js.configs.recommended,
  {
    files: ["workbench/**/*.js"],
    languageOptions: {ecmaVersion: 2023, sourceType: "module", globals: globals.browser},
    linterOptions: {reportUnusedDisableDirectives: "error"},
    rules: {
      eqeqeq: "error",
      "no-implicit-globals": "error",
      "no-shadow": ["error", {allow: ["name", "status"]}],
      "no-unused-vars": ["error", {argsIgnorePattern: "^_"}],
      "no-use-before-define": ["error", {functions: false, classes: false, variables: false}],
      "no-var": "error",
      "prefer-const": ["error", {destructuring: "all"}],
      "require-atomic-updates": "off",
      "array-callback-return": "error",
      "no-constructor-return": "error",
      "no-promise-executor-return": "off",
      "no-self-compare": "error",
      "no-template-curly-in-string": "error",
      "no-unmodified-loop-condition": "error",
      "no-unreachable-loop": "error",
    },
  },
  {
    files: ["workbench/assets/browser/theme.js"],
    languageOptions: {sourceType: "script"},
  },
]
