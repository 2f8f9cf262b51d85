import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The portal as it is built; `npm run build` writes it (build.ts). */
export default defineConfig({
  root: import.meta.dirname,
  base: '/portal/',
  plugins: [react()],
  html: { cspNonce: '%NONCE%' },
  build: {
    // Nothing as data: the policy names what may be loaded from where.
    assetsInlineLimit: 0,
    target: 'es2022',
    // light-dark() as it stands (all browsers since May 2024): views/assets/tokens.css is served to the pages so too.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: false,
    // Screens are fetched when a link is pointed at (app/router.tsx): the names of all that each needs stay out of the first view.
    modulePreload: {
      resolveDependencies: (_file, needed, { hostType }) =>
        hostType === 'html' ? needed : needed.filter((file) => file.endsWith('.css')),
    },
    manifest: 'manifest.json',
  },
})
