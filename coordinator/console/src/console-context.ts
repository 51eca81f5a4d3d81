import { createContext, useContext } from 'react';
import type { Api } from './api.js';
import type { BrowserClock } from './browser-clock.js';
import type { Language } from './language.js';
import type { Texts } from './texts.js';

/** What every panel may use. */
export interface ConsoleDoors {
  readonly api: Api;
  readonly clock: BrowserClock;
  readonly language: Language;
  readonly text: Texts;
}

export const ConsoleContext = createContext<ConsoleDoors | undefined>(undefined);

/** @throws Error outside the page's provider. */
export function useConsole(): ConsoleDoors {
  const doors = useContext(ConsoleContext);
  if (doors === undefined) throw new Error('a panel was rendered outside ConsoleContext');
  return doors;
}
