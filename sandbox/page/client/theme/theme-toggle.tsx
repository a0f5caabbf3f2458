import { useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { chooseTheme, presentTheme } from './theme.ts';

export function ThemeToggle() {
  const [theme, setTheme] = useState(presentTheme);
  const other = theme === 'dark' ? 'light' : 'dark';
  const toggle = (): void => {
    chooseTheme(other);
    setTheme(other);
  };
  return (
    <button type="button" class="icon-button" aria-label={`Use ${other} colours`} onClick={toggle}>
      <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
    </button>
  );
}
