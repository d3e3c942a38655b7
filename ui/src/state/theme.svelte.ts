const KEPT = "holdfast.theme";

export type ThemeChoice = "light" | "dark" | "system";

function systemTheme(): "light" | "dark" {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

class Theme {
  name = $state<"light" | "dark">(document.documentElement.dataset.theme === "dark" ? "dark" : "light");
  choice = $state<ThemeChoice>(read());

  turn(): void {
    this.choose(this.name === "dark" ? "light" : "dark");
  }

  choose(choice: ThemeChoice): void {
    this.choice = choice;
    this.name = choice === "system" ? systemTheme() : choice;
    document.documentElement.dataset.theme = this.name;
    if (choice === "system") localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, choice);
  }
}

function read(): ThemeChoice {
  const kept = localStorage.getItem(KEPT);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export const theme = new Theme();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  if (theme.choice === "system") theme.choose("system");
});
