type Theme = 'light' | 'dark';

const key = 'theme';

/** The theme chosen here before, or the system's. */
export function presentTheme(): Theme {
  const chosen = stored();
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Applies a theme and stores it for the next visit. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(key, theme);
  } catch {
    // Without storage the choice lasts until the window is closed.
  }
}

/** Applies the stored theme; without one the style sheet follows the system. */
export function recallTheme(): void {
  const chosen = stored();
  if (chosen) document.documentElement.dataset.theme = chosen;
}

function stored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
