type Theme = 'light' | 'dark';

const key = 'theme';

/** What was chosen here before, or what the reader's system prefers. */
export function presentTheme(): Theme {
  const chosen = stored();
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Shows the page in a theme and keeps it for the next visit. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(key, theme);
  } catch {
    // A browser that keeps nothing shows it until the window is closed.
  }
}

/** Shows what was chosen before; without a choice the style sheet follows the system. */
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
