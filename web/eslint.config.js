// A short list of rules, all of them errors; layout is prettier's.
import path from "node:path";
import {fileURLToPath} from "node:url";
import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  {ignores: ["node_modules"]},
  eslint.configs.recommended,
  {
    files: ["src/**/*.ts", "src/**/*.tsx"],
    extends: [tseslint.configs.recommended],
    languageOptions: {
      parserOptions: {projectService: true, tsconfigRootDir: path.dirname(fileURLToPath(import.meta.url))},
    },
    rules: {
      "no-control-regex": "off", // texts of traces are searched for exactly those
      eqeqeq: ["error", "always", {null: "ignore"}],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unused-vars": ["error", {argsIgnorePattern: "^_", varsIgnorePattern: "^_"}],
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/consistent-type-imports": ["error", {fixStyle: "inline-type-imports"}],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", {considerDefaultExhaustiveForUnions: true}],
    },
  },
  {files: ["*.js"], languageOptions: {globals: {process: "readonly", console: "readonly"}}},
);
