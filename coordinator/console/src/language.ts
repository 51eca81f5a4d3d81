import { english } from './language-en.js';
import { chinese } from './language-zh.js';
import type { Texts } from './texts.js';

export type Language = 'zh' | 'en';

export const TEXTS: Readonly<Record<Language, Texts>> = { zh: chinese, en: english };

const KEY = 'hermes.language';

/** The language chosen last, else the browser's. */
export function initialLanguage(storage: Pick<Storage, 'getItem'>, preferred: string): Language {
  const kept = storage.getItem(KEY);
  if (kept === 'zh' || kept === 'en') return kept;
  return preferred.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export const keepLanguage = (storage: Pick<Storage, 'setItem'>, language: Language): void =>
  storage.setItem(KEY, language);
