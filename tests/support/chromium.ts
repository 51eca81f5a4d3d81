/** Debian's Chromium, headless; without the flags it looks for its maker's servers. */
export const CHROMIUM = '/usr/bin/chromium';
export const CHROMIUM_FLAGS: readonly string[] = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
