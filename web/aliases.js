// What is made by the build of the program and imported here (cmake/html_assets.cmake). tsconfig.json has the same in `paths`.
import path from "node:path";
import {fileURLToPath} from "node:url";

export const made = path.join(path.dirname(fileURLToPath(import.meta.url)), "../build/made");
export const alias = {"@made": made};
