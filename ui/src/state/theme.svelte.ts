const KEPT = "holdfast.theme";

class Theme {
  name = $state(document.documentElement.dataset.theme === "dark" ? "dark" : "light");

  turn(): void {
    this.name = this.name === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = this.name;
    localStorage.setItem(KEPT, this.name);
  }
}

export const theme = new Theme();
