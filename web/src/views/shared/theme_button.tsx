// Switches between light and dark.

import type {Theme} from "../../draw/theme";

export function ThemeButton({theme}: {readonly theme: Theme}) {
  return (
    <button class="theme" type="button" onClick={() => theme.other()}>
      {theme.now.value === "dark" ? "Light theme" : "Dark theme"}
    </button>
  );
}
