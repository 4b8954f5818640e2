import {defineConfig} from "vitest/config";
import {alias} from "./aliases.js";

export default defineConfig({resolve: {alias}});
