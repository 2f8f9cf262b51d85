import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '../../views/assets/tokens.css'
import './app/portal.css'
import './app/frame.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api/queries.ts'
import { renewWhenOld } from './app/renew.ts'
import { router } from './app/router.tsx'
import { Theme } from './app/theme.tsx'
import { startTexts } from './i18n/texts.ts'

renewWhenOld()
await startTexts()
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Theme>
        <Suspense>
          <RouterProvider router={router} />
        </Suspense>
      </Theme>
    </QueryClientProvider>
  </StrictMode>,
)
