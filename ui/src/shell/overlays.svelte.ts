class Overlays {
  isPaletteOpen = $state(false);
  isHelpOpen = $state(false);
}

export const overlays = new Overlays();
