// Light or dark: as the system says, until the reader chooses. Paper is light.

import {computed, effect, type ReadonlySignal, signal} from "@preact/signals";

export class Theme {
  readonly now: ReadonlySignal<"light" | "dark">;
  private readonly chosen = signal<"light" | "dark" | null>(null);

  constructor(isPaper: ReadonlySignal<boolean>) {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const isSystemDark = signal(system.matches);
    system.addEventListener("change", () => {
      isSystemDark.value = system.matches;
    });
    this.now = computed(() =>
      isPaper.value ? "light" : (this.chosen.value ?? (isSystemDark.value ? "dark" : "light")),
    );
    effect(() => {
      document.documentElement.dataset["theme"] = this.now.value;
    });
  }
  // The reader chooses the one that is not shown.
  other(): void {
    this.chosen.value = this.now.value === "dark" ? "light" : "dark";
  }
}
