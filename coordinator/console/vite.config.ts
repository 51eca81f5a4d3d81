import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The page is plain files that work at any path under `default-src 'self'`: relative base, nothing inlined, nothing
 * fetched from elsewhere.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [react()],
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    /** A data: address would need a wider policy. */
    assetsInlineLimit: 0,
    target: 'es2022',
  },
});
